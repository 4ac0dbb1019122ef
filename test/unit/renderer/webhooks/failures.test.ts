import { describe, expect, it, vi } from 'vitest'
import type { HistoryStep } from '../../../../src-preload/contract/failure.ts'
import type { MissedEvent, MissedCheck } from '../../../../src-preload/contract/missed-events.ts'
import { linkOfNotice } from '../../../../src-renderer/app/notices.ts'
import { capturesOf } from '../../../../src-renderer/features/webhooks/deliveries/attempts.tsx'
import {
  boundsOf,
  pointsOf,
  rangeHolding,
  rangeChoices,
  describeStep,
  describeTransactions,
} from '../../../../src-renderer/features/webhooks/deliveries/history.tsx'
import { describeFailing } from '../../../../src-renderer/features/webhooks/deliveries/health.ts'
import { leftToRebuild } from '../../../../src-renderer/components/missed-events.ts'
import { describeMissed } from '../../../../src-renderer/features/webhooks/missed/headline.tsx'
import {
  describeCounts,
  verdictSeries,
  parseLateness,
  parseLocal,
  parsePeriod,
} from '../../../../src-renderer/features/webhooks/missed/checks.ts'
import { formatLocal } from '../../../../src-renderer/ui/format.ts'
import { parseRoute, routeHref } from '../../../../src-renderer/app/route.ts'
import { historyRanges, webhookRoute } from '../../../../src-renderer/app/webhooks-route.ts'

// The address form is read from the storage while modules load.
vi.hoisted(() => vi.stubGlobal('window', { localStorage: { getItem: () => null } }))

const step = (startsAt: number, part: Partial<HistoryStep>): HistoryStep => ({
  startsAt,
  failedAttempts: null,
  failing: null,
  delivered: null,
  failed: null,
  received: 0,
  refused: 0,
  status: null,
  lag: null,
  ...part,
})

describe('the history of failures', () => {
  it('an unknown value in the history of failures is not shown as zero', () => {
    const [known, unknown] = pointsOf([step(1, { failing: 0 }), step(2, {})])
    expect(known?.values).toMatchObject({ failing: 0, lag: null })
    expect(unknown?.values).toMatchObject({ failing: null })
  })

  it('each range of the history is divided into at most 400 intervals', () => {
    expect(rangeChoices.map(({ name }) => name)).toEqual([...historyRanges])
    const now = Date.UTC(2026, 10, 20, 14, 32, 7)
    for (const { name, step, span } of rangeChoices) {
      const { from, to, steps } = boundsOf(name, now)
      expect(from % step).toBe(0)
      expect(to).toBe(now)
      expect(to - from).toBeLessThanOrEqual(span)
      expect(steps * step).toBeGreaterThanOrEqual(to - from)
      expect(steps).toBeLessThanOrEqual(400)
    }
  })

  it('the initial range is the smallest range that contains a young history, and a day for an older history', () => {
    const now = Date.UTC(2026, 10, 20)
    const hours = [0.1, 0.3, 1, 5, 23, 25, 2000]
    const chosen = hours.map((each) => rangeHolding(now - each * 3_600_000, now))
    expect(chosen).toEqual(['15m', '1h', '1h', '6h', '24h', '24h', '24h'])
  })

  it("the range and the account are part of the page's address", () => {
    const account = `0:${'ab'.repeat(32)}`
    const route = webhookRoute(
      { id: '9223372036854775807', network: 'testnet' },
      'deliveries',
      account,
      '90d',
    )
    expect(parseRoute(routeHref(route))).toEqual(route)
    expect(parseRoute('#/webhooks/1/deliveries?range=2y')).toMatchObject({ range: '24h' })
  })

  it('links to the failures of earlier versions lead to the deliveries', () => {
    const account = `0:${'ab'.repeat(32)}`
    const route = webhookRoute({ id: '7', network: 'testnet' }, 'deliveries', account, '7d')
    const formerHref = routeHref(route).replace('deliveries', 'failures')
    expect(parseRoute(formerHref)).toEqual(route)
  })

  it('an incomplete count of transactions is described as a minimum', () => {
    const lag = { milliseconds: 1, more: true, readAt: 0 }
    expect(describeTransactions({ ...lag, transactions: 100 })).toBe('100 transactions or more')
    expect(describeTransactions({ ...lag, more: false, transactions: 1 })).toBe('1 transaction')
    expect(describeTransactions({ ...lag, transactions: null })).toBe('')
  })
})

