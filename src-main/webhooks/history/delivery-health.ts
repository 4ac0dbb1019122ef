/**
 * How well deliveries arrive, for each webhook over the last 24 hours: attempts, failures, and the delay
 * from the block of the transaction to its accepted delivery.
 *
 * A million captures in a day are read once in slices, which are summed up in buckets of ten minutes;
 * later requests read only the newest bucket and those whose captures have changed since.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { WebhookHealth } from '../../../src-preload/contract/webhook.ts'
import type { AppContext } from '../../app/context.ts'
import type { Deliveries, DeliveryAttempt } from '../../captures/store/deliveries.ts'
import type { Room } from '../room.ts'

const minuteMs = 60_000
const bucketMs = 10 * minuteMs
const hourMs = 60 * minuteMs
const hours = 24
/** Later captures of a bucket are rare: ids are assigned at the end of a request. */
const settledMs = 5 * minuteMs
/** The gateway logs an attempt after it has ended, so an entry this soon after a failed capture is about that capture. */
const sameAttemptMs = 15_000
/** Blocks further ahead of this computer's clock come from a chain with its own clock. */
const skewMs = minuteMs

/** Deliveries of one webhook's token. */
type Tally = {
  accepted: number
  failed: number
  /** Number of accepted deliveries by their delay. */
  readonly delays: Map<number, number>
  last: Pick<DeliveryAttempt, 'id' | 'at' | 'status'> | null
}
type Bucket = {
  readonly tallies: Map<string, Tally>
  /** Lowest and highest id of its captures. */
  first: number
  last: number
}

const emptyTally = (): Tally => ({ accepted: 0, failed: 0, delays: new Map(), last: null })

/** Rounds to three digits, so that a day has at most some thousand different delays. */
export function roundDelay(ms: number): number {
  const size = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, ms))) - 2)
  return Math.round(ms / size) * size
}

/** Nearest rank: the smallest delay that at least this share of the deliveries does not exceed. */
export function percentile(delays: ReadonlyMap<number, number>, share: number): number | null {
  const total = [...delays.values()].reduce((sum, count) => sum + count, 0)
  let left = Math.max(1, Math.ceil(total * share))
  for (const [delay, count] of [...delays].sort(([a], [b]) => a - b)) {
    left -= count
    if (left <= 0) return delay
  }
  return null
}

/** Adds an attempt. Only 200 acknowledges a delivery. */
export function addAttempt(tally: Tally, { id, at, status, blockAt }: DeliveryAttempt): void {
  if (status !== 200) {
    tally.failed += 1
    if (tally.last === null || at >= tally.last.at) tally.last = { id, at, status }
    return
  }
  tally.accepted += 1
  if (blockAt === null || at < blockAt - skewMs) return
  const delay = roundDelay(Math.max(0, at - blockAt))
  tally.delays.set(delay, (tally.delays.get(delay) ?? 0) + 1)
}

function addTally(sum: Tally, { accepted, failed, delays, last }: Tally): void {
  sum.accepted += accepted
  sum.failed += failed
  for (const [delay, count] of delays) sum.delays.set(delay, (sum.delays.get(delay) ?? 0) + count)
  if (last !== null && (sum.last === null || last.at >= sum.last.at)) sum.last = last
}

