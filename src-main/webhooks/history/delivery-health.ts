/**
 * Measures how well deliveries arrive, for each webhook over the last 24 hours: attempts, failures,
 * and the delay from the block of the transaction to its accepted delivery.
 *
 * A million captures in a day are read once in slices, which are summed up in buckets of ten
 * minutes; later requests read only the newest bucket and those whose captures have changed since.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { DeliveryErrors } from '../../../src-preload/contract/failure.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { WebhookHealth } from '../../../src-preload/contract/webhook.ts'
import type { AppContext } from '../../app/context.ts'
import type { Deliveries, DeliveryAttempt } from '../../captures/store/deliveries.ts'
import { withLabels } from '../base-room.ts'
import { nameFailure, readLoggedFailure } from '../explain/causes.ts'
import type { Room } from '../room.ts'

const minuteMs = 60_000
const bucketMs = 10 * minuteMs
const hourMs = 60 * minuteMs
const hours = 24
/** After this time, captures rarely get into a bucket: ids are assigned at the end of a request. */
const settledMs = 5 * minuteMs
/** The gateway logs an attempt after it has ended, so an entry this soon after a failed capture is about that capture. */
const sameAttemptMs = 15_000
/** Blocks further ahead of this computer's clock come from a chain with its own clock. */
const skewMs = minuteMs

/** The deliveries of one webhook's token. */
type Tally = {
  accepted: number
  failed: number
  /** Number of accepted deliveries by their delay. */
  readonly delays: Map<number, number>
  last: Pick<DeliveryAttempt, 'id' | 'at' | 'status'> | null
}
type Bucket = {
  readonly tallies: Map<string, Tally>
  /** The lowest and the highest id of the captures. */
  first: number
  last: number
}

const sum = (counts: Iterable<number>) =>
  Iterator.from(counts).reduce((total, count) => total + count, 0)

const emptyTally = (): Tally => ({ accepted: 0, failed: 0, delays: new Map(), last: null })

/** Rounds to three digits, so that a day has at most some thousand different delays. */
export function roundDelay(ms: number): number {
  const size = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, ms))) - 2)
  return Math.round(ms / size) * size
}

/** The nearest rank: the smallest delay that at least this share of the deliveries does not exceed. */
export function delayPercentile(delays: ReadonlyMap<number, number>, share: number): number | null {
  let left = Math.max(1, Math.ceil(sum(delays.values()) * share))
  for (const [delay, count] of [...delays].sort(([a], [b]) => a - b)) {
    left -= count
    if (left <= 0) return delay
  }
  return null
}

/** Adds an attempt. Only the status 200 acknowledges a delivery. */
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

function addTally(all: Tally, { accepted, failed, delays, last }: Tally): void {
  all.accepted += accepted
  all.failed += failed
  for (const [delay, count] of delays) all.delays.set(delay, (all.delays.get(delay) ?? 0) + count)
  if (last !== null && (all.last === null || last.at >= all.last.at)) all.last = last
}