describe('the unit of a chart', () => {
  it('the unit of a chart is the length of its intervals', () => {
    expect(
      [60_000, 600_000, 3_600_000, 21_600_000, 86_400_000, 172_800_000].map(describeStep),
    ).toEqual(['per minute', 'per 10 min', 'per hour', 'per 6 h', 'per day', 'per 2 d'])
  })
})

describe('a notice about missed events', () => {
  it('a notice about missed events links to them on its own network', () => {
    expect(linkOfNotice({ id: 'webhook.custom-0a1b2c3d.9223372036854775807.missed' })?.href).toBe(
      '#/webhooks/9223372036854775807/missed?network=custom-0a1b2c3d',
    )
  })

  it.each([
    'disk',
    'webhook',
    'webhook.sandbox',
    'webhook.elsewhere.1.missed',
    'xwebhook.sandbox.1.missed',
  ])('the notice id %s has no link to missed events', (id) => {
    expect(linkOfNotice({ id })).toBeNull()
  })
})

describe('the events that remain to be rebuilt', () => {
  const event = (rebuilt: number | null) => ({ rebuilt }) as MissedEvent

  it('the number of events to rebuild counts events without a rebuild, if all events are loaded', () => {
    expect(leftToRebuild({ total: 3, events: [event(7), event(null), event(9)] })).toBe(1)
    expect(leftToRebuild({ total: 2, events: [event(7), event(9)] })).toBe(0)
    expect(leftToRebuild({ total: 501, events: [event(7), event(9)] })).toBeNull()
  })
})

describe('the period of a missed-event check', () => {
  const now = new Date(2026, 10, 20, 14, 32).getTime()
  const free = (from: string, to: string) => parsePeriod({ name: 'free', from, to }, now)

  it('a local time is parsed as entered and formatted back', () => {
    const at = parseLocal('2026-11-20T13:05')
    expect(at).toBe(new Date(2026, 10, 20, 13, 5).getTime())
    expect(formatLocal((at ?? 0) * 1000, 'minute')).toBe('2026-11-20T13:05')
    for (const text of [
      '',
      '2026-11-20',
      '2026-13-40T10:00',
      '2026-02-30T10:00',
      'yesterday',
      '2026-11-20T13:05Z',
    ]) {
      expect(parseLocal(text)).toBeNull()
    }
  })

  it('a period without an end ends at the present, and an impossible period is refused', () => {
    expect(free('2026-11-20T13:00', '')).toEqual({ from: now - 92 * 60_000, to: null })
    expect(free('', '')).toMatch(/Enter a start/)
    expect(free('2026-11-20T13:00', '2026-11-20T12:00')).toMatch(/before the start/)
    expect(free('2027-01-01T00:00', '')).toMatch(/future/)
    expect(parsePeriod({ name: '24h', from: 'x', to: 'y' }, now)).toEqual({
      from: now - 86_400_000,
      to: null,
    })
  })

  it('a time limit for late events is accepted within the limits of the route, and refused otherwise', () => {
    expect(parseLateness('1 min')).toBe(60_000)
    for (const text of ['', 'soon', '0', '500 ms', '2 d'])
      expect(parseLateness(text)).toEqual(expect.any(String))
  })
})

describe('the result of a missed-event check', () => {
  const counts: MissedCheck['counts'] = {
    delivered: 5,
    missing: 2,
    late: 1,
    duplicate: 0,
    'out-of-order': 0,
    unauthenticated: 0,
    waiting: 0,
  }

  it('the result lists problems first, and reports nothing missed only without problems', () => {
    expect(describeCounts({ counts, events: 8 })).toBe('8 events: 2 missing, 1 late')
    expect(describeCounts({ counts: { ...counts, missing: 0, late: 0 }, events: 5 })).toBe(
      'Nothing missed: 5 of 5 events delivered',
    )
    expect(
      describeCounts({ counts: { ...counts, missing: 0, late: 0, delivered: 0 }, events: 0 }),
    ).toBe('no events')
  })

  it('the chart of the result contains only occurring verdicts, each in a colour of its own', () => {
    const series = verdictSeries({ ...counts, waiting: 3, unauthenticated: 1, duplicate: 1 })
    expect(series.map(({ key }) => key)).not.toContain('out-of-order')
    expect(new Set(series.map(({ colour }) => colour)).size).toBe(series.length)
  })
})

