import { setImmediate } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { SamplerState } from '../../../src-preload/contract/failure.ts'
import { problemOf } from '../../../src-preload/domain/app-error.ts'
import type { Room } from '../room.ts'
import type { SubscriptionStore } from '../store/subscription-store.ts'
import { createBackgroundLoop } from '../../jobs/background-loop.ts'
import { doubledPause } from '../../../src-preload/domain/time-span.ts'
import { isNotFound } from '../../chain/access.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { WebhookRecord } from '../store/webhooks.ts'
import type { SubscriptionReading } from '../sync/mirror.ts'

type Sampled = {
  lastAt: number | null
  nextAt: number | null
  problem: string | null
  requests: number
  rowsLeft: number
  failures: number
  /** True if the network had no client after its last failed round, as with a stopped sandbox. */
  isOut: boolean
  running: { readonly done: Promise<void>; readonly halt: AbortController } | null
}

const tickMs = 1000
const retentionSteps = 2000

/** @param observe called after each round and before the next one; its errors go to `onBug` */
export function createSampler(
  room: Room<
    'access' | 'book' | 'events' | 'mirror' | 'now' | 'onBug' | 'settings' | 'store' | 'wait'
  >,
  observe: (network: NetworkId, signal: AbortSignal) => Promise<void>,
) {
  const { access, book, events, onBug, store, now } = room
  const settings = () => room.settings.get().monitoring
  const round = createRound(room)
  const networks = new Map<NetworkId, Sampled>()
  const paused = new Set<NetworkId>()

  function of(network: NetworkId): Sampled {
    const lastAt = store.samplerRecords.roundAt(network)
    const nothing = { problem: null, requests: 0, rowsLeft: 0, failures: 0, isOut: false }
    const sampled = networks.get(network) ?? { lastAt, nextAt: null, ...nothing, running: null }
    networks.set(network, sampled)
    return sampled
  }

  function state(network: NetworkId): SamplerState {
    const sampled = of(network)
    const { lastAt, problem, requests, rowsLeft, running } = sampled
    const resting = problem === null ? 'waiting' : 'paused'
    const status = running !== null ? 'reading' : settings().sample ? resting : 'off'
    const nextAt = status === 'off' || status === 'reading' ? null : sampled.nextAt
    return { network, status, lastAt, nextAt, problem, requests, rowsLeft }
  }

  /** Returns the network that the window shows, and networks whose webhooks deliver to this computer. */
  function inUse(): NetworkId[] {
    const delivering = store.samplerRecords
      .networks()
      .filter((network) => book.known(network).some(({ isHere }) => isHere))
    return [...new Set([access.current(), ...delivering])]
  }

  async function read(network: NetworkId, sampled: Sampled, signal: AbortSignal): Promise<void> {
    await settleClock(network, store, now(), signal)
    const result = await round.run(network, pagesFor(settings().everySeconds), signal)
    sampled.lastAt = now()
    store.samplerRecords.setRoundAt(network, sampled.lastAt)
    sampled.requests = result.requests
    sampled.rowsLeft = result.rowsLeft
    try {
      await observe(network, signal)
    } catch (error) {
      signal.throwIfAborted()
      onBug(error)
    }
    await removeOld(store, now, signal)
    if (result.grown.length > 0) events.emit('failure.changed', { network, webhooks: result.grown })
  }

  async function runOnce(network: NetworkId, sampled: Sampled, signal: AbortSignal): Promise<void> {
    try {
      await read(network, sampled, signal)
      sampled.problem = null
      sampled.failures = 0
      sampled.isOut = false
    } catch (error) {
      if (signal.aborted) return
      sampled.problem = problemOf(error, 'Loading failed.', onBug)
      sampled.isOut = !canRequest(access, network)
      // Only attempts that cost a request increase the delay.
      if (!sampled.isOut) sampled.failures += 1
    }
    sampled.nextAt = now() + pauseAfter(settings().everySeconds, sampled.failures)
  }

  function begin(network: NetworkId): Promise<void> {
    if (paused.has(network)) return Promise.resolve()
    const sampled = of(network)
    if (sampled.running !== null) return sampled.running.done
    const halt = new AbortController()
    const signal = AbortSignal.any([halt.signal, ticking.signal])
    const done = runOnce(network, sampled, signal).finally(() => {
      sampled.running = null
      if (!signal.aborted) events.emit('sampler.changed', state(network))
    })
    sampled.running = { done, halt }
    events.emit('sampler.changed', state(network))
    return done
  }

  function tick(): void {
    if (!settings().sample) return
    for (const network of inUse()) {
      const sampled = of(network)
      // A network that could not be queried is retried as soon as it can be queried.
      const isBack = sampled.isOut && canRequest(access, network)
      if (sampled.running === null && (isBack || isDue(sampled, now()))) begin(network).catch(onBug)
    }
  }

  /** Aborts the running round; no other round begins until `rest` is done. */
  async function pause(network: NetworkId, rest: () => Promise<void>): Promise<void> {
    paused.add(network)
    try {
      const running = networks.get(network)?.running
      running?.halt.abort()
      await running?.done
      await rest()
    } finally {
      paused.delete(network)
    }
  }

  const ticking = createBackgroundLoop(async (signal) => {
    while (!signal.aborted) {
      tick()
      await room.wait(tickMs, signal)
    }
  }, onBug)

  return {
    handlers: {
      'sampler.state': ({ network }) => state(network),
      async 'sampler.run'({ network }) {
        // The running round may have been requested before the change that it should show.
        await of(network).running?.done
        await begin(network)
        return state(network)
      },
    } satisfies Partial<Handlers>,
    start: ticking.run,
    pause,
    /** Stops sampling the network until `rest` has removed its other data. */
    forget: (network: NetworkId, rest: () => Promise<void>) =>
      pause(network, async () => {
        round.forget(network)
        store.samplerRecords.forget(network)
        networks.delete(network)
        await rest()
      }),
    async stop(): Promise<void> {
      const rounds = [...networks.values()].map(({ running }) => running?.done)
      await Promise.all([ticking.stop(), ...rounds])
    },
  }
}