export function createDeliveryHealth(
  room: Room<'access' | 'book' | 'chainNow' | 'now' | 'store'> & {
    readonly deliveries: Deliveries
    readonly events: Pick<AppContext['events'], 'on'>
  },
) {
  const { access, book, deliveries, now, store } = room
  const kept = new Map<number, Bucket>()
  let counting: Promise<ReadonlyMap<number, Bucket>> | null = null
  let countedAt = 0

  // Explanations arrive after their captures, and captures are deleted. A bucket that is being read goes too.
  room.events.on('capture.changed', ({ ids }) => {
    for (const [start, { first, last }] of kept) {
      if (ids === null || ids.some((id) => id >= first && id <= last)) kept.delete(start)
    }
  })

  async function read(from: number, to: number, into: Map<number, Bucket>): Promise<void> {
    const ids = deliveries.range(from, to)
    for (let next = ids?.first ?? null; ids !== null && next !== null;) {
      const slice = deliveries.slice(next, ids.last)
      for (const attempt of slice.attempts) {
        const { at, id, tokenId } = attempt
        const bucket = at < from || at >= to ? undefined : into.get(at - (at % bucketMs))
        if (bucket === undefined) continue
        bucket.first = Math.min(bucket.first, id)
        bucket.last = Math.max(bucket.last, id)
        const tally = bucket.tallies.get(tokenId) ?? emptyTally()
        bucket.tallies.set(tokenId, tally)
        addAttempt(tally, attempt)
      }
      next = slice.next
      await yieldToEventLoop()
    }
  }

  async function count(from: number, to: number): Promise<ReadonlyMap<number, Bucket>> {
    // After the clock was set back, kept buckets may be of the future.
    if (now() < countedAt) kept.clear()
    countedAt = now()
    for (const start of kept.keys()) if (start < from) kept.delete(start)
    const found = new Map(kept)
    for (let start = from; start < to; start += bucketMs) {
      if (found.has(start)) continue
      let end = start
      for (; end < to && !found.has(end); end += bucketMs) {
        const bucket = { tallies: new Map(), first: Infinity, last: -1 }
        found.set(end, bucket)
        if (end + bucketMs < now() - settledMs) kept.set(end, bucket)
      }
      try {
        await read(start, end, found)
      } catch (error) {
        kept.clear()
        throw error
      }
    }
    return found
  }

  /** False where the blocks of the chain have another clock, such as a sandbox that was advanced. */
  async function isSameClock(network: NetworkId): Promise<boolean> {
    if (access.info(network).kind !== 'sandbox') return true
    const chain = await room.chainNow(network).catch(() => now())
    return Math.abs(chain - now()) <= skewMs
  }

  function lastErrorOf(key: number, last: Tally['last']): WebhookHealth['lastError'] {
    const [logged] = store.samplerRecords.logs(key, 0, now(), 1)
    if (logged !== undefined && (last === null || logged.at > last.at + sameAttemptMs)) {
      return { at: logged.at, text: logged.message, capture: null }
    }
    if (last === null) return null
    const text = last.status === null ? 'No response' : `HTTP ${last.status}`
    return { at: last.at, text, capture: last.id }
  }

  return {
    async 'webhook.health'({ network }) {
      const thisHour = now() - (now() % hourMs)
      const [from, to] = [thisHour - (hours - 1) * hourMs, thisHour + hourMs]
      const shared = counting ?? count(from, to)
      counting = shared
      const buckets = await shared.finally(() => {
        if (counting === shared) counting = null
      })
      const hasDelays = await isSameClock(network)
      const isHere = new Map(book.known(network).map((webhook) => [webhook.id, webhook.isHere]))
      const webhooks = store.webhooks.list(network).map(({ key, id, tokenId }): WebhookHealth => {
        const all = emptyTally()
        const refused = Array<number>(hours).fill(0)
        for (const [start, { tallies }] of buckets) {
          const tally = tokenId === null ? undefined : tallies.get(tokenId)
          const hour = Math.floor((start - from) / hourMs)
          if (tally === undefined || hour < 0 || hour >= hours) continue
          refused[hour] = (refused[hour] ?? 0) + tally.failed
          addTally(all, tally)
        }
        const steps = { from: from / minuteMs, width: hourMs / minuteMs, count: hours }
        const reported = Array<number>(hours).fill(0)
        for (const { step, failedAttempts } of store.failureHistory.ofWebhooks([key], steps)) {
          reported[step] = failedAttempts
        }
        const reportedInAll = reported.reduce((sum, each) => sum + each, 0)
        const arrivesHere = isHere.get(id) === true || all.accepted + all.failed > 0
        const measured = [...all.delays.values()].reduce((sum, each) => sum + each, 0)
        const p50 = hasDelays ? percentile(all.delays, 0.5) : null
        const p95 = hasDelays ? percentile(all.delays, 0.95) : null
        return {
          webhook: id,
          accepted: tokenId !== null && arrivesHere ? all.accepted : null,
          failed: Math.max(all.failed, reportedInAll),
          delay: p50 === null || p95 === null ? null : { deliveries: measured, p50, p95 },
          lastError: lastErrorOf(key, all.last),
          // The gateway's counters are read later than the failures happen, so they add only failures that
          // did not arrive.
          failures: refused.map((each, hour) =>
            reportedInAll > all.failed ? Math.max(each, reported[hour] ?? 0) : each,
          ),
        }
      })
      return { from, to: now(), webhooks }
    },
  } satisfies Partial<Handlers>
}
