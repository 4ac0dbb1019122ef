/**
 * Tests the verdict on an event. A wrong verdict reports a missed event that was delivered, or
 * hides a missed event.
 */
import { expect, test } from 'vitest'
import {
  type Arrival,
  type Circumstances,
  attributeCapture,
  verdictOf,
  silenceMs,
} from '../../../src-main/webhooks/missed-events/verdict.ts'
import type { StoredArrival } from '../../../src-main/captures/store/arrivals.ts'

const minute = 60_000
const at = Date.UTC(2026, 10, 1, 12)
const event = { lt: 2n ** 53n + 1n, at }

const quiet: Circumstances = {
  now: at + 10 * minute,
  lateAfterMs: minute,
  isWorldTime: true,
  isOnline: true,
  counters: { lastDeliveredLt: event.lt + 1000n, failedLt: null, isFailing: false },
  since: null,
  keptFrom: null,
  earliestLater: null,
}
const failing = (failedLt: bigint) => ({
  counters: { lastDeliveredLt: event.lt - 5000n, failedLt, isFailing: true },
})
const behind = {
  counters: { lastDeliveredLt: event.lt - 1n, failedLt: null, isFailing: false },
}

let lastId = 0
function arrival(over: Partial<Arrival> = {}): Arrival {
  lastId += 1
  const base = { id: lastId, receivedAt: at + 2000, status: 200, isAuthentic: true }
  return { ...base, isOutOfOrder: false, ...over }
}

const say = (arrivals: readonly Arrival[], over: Partial<Circumstances> = {}) =>
  verdictOf(event, arrivals, { ...quiet, ...over })

test('an event that arrived once, in time and in order is delivered', () => {
  expect(say([arrival({ id: 7 })])).toEqual({
    verdict: 'delivered',
    also: [],
    gateway: 'delivered',
    delayMs: 2000,
    taken: 7,
  })
})

test.for([
  [
    'that did not arrive although the gateway reports it as delivered',
    [],
    {},
    'missing',
    'delivered',
  ],
  ['that failed at the gateway', [], failing(event.lt), 'missing', 'failed'],
  ['that waits behind a failing event', [], failing(event.lt - 10n), 'missing', 'behind'],
  [
    'before the failing event that is not delivered either',
    [],
    failing(event.lt + 10n),
    'missing',
    'unknown',
  ],
  ['of an offline webhook', [], { ...behind, isOnline: false }, 'missing', 'behind'],
  [
    'that is the last event delivered by the gateway',
    [],
    { counters: { ...quiet.counters, lastDeliveredLt: event.lt } },
    'missing',
    'delivered',
  ],
  ['that a response rule redirected', [arrival({ status: 302 })], {}, 'missing', 'delivered'],
  [
    'that was redirected and then accepted',
    [arrival({ status: 302 }), arrival()],
    {},
    'delivered',
    'delivered',
  ],
  [
    'that arrived exactly at the limit',
    [arrival({ receivedAt: at + minute })],
    {},
    'delivered',
    'delivered',
  ],
  ['that the gateway has not delivered yet', [], behind, 'waiting', 'behind'],
  [
    'that has been waiting for too long',
    [],
    { ...behind, now: at + silenceMs },
    'missing',
    'behind',
  ],
  [
    'that is too recent and failed',
    [],
    { ...failing(event.lt), now: at + 59_999 },
    'waiting',
    'failed',
  ],
  [
    'that failed at the gateway and is exactly as old as the limit',
    [],
    { ...failing(event.lt), now: at + minute },
    'missing',
    'failed',
  ],
  [
    'that the gateway is silent about for just less than an hour',
    [],
    { ...behind, now: at + silenceMs - 1 },
    'waiting',
    'behind',
  ],
  ['that the receiver refused', [arrival({ status: 503 })], {}, 'missing', 'delivered'],
  [
    'that arrived with a wrong bearer token only',
    [arrival({ isAuthentic: false })],
    {},
    'unauthenticated',
    'delivered',
  ],
  [
    'whose sender disconnected before the response',
    [arrival({ status: null })],
    {},
    'delivered',
    'delivered',
  ],
  [
    'that arrived after the limit',
    [arrival({ receivedAt: at + minute + 1 })],
    {},
    'late',
    'delivered',
  ],
  [
    'that arrived before its own time because a clock is slow',
    [arrival({ receivedAt: at - 900 })],
    {},
    'delivered',
    'delivered',
  ],
  ['that arrived twice', [arrival(), arrival()], {}, 'duplicate', 'delivered'],
  [
    'that was refused once and then accepted',
    [arrival({ status: 500 }), arrival()],
    {},
    'delivered',
    'delivered',
  ],
] as const)('the verdict is right for an event %s', ([, arrivals, over, verdict, gateway]) => {
  expect(say(arrivals, over)).toMatchObject({ verdict, gateway })
})

