/** What is told of webhooks, and when: each thing once. */
import { describe, expect, test } from 'vitest'
import { defaultSettings } from '../../src-preload/contract/settings.ts'
import type { ToldAccounts, Told } from '../../src-main/webhooks/store/told.ts'
import {
  type Condition,
  follow,
  newsEveryMs,
  settlesAfterMs,
  emptySurvey,
  surveyPage,
} from '../../src-main/webhooks/alerts/survey.ts'
import { isQuiet, sayBad, sayWell, spanOf } from '../../src-main/webhooks/alerts/alerts.ts'
import type { FollowedAccount } from '../../src-main/webhooks/store/subscriptions.ts'

const minute = 60_000

/** What is said at each of these rounds. */
function saidOver(rounds: readonly (readonly [at: number, Condition, hasNews?: boolean])[]) {
  let told: Told | null = null
  return rounds.map(([at, condition, hasNews = false]) => {
    const next = follow(told, { condition, hasNews, at })
    told = next.told
    return next.says
  })
}

describe('a matter', () => {
  test('is told once when it begins and once when it is over, not each round between', () => {
    const said = saidOver([
      [0, 'well'],
      [1, 'bad'],
      [2, 'bad'],
      [3, 'well'],
      [4, 'well'],
    ])
    expect(said).toEqual([null, 'bad', null, 'well', null])
  })

  test('that flaps every round is told once, and its recovery once it has settled', () => {
    const flapping = Array.from({ length: 20 }, (_, round): [number, Condition] => [
      round * 30_000,
      round % 2 === 0 ? 'bad' : 'well',
    ])
    const end = 19 * 30_000
    const said = saidOver([
      ...flapping,
      [end + settlesAfterMs - 1, 'well'],
      [end + settlesAfterMs, 'well'],
      [end + settlesAfterMs + 1, 'bad'],
    ])
    expect(said.filter((says) => says === 'bad' || says === 'well')).toEqual([
      'bad',
      'well',
      'well',
      'bad',
    ])
    expect(said.slice(-2)).toEqual(['well', 'bad'])
  })

  test('is told anew when it comes back after it had been well for long', () => {
    const said = saidOver([
      [0, 'bad'],
      [minute, 'well'],
      [minute + settlesAfterMs, 'well'],
      [minute + settlesAfterMs + 1, 'bad'],
    ])
    expect(said).toEqual(['bad', 'well', null, 'bad'])
  })

  test('that grows is told again, but not sooner than a while after the last time', () => {
    const said = saidOver([
      [0, 'bad', true],
      [30_000, 'bad', true],
      [60_000, 'bad'],
      [newsEveryMs, 'bad'],
      [newsEveryMs * 2, 'bad'],
    ])
    expect(said).toEqual(['bad', null, null, 'bad', null])
  })

  test('outlives a clock set back: neither told each round nor never again', () => {
    const day = 86_400_000
    const said = saidOver([
      [day, 'bad'],
      [0, 'bad'],
      [1, 'bad', true],
      [2, 'bad'],
      [day, 'well'],
      [1, 'well'],
      [1 + settlesAfterMs, 'well'],
      [2 + settlesAfterMs, 'bad'],
    ])
    expect(said).toEqual(['bad', null, 'bad', null, 'well', null, null, 'bad'])
  })

  test('that is turned off is forgotten without a word', () => {
    expect(
      saidOver([
        [0, 'bad'],
        [1, 'over'],
        [2, 'bad'],
      ]),
    ).toEqual(['bad', null, 'bad'])
  })
})

function account(number: number, change: Partial<FollowedAccount> = {}): FollowedAccount {
  return {
    account: `0:${number.toString(16).padStart(64, '0')}`,
    lastDeliveredLt: 10n,
    failedAt: 0,
    failedLt: 11n,
    failedAttempts: 1,
    isFailing: true,
    isWatched: false,
    lag: null,
    ...change,
  }
}

