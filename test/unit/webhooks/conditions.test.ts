/** Tests the reported condition of a webhook: the counted accounts and the texts. */
import { describe, expect, test } from 'vitest'
import {
  addToSurvey,
  describeCondition,
  emptySurvey,
} from '../../../src-main/webhooks/conditions.ts'
import type { SubscribedAccount } from '../../../src-main/webhooks/store/subscriptions.ts'
import { describeSpan } from '../../../src-preload/domain/time-span.ts'

const minute = 60_000

function account(number: number, change: Partial<SubscribedAccount> = {}): SubscribedAccount {
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
  const lag = (milliseconds: number | null) => ({
    transactions: 3,
    more: false,
    milliseconds,
    readAt: 0,
  })

  test('failing accounts are counted across pages, with the first three and the highest counter', () => {
    const first = addToSurvey(
      emptySurvey,
      [account(1, { failedAttempts: 2 }), account(2, { isFailing: false, failedAttempts: 90 })],
      10 * minute,
    )
    const both = addToSurvey(
      first,
      [3, 4, 5].map((each) => account(each, { failedAttempts: each })),
      10 * minute,
    )
    expect(both).toMatchObject({ failing: 4, failuresInARow: 5, lagging: 0, slowest: null })
    expect(both.firstFailing.map((each) => each.account)).toEqual(
      [1, 3, 4].map((each) => account(each).account),
    )
  })

  test('accounts count as lagging only beyond the limit, with the slowest across pages', () => {
    const first = addToSurvey(
      emptySurvey,
      [
        account(1, { lag: lag(10 * minute) }),
        account(2, { lag: lag(20 * minute) }),
        account(3, { lag: lag(null) }),
      ],
      10 * minute,
    )
    const both = addToSurvey(first, [account(5, { lag: lag(11 * minute) })], 10 * minute)
    expect(both).toMatchObject({ lagging: 2, slowest: { account: account(2).account } })
  })
})

describe('the texts of a condition', () => {
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
    firstFailing: [1, 2, 3].map((each) => account(each)),
    lagging: 2,
    slowest: account(7, {
      lag: { transactions: 1000, more: true, milliseconds: 3 * 3600_000, readAt: 0 },
    }),
  }

  const why = {
    cause: 'The endpoint responds with 500.',
    steps: [{ text: 'Look into its log.', act: null }],
  }

  test('the texts of a condition combine its accounts and contain network, webhook, cause and next step', () => {
    expect(describeCondition('failing', subject, found, why)).toEqual({
      kind: 'failing',
      level: 'warning',
      title: 'Deliveries to api.example.com fail for 312 accounts',
      cause:
        'Webhook 12 on Mainnet: deliveries for a1, a2, a3 and 309 more fail. ' +
        'The endpoint responds with 500.',
      nextStep: 'Look into its log.',
      afterwards: 'The webhook’s Missed tab lists events that were not delivered.',
    })
    const { title, cause } = describeCondition('lagging', subject, found, null)
    expect(title).toBe('Deliveries to api.example.com lag by 3 hours')
    expect(cause).toContain('more than 1000 transactions behind')
    const offline = describeCondition('offline', subject, found, null)
    expect([offline.level, offline.nextStep]).toEqual([
      'alarm',
      'Fix the endpoint, then bring the webhook back online on its page.',
    ])
    expect(describeCondition('suspended', subject, found, null).cause).toContain('balance')
    // A webhook without accounts has only its own counter of failures.
    expect(describeCondition('failing', subject, emptySurvey, null).title).toBe(
      'Deliveries to api.example.com fail',
    )
  })

  test('the texts of a condition never contain the path of an endpoint, which may be secret', () => {
    const all = (['failing', 'offline', 'suspended', 'lagging'] as const).map((kind) =>
      describeCondition(kind, subject, found, why),
    )
    expect(JSON.stringify(all)).not.toContain('0123456789abcdef')
  })

  test('a duration is described in its largest complete unit', () => {
    const spans = [1000, minute, 119 * minute, 120 * minute, 47 * 60 * minute, 48 * 60 * minute]
    expect(spans.map(describeSpan)).toEqual([
      'less than a minute',
      '1 minute',
      '119 minutes',
      '2 hours',
      '47 hours',
      '2 days',
    ])
  })
})
