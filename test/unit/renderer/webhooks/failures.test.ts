import { describe, expect, it } from 'vitest'
import type { HistoryStep } from '../../../../src-preload/contract/failure.ts'
import type { LedgerEvent, MissedCheck } from '../../../../src-preload/contract/ledger.ts'
import { placeOf } from '../../../../src-renderer/app/notices.ts'
import {
  capturesOf,
  drawCauses,
} from '../../../../src-renderer/features/webhooks/deliveries/causes.ts'
import {
  boundsOf,
  pointsOf,
  rangeHolding,
  ranges,
  describeStep,
  describeTransactions,
  statusSpans,
} from '../../../../src-renderer/features/webhooks/failures/history.tsx'
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
import { parseRoute, printRoute } from '../../../../src-renderer/app/route.ts'
import { historyRanges, webhookRoute } from '../../../../src-renderer/app/webhooks-route.ts'

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

describe('history of failures', () => {
  it('keeps what no source told apart from zero', () => {
    const [known, unknown] = pointsOf([step(1, { failing: 0 }), step(2, {})])
    expect(known?.values).toMatchObject({ failing: 0, lag: null })
    expect(unknown?.values).toMatchObject({ failing: null })
  })

  it('joins steps of one status, and a gap is no status', () => {
    const steps = [
      step(0, { status: 'online' }),
      step(10, { status: 'online' }),
      step(20, {}),
      step(30, { status: 'offline' }),
      step(40, { status: 'online' }),
    ]
    expect(statusSpans(steps, 10)).toEqual([
      { status: 'online', from: 0, to: 20 },
      { status: null, from: 20, to: 30 },
      { status: 'offline', from: 30, to: 40 },
      { status: 'online', from: 40, to: 50 },
    ])
  })

  it('is drawn over every range an address may name, from no more steps than the route gives', () => {
    expect(ranges.map(({ name }) => name)).toEqual([...historyRanges])
    const now = Date.UTC(2026, 10, 20, 14, 32, 7)
    for (const { name, step, span } of ranges) {
      const { from, to, steps } = boundsOf(name, now)
      expect(from % step).toBe(0)
      expect(to).toBe(now)
      expect(to - from).toBeLessThanOrEqual(span)
      expect(steps * step).toBeGreaterThanOrEqual(to - from)
      expect(steps).toBeLessThanOrEqual(400)
    }
  })

  it('begins with the smallest range that holds a young history, and with a day of an old one', () => {
    const now = Date.UTC(2026, 10, 20)
    const hours = [0.3, 1, 5, 23, 25, 2000]
    const chosen = hours.map((each) => rangeHolding(now - each * 3_600_000, now))
    expect(chosen).toEqual(['1h', '1h', '6h', '24h', '24h', '24h'])
  })

  it('keeps its range and its account in the address', () => {
    const account = `0:${'ab'.repeat(32)}`
    const route = webhookRoute(
      { id: '9223372036854775807', network: 'testnet' },
      'failures',
      account,
      '90d',
    )
    expect(parseRoute(printRoute(route))).toEqual(route)
    expect(parseRoute('#/webhooks/1/failures?range=2y')).toMatchObject({ range: '24h' })
  })

  it('says where counting stopped', () => {
    const lag = { milliseconds: 1, more: true, readAt: 0 }
    expect(describeTransactions({ ...lag, transactions: 100 })).toBe('100 transactions or more')
    expect(describeTransactions({ ...lag, more: false, transactions: 1 })).toBe('1 transaction')
    expect(describeTransactions({ ...lag, transactions: null })).toBe('')
  })
})

describe('the unit of a chart', () => {
  it('is the length of the steps that came, not of those that were asked for', () => {
    expect(
      [60_000, 600_000, 3_600_000, 21_600_000, 86_400_000, 172_800_000].map(describeStep),
    ).toEqual(['per minute', 'per 10 min', 'per hour', 'per 6 h', 'per day', 'per 2 d'])
  })
})

describe('a notice of a webhook', () => {
  it('leads to its missed events, on its own network', () => {
    expect(placeOf({ id: 'webhook.custom-0a1b2c3d.9223372036854775807.missed' })?.href).toBe(
      '#/webhooks/9223372036854775807/missed?network=custom-0a1b2c3d',
    )
  })

  it.each([
    'disk',
    'webhook',
    'webhook.sandbox',
    'webhook.elsewhere.1.missed',
    'xwebhook.sandbox.1.missed',
  ])('is not what %s is', (id) => {
    expect(placeOf({ id })).toBeNull()
  })
})