function canRequest(access: Room<'access'>['access'], network: NetworkId): boolean {
  try {
    access.webhooks(network)
    return true
  } catch {
    return false
  }
}

/**
 * Ends streaks after a gap in sampling, and moves records that would be in the future after the
 * clock was set back.
 */
async function settleClock(
  network: NetworkId,
  store: SubscriptionStore,
  at: number,
  signal: AbortSignal,
): Promise<void> {
  const last = store.samplerRecords.roundAt(network)
  if (last === null) return
  if (at < last) store.historyRetention.clamp(at)
  if (at - last <= silenceMs) return
  while (store.streaks.breakOff(network, last, at)) {
    await setImmediate()
    signal.throwIfAborted()
  }
}

async function removeOld(store: SubscriptionStore, now: () => number, signal: AbortSignal) {
  for (let step = 0; step < retentionSteps && store.historyRetention.step(now()); step += 1) {
    await setImmediate()
    signal.throwIfAborted()
  }
}

const longestWaitMs = 10 * 60_000
/** After a gap of this length, a running streak no longer counts as continuous. */
const silenceMs = 7 * 24 * 3_600_000
/** Requests per second for subscription pages, which leaves capacity for the user and other jobs. */
const pagesASecond = 2 / 3
const fewestPages = 5

export const pagesFor = (everySeconds: number): number =>
  Math.max(fewestPages, Math.ceil(everySeconds * pagesASecond))

export function pauseAfter(everySeconds: number, failures: number): number {
  const everyMs = everySeconds * 1000
  return Math.max(everyMs, doubledPause(failures + 1, everyMs, longestWaitMs))
}

/** A round is also due after the clock was set back, because it would be delayed by the same time otherwise. */
export function isDue(
  { lastAt, nextAt }: { readonly lastAt: number | null; readonly nextAt: number | null },
  now: number,
): boolean {
  return nextAt === null || now >= nextAt || (lastAt !== null && now < lastAt)
}

type Candidate = { readonly key: number; readonly hasNews: boolean; readonly rows: number }

/** For each size, the row of the first webhook whose pass was not finished in the last round. */
type Positions = { readonly small: number | null; readonly large: number | null }
export const firstPositions: Positions = { small: null, large: null }

type Turn = Candidate & {
  readonly size: keyof Positions
  /** Number of pages that are reserved for the webhooks after this one. */
  readonly reserved: number
}

/** Webhooks with more rows are read in slices over several rounds. */
const smallRows = 5000

/**
 * Webhooks with news come first, then small and large ones from the position where the last round
 * stopped. Reserved pages keep one group from using up every round.
 */
export function inTurn(candidates: readonly Candidate[], turns: Positions, pages: number): Turn[] {
  const sized = candidates.map((each) => ({
    ...each,
    size: each.rows <= smallRows ? ('small' as const) : ('large' as const),
  }))
  const rotated = (size: keyof Positions) => {
    const own = sized.filter((each) => each.size === size).toSorted((a, b) => a.key - b.key)
    const first = own.findIndex(({ key }) => key >= (turns[size] ?? 0))
    return first === -1 ? own : [...own.slice(first), ...own.slice(0, first)]
  }
  const all = [...rotated('small'), ...rotated('large')]
  const news = all.filter(({ hasNews }) => hasNews)
  const quiet = all.filter(({ hasNews }) => !hasNews)
  const forQuiet = quiet.length > 0 ? Math.floor(pages / 2) : 0
  const forLarge = quiet.some(({ size }) => size === 'large') ? Math.floor(pages / 4) : 0
  return [
    ...news.map((each) => ({ ...each, reserved: forQuiet })),
    ...quiet.map((each) => ({ ...each, reserved: each.size === 'small' ? forLarge : 0 })),
  ]
}

type RoundRoom = Room<'access' | 'book' | 'mirror' | 'now' | 'store'>