/** Sums up attempts of the last hours in buckets of ten minutes, by the start of the attempt. */
function createBuckets(
  now: () => number,
  deliveries: Deliveries,
  events: Pick<AppContext['events'], 'on'>,
) {
  const kept = new Map<number, Bucket>()
  let counting: Promise<ReadonlyMap<number, Bucket>> | null = null
  let countedAt = 0

  // Explanations arrive after their captures, and captures are deleted. A bucket that is being read
  // is dropped too.
  events.on('capture.changed', ({ ids }) => {
    for (const [start, { first, last }] of kept) {
      if (ids === null || ids.some((id) => id >= first && id <= last)) kept.delete(start)
    }
  })

  async function read(from: number, to: number, into: Map<number, Bucket>): Promise<void> {
    for (const ids of deliveries.slices(from, to)) {
      for (const attempt of deliveries.attempts(...ids)) {
        const { at, id, tokenId } = attempt
        const bucket = at < from || at >= to ? undefined : into.get(at - (at % bucketMs))
        if (bucket === undefined) continue
        bucket.first = Math.min(bucket.first, id)
        bucket.last = Math.max(bucket.last, id)
        const tally = bucket.tallies.get(tokenId) ?? emptyTally()
        bucket.tallies.set(tokenId, tally)
        addAttempt(tally, attempt)
      }
      await yieldToEventLoop()
    }
  }

  async function count(from: number, to: number): Promise<ReadonlyMap<number, Bucket>> {
    // After the clock was set back, stored buckets may be in the future.
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

  /** Concurrent calls for the same period share a count. */
  return async (from: number, to: number): Promise<ReadonlyMap<number, Bucket>> => {
    const shared = counting ?? count(from, to)
    counting = shared
    return shared.finally(() => {
      if (counting === shared) counting = null
    })
  }
}

export function createDeliveryHealth(
  room: Room<'access' | 'book' | 'chainNow' | 'now' | 'store'> & {
    readonly deliveries: Deliveries
    readonly events: Pick<AppContext['events'], 'on'>
  },
) {
  const { access, book, now, store } = room
  const bucketsOf = createBuckets(now, room.deliveries, room.events)

  /** False if the blocks of the chain have another clock, as in a sandbox whose clock was advanced. */
  async function isSameClock(network: NetworkId): Promise<boolean> {
    if (access.info(network).kind !== 'sandbox') return true
    const chain = await room.chainNow(network).catch(() => now())
    return Math.abs(chain - now()) <= skewMs
  }

  function lastErrorOf(key: number, last: Tally['last']): WebhookHealth['lastError'] {
    // The clock of a sandbox may be ahead; its log is then all there is of attempts that did not arrive.
    const until = last === null ? Number.MAX_SAFE_INTEGER : now()
    const [logged] = store.samplerRecords.logs(key, 0, until, 1)
    if (logged !== undefined && (last === null || logged.at > last.at + sameAttemptMs)) {
      const failure = readLoggedFailure(logged.message)
      const text = failure === 'unknown' ? logged.message : nameFailure(String(failure))
      return { at: logged.at, text, capture: null }
    }
    if (last === null) return null
    const text = nameFailure(String(last.status ?? 'no-response'))
    return { at: last.at, text, capture: last.id }
  }

  function attemptsByHour(key: number, from: number): number[] {
    const steps = { from: from / minuteMs, width: hourMs / minuteMs, count: hours }
    const attempts = Array<number>(hours).fill(0)
    for (const { step, failedAttempts } of store.failureHistory.ofWebhooks([key], steps)) {
      attempts[step] = failedAttempts
    }
    return attempts
  }

  return {
    async 'webhook.health'({ network }) {
      const thisHour = now() - (now() % hourMs)
      const [from, to] = [thisHour - (hours - 1) * hourMs, thisHour + hourMs]
      const buckets = await bucketsOf(from, to)
      const hasDelays = await isSameClock(network)
      const isHere = new Map(book.known(network).map((webhook) => [webhook.id, webhook.isHere]))
      const webhooks = store.webhooks.list(network).map(({ key, id, tokenId }): WebhookHealth => {
        const { all, failures } = sumUp(buckets, tokenId, from)
        const reported = attemptsByHour(key, from)
        const reportedInAll = sum(reported)
        const arrivesHere = isHere.get(id) === true || all.accepted + all.failed > 0
        const p50 = hasDelays ? delayPercentile(all.delays, 0.5) : null
        const p95 = hasDelays ? delayPercentile(all.delays, 0.95) : null
        return {
          webhook: id,
          accepted: tokenId !== null && arrivesHere ? all.accepted : null,
          failed: Math.max(all.failed, reportedInAll),
          delay:
            p50 === null || p95 === null
              ? null
              : { deliveries: sum(all.delays.values()), p50, p95 },
          lastError: lastErrorOf(key, all.last),
          // The gateway's counters are read later than the failures happen, so they only add
          // failures that did not arrive.
          failures: failures.map((each, hour) =>
            reportedInAll > all.failed ? Math.max(each, reported[hour] ?? 0) : each,
          ),
        }
      })
      return { from, to: now(), webhooks }
    },
  } satisfies Partial<Handlers>
}

/** Sums up all attempts of a token, and its failed attempts for each hour. */
function sumUp(buckets: ReadonlyMap<number, Bucket>, tokenId: string | null, from: number) {
  const all = emptyTally()
  const failures = Array<number>(hours).fill(0)
  for (const [start, { tallies }] of buckets) {
    const tally = tallies.get(tokenId ?? '')
    const hour = Math.floor((start - from) / hourMs)
    if (tally === undefined || hour < 0 || hour >= hours) continue
    failures[hour] = (failures[hour] ?? 0) + tally.failed
    addTally(all, tally)
  }
  return { all, failures }
}

/** Only the newest failures count, because a longer list is of no use. */
const maxFailures = 20_000
const maxGroups = 100

type Failure = Pick<DeliveryErrors['groups'][number], 'cause' | 'account' | 'capture'> & {
  readonly at: number
}

/**
 * Captures name the account, and the gateway's log contains attempts that never arrived. An attempt that
 * was captured is also in the log, so logged statuses count only where no capture has them.
 */
export function joinFailures(captured: readonly Failure[], logged: readonly Failure[]): Failure[] {
  const statuses = new Set(captured.map(({ cause }) => cause))
  return [...captured, ...logged.filter(({ cause }) => !statuses.has(cause))]
}

export function groupFailures(failures: readonly Failure[]) {
  const found = Map.groupBy(failures, ({ cause, account }) => `${cause} ${account ?? ''}`)
  return [...found.values()]
    .flatMap((all) => {
      const last = all.reduce((newest, each) => (each.at > newest.at ? each : newest))
      const { cause, account, capture, at } = last
      const firstAt = all.reduce((first, each) => Math.min(first, each.at), at)
      const text = nameFailure(cause)
      return [{ cause, text, account, capture, firstAt, lastAt: at, count: all.length }]
    })
    .sort((a, b) => b.count - a.count || b.lastAt - a.lastAt)
}

/** Failed delivery attempts of a webhook, grouped by what failed and by account. */
export function createDeliveryErrors(
  room: Room<'labelsOf' | 'store'> & { readonly deliveries: Deliveries },
) {
  const { deliveries, store } = room

  async function capturedFailures(tokenId: string | null, from: number, to: number) {
    const captured: Failure[] = []
    if (tokenId === null) return captured
    for (const rows of deliveries.failed(tokenId, from, to, maxFailures)) {
      for (const { id: capture, at, status, account } of rows) {
        captured.push({ at, cause: String(status ?? 'no-response'), account, capture })
      }
      await yieldToEventLoop()
    }
    return captured
  }

  return {
    async 'failure.errors'({ network, webhook, from, to }) {
      const record = store.webhooks.get(network, webhook)
      const captured = await capturedFailures(record?.tokenId ?? null, from, to)
      const logs = store.samplerRecords.logs(record?.key ?? 0, from, to, maxFailures)
      const logged = logs.map(({ at, message }): Failure => {
        return { at, cause: String(readLoggedFailure(message)), account: null, capture: null }
      })
      const failures = joinFailures(captured, logged)
      const groups = groupFailures(failures)
      return {
        total: failures.length,
        isWhole: captured.length < maxFailures,
        groups: withLabels(room, network, groups.slice(0, maxGroups)),
        moreGroups: Math.max(0, groups.length - maxGroups),
      }
    },
  } satisfies Partial<Handlers>
}