describe('what is left to rebuild', () => {
  const event = (rebuilt: number | null) => ({ rebuilt }) as LedgerEvent

  it('is what was not rebuilt, where all of it is known', () => {
    expect(leftToRebuild({ total: 3, events: [event(7), event(null), event(9)] })).toBe(1)
    expect(leftToRebuild({ total: 2, events: [event(7), event(9)] })).toBe(0)
    expect(leftToRebuild({ total: 501, events: [event(7), event(9)] })).toBeNull()
  })
})

describe('the time a check looks at', () => {
  const now = new Date(2026, 10, 20, 14, 32).getTime()
  const free = (from: string, to: string) => parsePeriod({ name: 'free', from, to }, now)

  it('reads local times as they are typed and writes them back', () => {
    const at = parseLocal('2026-11-20T13:05')
    expect(at).toBe(new Date(2026, 10, 20, 13, 5).getTime())
    expect(formatLocal((at ?? 0) * 1000, 'minute')).toBe('2026-11-20T13:05')
    for (const text of ['', '2026-11-20', '2026-13-40T10:00', 'yesterday', '2026-11-20T13:05Z']) {
      expect(parseLocal(text)).toBeNull()
    }
  })

  it('ends now when no end is given, and refuses what cannot be', () => {
    expect(free('2026-11-20T13:00', '')).toEqual({ from: now - 92 * 60_000, to: null })
    expect(free('', '')).toMatch(/Enter a start/)
    expect(free('2026-11-20T13:00', '2026-11-20T12:00')).toMatch(/before the start/)
    expect(free('2027-01-01T00:00', '')).toMatch(/future/)
    expect(parsePeriod({ name: '24h', from: 'x', to: 'y' }, now)).toEqual({
      from: now - 86_400_000,
      to: null,
    })
  })

  it('takes a lateness that the route takes, and says so of others', () => {
    expect(parseLateness('1 min')).toBe(60_000)
    for (const text of ['', 'soon', '0', '500 ms', '2 d'])
      expect(parseLateness(text)).toEqual(expect.any(String))
  })
})

describe('what a check found', () => {
  const counts: MissedCheck['counts'] = {
    delivered: 5,
    missing: 2,
    late: 1,
    duplicate: 0,
    'out-of-order': 0,
    unauthenticated: 0,
    waiting: 0,
  }

  it('says first what is wrong, and never that all is well beside it', () => {
    expect(describeCounts({ counts, events: 8 })).toBe('8 events: 2 missing, 1 late')
    expect(describeCounts({ counts: { ...counts, missing: 0, late: 0 }, events: 5 })).toBe(
      'Nothing missed: 5 of 5 events delivered',
    )
    expect(
      describeCounts({ counts: { ...counts, missing: 0, late: 0, delivered: 0 }, events: 0 }),
    ).toBe('no events')
  })

  it('draws only what occurs, each in a colour of its own', () => {
    const series = verdictSeries({ ...counts, waiting: 3, unauthenticated: 1, duplicate: 1 })
    expect(series.map(({ key }) => key)).not.toContain('out-of-order')
    expect(new Set(series.map(({ colour }) => colour)).size).toBe(series.length)
  })
})

it('the most frequent errors have a series each, and the rest share one, so that no failure is left out', () => {
  const counts = { '500': 9, '401': 7, 'timed-out': 5, refused: 3, '503': 2, tls: 1 }
  const { points, series } = drawCauses([{ startsAt: 1000, counts }])
  expect(series.map(({ name }) => name)).toEqual([
    'HTTP 500',
    'HTTP 401',
    'timed out',
    'connection refused',
    'other errors',
  ])
  expect(points[0]?.values['others']).toBe(3)
})

// Catches a bar that leads to captures of another step or status: the range of a query includes its end.
it('a bar of the failures leads to the captures of its webhook, status and step', () => {
  const webhook = { network: 'sandbox', id: '12' }
  const from = Date.UTC(2026, 10, 23, 10) * 1000
  const span = { from, to: from + 600e6 }
  const of = 'network:sandbox webhook:12 origin:received'
  const time = 'received:2026-11-23T10:00Z..2026-11-23T10:09Z'
  expect(capturesOf(webhook, { cause: '500', span })).toBe(`${of} status:500 ${time}`)
  expect(capturesOf(webhook, { cause: 'no-response', span })).toBe(`${of} status:none ${time}`)
})

it('the headline of missed events claims no more than was checked', () => {
  const at = new Date('2026-11-23T10:00').getTime()
  const counts = {
    ...{ delivered: 1670, late: 6, duplicate: 0, 'out-of-order': 0, unauthenticated: 0 },
    ...{ missing: 0, waiting: 2 },
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