describe('the accounts of a webhook', () => {
  const about = { limits: { failedAttempts: 3, lagMs: 10 * minute }, at: 1000 }
  const nameOf = (number: number) => account(number).account
  const survey = (page: readonly FollowedAccount[], told: ToldAccounts = new Map()) =>
    surveyPage(emptySurvey, page, told, about)

  test('count from the threshold on, and once told until a delivery gets through', () => {
    const page = [
      account(1, { failedAttempts: 2 }),
      account(2, { failedAttempts: 3 }),
      account(3, { failedAttempts: 1 }),
      account(4, { isFailing: false, isWatched: true }),
    ]
    const { survey: found, changes } = survey(page, new Map([[nameOf(3), null]]))
    expect(found).toMatchObject({ failing: 2, firstFailing: [nameOf(2), nameOf(3)], hasNews: true })
    expect(changes).toEqual({ began: [nameOf(2)], back: [], mended: [], settled: [] })
  })

  // U23: an endpoint that failed each fourth request raised and cleared a notice every 30 seconds.
  test('are told by default from the third failure in a row', () => {
    const { failedAttempts, lagMinutes } = defaultSettings.monitoring
    const limits = { failedAttempts, lagMs: lagMinutes * minute }
    const page = [1, 2, 3].map((attempts) => account(attempts, { failedAttempts: attempts }))
    const { survey: found } = surveyPage(emptySurvey, page, new Map(), { limits, at: 1000 })
    expect(found.firstFailing).toEqual([nameOf(3)])
  })

  test('that were told of are mended, come back and settle each for itself', () => {
    const told = new Map([
      [nameOf(1), null],
      [nameOf(2), 500],
      [nameOf(3), 1000 - settlesAfterMs],
      [nameOf(4), 2000],
    ])
    const { survey: found, changes } = survey([account(2, { failedAttempts: 9 })], told)
    expect(changes).toEqual({
      began: [],
      back: [nameOf(2)],
      mended: [nameOf(1), nameOf(4)],
      settled: [nameOf(3)],
    })
    expect(found.hasNews).toBe(false)
  })

  test('lag from beyond the limit only, and the slowest is named over pages', () => {
    const lag = (milliseconds: number | null) => ({
      transactions: 3,
      more: false,
      milliseconds,
      readAt: 0,
    })
    const first = survey([
      account(1, { lag: lag(10 * minute) }),
      account(2, { lag: lag(20 * minute) }),
      account(3, { lag: lag(null) }),
    ])
    const second = surveyPage(
      first.survey,
      [account(5, { lag: lag(11 * minute) })],
      new Map(),
      about,
    )
    expect(second.survey).toMatchObject({ lagging: 2, slowest: { account: nameOf(2) } })
  })
})

describe('quiet hours', () => {
  const at = (hours: number, minutes: number, day = 1) => new Date(2026, 5, day, hours, minutes)

  test('within a day hold from their beginning to before their end', () => {
    const hours = { from: '13:00', to: '14:30' }
    expect(
      [at(12, 59), at(13, 0), at(14, 29), at(14, 30)].map((each) => isQuiet(hours, each)),
    ).toEqual([false, true, true, false])
  })

  test('that pass midnight hold on both sides of it', () => {
    const hours = { from: '22:00', to: '07:00' }
    expect(
      [at(21, 59), at(22, 0), at(23, 59), at(0, 0, 2), at(6, 59, 2), at(7, 0, 2)].map((each) =>
        isQuiet(hours, each),
      ),
    ).toEqual([false, true, true, true, true, false])
  })

  test('go by the clock on the wall on the days it is moved, and by nothing when there are none', () => {
    const hours = { from: '01:00', to: '04:00' }
    // The nights in which it is moved in Europe and in America.
    for (const [month, day] of [
      [2, 29],
      [9, 25],
      [2, 8],
      [10, 1],
    ] as const) {
      expect(isQuiet(hours, new Date(2026, month, day, 0, 59))).toBe(false)
      expect(isQuiet(hours, new Date(2026, month, day, 1, 0))).toBe(true)
      expect(isQuiet(hours, new Date(2026, month, day, 3, 59))).toBe(true)
      expect(isQuiet(hours, new Date(2026, month, day, 4, 0))).toBe(false)
    }
    expect(isQuiet(null, at(3, 0))).toBe(false)
    expect(isQuiet({ from: '08:00', to: '08:00' }, at(8, 0))).toBe(false)
  })
})

describe('words', () => {
  const subject = {
    id: '12',
    endpoint: 'https://api.example.com/hook/0123456789abcdef',
    failedAttempts: 40,
    network: 'Mainnet',
    nameOf: (address: string) => `a${Number.parseInt(address.slice(2), 16)}`,
  }
  const found = {
    ...emptySurvey,
    failing: 312,
    firstFailing: [1, 2, 3].map((each) => account(each).account),
    lagging: 2,
    slowest: account(7, {
      lag: { transactions: 1000, more: true, milliseconds: 3 * 3600_000, readAt: 0 },
    }),
  }

  test('group the accounts of a webhook, and name network, webhook and way out', () => {
    expect(sayBad('failing', subject, found)).toEqual({
      level: 'warning',
      title: 'Deliveries to api.example.com fail for 312 accounts',
      detail:
        'Webhook 12 on Mainnet (api.example.com): deliveries for a1, a2, a3 and 309 ' +
        'more fail. The webhook’s Failures tab shows why.',
    })
    const { title, detail } = sayBad('lagging', subject, found)
    expect(title).toBe('Deliveries to api.example.com lag by 3 hours')
    expect(detail).toContain('more than 1000 transactions behind')
    expect(sayBad('offline', subject, found).detail).toContain('back online')
    expect(sayBad('suspended', subject, found).detail).toContain('balance')
  })

  test('never hold the path of an endpoint, which may be a secret', () => {
    const all = (['failing', 'offline', 'suspended', 'lagging'] as const).flatMap((matter) => [
      sayBad(matter, subject, found),
      sayWell(matter, subject),
    ])
    expect(JSON.stringify(all)).not.toContain('0123456789abcdef')
  })

  test('a span is told in the largest unit that it fills', () => {
    const spans = [1000, minute, 119 * minute, 120 * minute, 47 * 60 * minute, 48 * 60 * minute]
    expect(spans.map(spanOf)).toEqual([
      'less than a minute',
      '1 minute',
      '119 minutes',
      '2 hours',
      '47 hours',
      '2 days',
    ])
  })
})