test('an event accepted after a later event of its account is out of order', () => {
  expect(say([arrival({ id: 20 })], { earliestLater: 19 })).toMatchObject({
    verdict: 'out-of-order',
  })
  expect(say([arrival({ id: 20 })], { earliestLater: 21 })).toMatchObject({ verdict: 'delivered' })
  expect(say([arrival({ isOutOfOrder: true })])).toMatchObject({ verdict: 'out-of-order' })
})

test('the delay is that of the first delivery that was taken, and never below zero', () => {
  const [refused, first, again] = [
    arrival({ status: 500, receivedAt: at + 1000 }),
    arrival({ receivedAt: at + 5000 }),
    arrival({ receivedAt: at + 9000 }),
  ]
  expect(say([refused, first, again])).toMatchObject({ delayMs: 5000, taken: first.id })
  expect(say([arrival({ receivedAt: at - 900 })])).toMatchObject({ delayMs: 0 })
})

test('a capture counts for the webhook unless its token is that of another webhook', () => {
  const stored = { id: 7, receivedAt: 1_999_999, status: 200, isOutOfOrder: false, lt: event.lt }
  const check = { network: 'shop', webhook: '12' }
  const isTokenOfAnother = (token: string | null) => token === 'other'
  const of = (token: StoredArrival['token'], tokenId: string | null) =>
    attributeCapture({ ...stored, token, tokenId }, check, isTokenOfAnother)
  expect(of('right', 'other')).toBeNull()
  // The time is stored in microseconds, and a partial millisecond does not count.
  expect(of('right', 'own')).toMatchObject({ id: 7, receivedAt: 1999, isAuthentic: true })
  expect(of('unchecked', null)?.isAuthentic).toBe(true)
  expect(of('wrong', null)?.isAuthentic).toBe(false)
  expect(of('missing', null)?.isAuthentic).toBe(false)
})

test('a verdict lists all findings, the worst first', () => {
  const arrivals = [
    arrival({ isAuthentic: false }),
    arrival({ isOutOfOrder: true, receivedAt: at + 2 * minute }),
    arrival(),
  ]
  expect(say(arrivals)).toMatchObject({
    verdict: 'late',
    also: ['out-of-order', 'duplicate', 'unauthenticated'],
  })
})

test('a transaction from before the subscription of its account is no event unless it arrived', () => {
  expect(say([], { since: at + minute })).toBeNull()
  // Block times are whole seconds, so the second of the subscription is undecided.
  expect(say([], { since: at + 400 })).toBeNull()
  expect(say([], { since: at - 1 })).toMatchObject({ verdict: 'missing' })
  expect(say([arrival()], { since: at + minute })).toMatchObject({ verdict: 'delivered' })
  expect(say([], { since: at + minute, ...failing(event.lt) })).toMatchObject({
    verdict: 'missing',
  })
})

test('an event whose delivery may have been deleted by the retention has no verdict', () => {
  expect(say([], { keptFrom: at + 1 })).toBeNull()
  expect(say([], { keptFrom: at })).toMatchObject({ verdict: 'missing' })
  expect(say([arrival()], { keptFrom: at + minute })).toMatchObject({ verdict: 'delivered' })
})

test('where blocks have a clock of their own, neither the delay nor the local time affects the verdict', () => {
  const own = { isWorldTime: false }
  const years = 1000 * 86_400_000
  expect(say([arrival({ receivedAt: at + years })], own)).toMatchObject({
    verdict: 'delivered',
    delayMs: null,
  })
  expect(say([], { ...own, since: at + years })).toMatchObject({ verdict: 'missing' })
})
