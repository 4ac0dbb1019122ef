/** What became of an event: a wrong word here says that something was missed which was not, or hides it. */
import { expect, test } from 'vitest'
import {
  type Arrival,
  type Circumstances,
  judge,
  silenceMs,
} from '../../src-main/webhooks/missed-events/verdict.ts'

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
  judge(event, arrivals, { ...quiet, ...over })

test('what came once, in time and in order, is delivered', () => {
  expect(say([arrival({ id: 7 })])).toEqual({
    verdict: 'delivered',
    also: [],
    gateway: 'delivered',
    delayMs: 2000,
    taken: 7,
  })
})

test.for([
  ['nothing came, though the gateway says so', [], {}, 'missing', 'delivered'],
  ['the gateway says that it failed', [], failing(event.lt), 'missing', 'failed'],
  ['it waits behind one that fails', [], failing(event.lt - 10n), 'missing', 'behind'],
  ['before what fails, yet not delivered', [], failing(event.lt + 10n), 'missing', 'unknown'],
  [
    'offline, the gateway does not even try',
    [],
    { ...behind, isOnline: false },
    'missing',
    'behind',
  ],
  [
    'the last event that the gateway delivered',
    [],
    { counters: { ...quiet.counters, lastDeliveredLt: event.lt } },
    'missing',
    'delivered',
  ],
  ['redirected by a response rule', [arrival({ status: 302 })], {}, 'missing', 'delivered'],
  ['redirected, then taken', [arrival({ status: 302 }), arrival()], {}, 'delivered', 'delivered'],
  ['exactly at the limit', [arrival({ receivedAt: at + minute })], {}, 'delivered', 'delivered'],
  ['the gateway has yet to deliver it', [], behind, 'waiting', 'behind'],
  ['a silence that long is a loss', [], { ...behind, now: at + silenceMs }, 'missing', 'behind'],
  [
    'too young, even where it failed',
    [],
    { ...failing(event.lt), now: at + 59_999 },
    'waiting',
    'failed',
  ],
  ['refused here', [arrival({ status: 503 })], {}, 'missing', 'delivered'],
  [
    'with a wrong bearer only',
    [arrival({ isAuthentic: false })],
    {},
    'unauthenticated',
    'delivered',
  ],
  ['its sender gone before the answer', [arrival({ status: null })], {}, 'delivered', 'delivered'],
  ['later than allowed', [arrival({ receivedAt: at + minute + 1 })], {}, 'late', 'delivered'],
  [
    'by a clock that runs behind',
    [arrival({ receivedAt: at - 900 })],
    {},
    'delivered',
    'delivered',
  ],
  ['twice', [arrival(), arrival()], {}, 'duplicate', 'delivered'],
  ['refused once, then taken', [arrival({ status: 500 }), arrival()], {}, 'delivered', 'delivered'],
] as const)('%s', ([, arrivals, over, verdict, gateway]) => {
  expect(say(arrivals, over)).toMatchObject({ verdict, gateway })
})

test('an event taken after a later one of its account is out of order', () => {
  expect(say([arrival({ id: 20 })], { earliestLater: 19 })).toMatchObject({
    verdict: 'out-of-order',
  })
  expect(say([arrival({ id: 20 })], { earliestLater: 21 })).toMatchObject({ verdict: 'delivered' })
  expect(say([arrival({ isOutOfOrder: true })])).toMatchObject({ verdict: 'out-of-order' })
})

test('all that applies is told, the worst of it first', () => {
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

test('a transaction from before the account was subscribed is no event, unless it arrived', () => {
  expect(say([], { since: at + minute })).toBeNull()
  // Blocks have whole seconds: of the one in which it was subscribed nobody can tell.
  expect(say([], { since: at + 400 })).toBeNull()
  expect(say([], { since: at - 1 })).toMatchObject({ verdict: 'missing' })
  expect(say([arrival()], { since: at + minute })).toMatchObject({ verdict: 'delivered' })
  expect(say([], { since: at + minute, ...failing(event.lt) })).toMatchObject({
    verdict: 'missing',
  })
})

test('of an event whose delivery may have been cleared away nothing is said', () => {
  expect(say([], { keptFrom: at + 1 })).toBeNull()
  expect(say([], { keptFrom: at })).toMatchObject({ verdict: 'missing' })
  expect(say([arrival()], { keptFrom: at + minute })).toMatchObject({ verdict: 'delivered' })
})

test('where blocks have a clock of their own, neither delay nor moments of this computer count', () => {
  const own = { isWorldTime: false }
  const years = 1000 * 86_400_000
  expect(say([arrival({ receivedAt: at + years })], own)).toMatchObject({
    verdict: 'delivered',
    delayMs: null,
  })
  expect(say([], { ...own, since: at + years })).toMatchObject({ verdict: 'missing' })
})