it('a line of errors links to the captures of its webhook, status and account', () => {
  const webhook = { network: 'sandbox', id: '12' }
  const of = 'network:sandbox webhook:12 origin:received'
  const account = `0:${'1a'.repeat(32)}`
  expect(capturesOf(webhook, { cause: '500', account })).toBe(`${of} status:500 account:${account}`)
  expect(capturesOf(webhook, { cause: 'no-response' })).toBe(`${of} status:none`)
})

it('the headline of missed events covers only checked events', () => {
  const at = new Date('2026-11-23T10:00').getTime()
  const counts = {
    delivered: 1670,
    late: 6,
    duplicate: 0,
    'out-of-order': 0,
    unauthenticated: 0,
    missing: 0,
    waiting: 2,
  }
  const found = { from: at - 3_600_000, to: at, events: 1678, unread: 0, counts }
  const words = (part: Partial<typeof found>) =>
    describeMissed({ ...found, ...part }, (at + 60_000) * 1000).replaceAll('\u202f', ' ')
  expect(words({})).toMatch(/^Nothing missed: 1 676 of 1 676 events from .* to .* arrived\.$/)
  expect(words({ counts: { ...counts, missing: 3 } })).toMatch(
    /^3 events missed: 1 673 of 1 676 events from .* arrived\.$/,
  )
  expect(words({ unread: 1 })).toMatch(/^No missed event found: .* 1 account could not be loaded/)
  expect(words({ events: 2 })).toMatch(/^Nothing missed: no events from /)
})

describe('the sentence about failing deliveries', () => {
  const at = new Date('2026-11-23T01:32').getTime()
  const webhook = { endpoint: 'http://127.0.0.1:5346/ton/hook', accounts: 5 }
  const outage = (account: string | null, failedAttempts: number, from = at) =>
    ({ account, failedAttempts, from, to: null }) as never
  const error = (text: string) => ({ at, text, capture: null })
  const describeNow = (
    outages: readonly never[],
    {
      text = '500 Internal Server Error',
      failing = outages.length,
      accounts = 5,
    }: { text?: string | null; failing?: number; accounts?: number } = {},
  ) =>
    describeFailing(
      { ...webhook, accounts },
      { current: [...outages], failing, began: outages.length === 0 ? null : at },
      text === null ? null : error(text),
      (at + 60_000) * 1000,
    )

  it('names the error, the host with its port, the attempts and their beginning', () => {
    const outages = [outage(null, 90), outage('0:a', 40), outage('0:b', 4)]
    expect(describeNow(outages, { failing: 2, accounts: 2 })).toBe(
      '500 Internal Server Error from 127.0.0.1:5346, all 44 attempts since 01:32:00',
    )
    expect(describeNow([outage('0:a', 1)], { text: 'Connection refused', accounts: 1 })).toBe(
      'Connection refused at 127.0.0.1:5346, all 1 attempt since 01:32:00',
    )
  })

  it('says all only of attempts that certainly all failed, and of which accounts they are', () => {
    const later = [outage('0:a', 40), outage('0:b', 4, at + 1000)]
    expect(describeNow(later)).toContain(', 44 failed attempts for 2 of 5 accounts since')
    expect(describeNow([outage('0:a', 44)], { failing: 3 })).toContain(
      'at least 44 failed attempts for 3 of 5 accounts',
    )
  })

  it('names no error that is not in the log, and is empty while nothing fails', () => {
    expect(describeNow([outage(null, 7)], { text: null, failing: 0, accounts: 0 })).toBe(
      'Deliveries to 127.0.0.1:5346 fail, all 7 attempts since 01:32:00',
    )
    expect(describeNow([])).toBeNull()
  })
})