function createRound(room: RoundRoom) {
  const { book, mirror, now, store } = room
  const { webhooks, subscriptions, samplerRecords } = store
  const seen = new Map<number, WebhookRecord>()
  const turns = new Map<NetworkId, Positions>()
  const logged = new Map<number, number>()

  /** @throws AppError as the client does; pages that were read before are kept */
  async function run(network: NetworkId, pages: number, signal: AbortSignal) {
    const queryOptions: QueryOptions = { signal, priority: 'job', owner: 'sampler' }
    let requests = 0
    const ask = async <T>(question: () => Promise<T>): Promise<T> => {
      signal.throwIfAborted()
      requests += 1
      return question()
    }

    await ask(() => book.readAnew(network, queryOptions))
    const at = now()
    const listed = webhooks.list(network)
    const news = new Set<number>()
    for (const record of listed) {
      if (samplerRecords.addListed(record, seen.get(record.key) ?? null, at)) news.add(record.key)
      seen.set(record.key, record)
    }
    const grown = new Set(listed.filter(({ key, failing }) => failing > 0 || news.has(key)))
    await ask(() => readUsage(room, network, queryOptions)).catch(unlessMissing)

    const candidates: Candidate[] = []
    for (const { key, accounts } of listed) {
      if (accounts !== 0 || subscriptions.count(key) > 0) {
        candidates.push({ key, hasNews: news.has(key), rows: accounts ?? 0 })
        // A webhook without accounts needs no request.
      } else webhooks.setSubscriptionsRead(key, at)
    }
    const doubtful: SubscriptionReading[] = []
    let stoppedAt = firstPositions
    let pagesLeft = pages
    let rowsLeft = 0
    const order = inTurn(candidates, turns.get(network) ?? firstPositions, pages)
    for (const { key, hasNews, size, reserved } of order) {
      const reading = mirror.slice(key)
      if (reading === null) continue
      let ended = false
      try {
        while (!ended && pagesLeft > reserved) {
          pagesLeft -= 1
          ended = await ask(() => reading.step(queryOptions))
        }
      } catch (error) {
        // The webhook was deleted elsewhere, as the next list will show.
        unlessMissing(error)
        continue
      }
      if (ended && isWhole(store, key, reading)) await reading.conclude()
      else if (ended) doubtful.push(reading)
      else {
        rowsLeft += Math.max(0, (reading.expected() ?? 0) - reading.rows())
        if (!hasNews) stoppedAt = { ...stoppedAt, [size]: stoppedAt[size] ?? key }
      }
    }
    turns.set(network, stoppedAt)

    if (doubtful.length > 0) {
      // Only a count read after the pages proves that an account is absent.
      await ask(() => book.readAnew(network, queryOptions))
      for (const reading of doubtful) await reading.conclude()
    }

    for (const record of webhooks.list(network)) {
      const { key, failing, failedAttempts, status } = record
      const failed = failedAttempts ?? 0
      const fails = failing > 0 || failed > 0 || (status !== null && status !== 'online')
      if (failing > 0) grown.add(record)
      const total = failed + failing
      if (!fails || logged.get(key) === total) continue
      await ask(() => readLog(room, record, queryOptions)).catch(unlessMissing)
      logged.set(key, total)
    }
    for (const { key, goneAt } of webhooks.all(network)) {
      if (goneAt === null) continue
      seen.delete(key)
      mirror.drop(key)
      while (store.streaks.end(key, goneAt)) signal.throwIfAborted()
    }
    return { requests, rowsLeft, grown: [...new Set([...grown].map(({ id }) => id))] }
  }

  return {
    run,
    forget(network: NetworkId): void {
      turns.delete(network)
      for (const { key } of webhooks.all(network)) {
        seen.delete(key)
        logged.delete(key)
      }
    },
  }
}

async function readUsage(room: RoundRoom, network: NetworkId, queryOptions: QueryOptions) {
  const { access, now, store } = room
  const { startedAt, delivered, failed } = await access.webhooks(network).usage(queryOptions)
  const reading = { startedAt, delivered: BigInt(delivered), failed: BigInt(failed) }
  store.samplerRecords.addUsage(network, reading, now())
}

async function readLog(
  { access, store }: RoundRoom,
  { key, network, id }: WebhookRecord,
  queryOptions: QueryOptions,
) {
  const { logs } = await access.webhooks(network).logs(id, 0, queryOptions)
  store.samplerRecords.addLogs(
    key,
    logs.flatMap(({ at, ...log }) => (at === null ? [] : { at, ...log })),
  )
}

/**
 * The pass found every row of the copy, and as many rows as the webhook counts, so no second pass
 * is needed.
 */
function isWhole(store: SubscriptionStore, key: number, reading: SubscriptionReading): boolean {
  const count = store.subscriptions.count(key)
  return reading.seen.size === count && count === (store.webhooks.byKey(key)?.accounts ?? null)
}

function unlessMissing(error: unknown): void {
  if (!isNotFound(error)) throw error
}
