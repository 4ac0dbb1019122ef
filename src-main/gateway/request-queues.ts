/** Manages all request queues of the app, by network and root, and their statistics for `traffic.read`. */
import type { GatewayRoot, RootTraffic, SentRequest } from '../../src-preload/contract/traffic.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import {
  type Priority,
  type Queue,
  type QueueClock,
  type Turn,
  createQueue,
} from './request-queue.ts'
import { type PacedResponse, createPace } from './pace.ts'

export type Clock = QueueClock & { unix(): number }

export type QueueOptions = {
  readonly network: NetworkId
  readonly root: GatewayRoot
  readonly perSecond: number | null
}

export type Queues = ReturnType<typeof createQueues>

type Attempt = Omit<SentRequest, 'network' | 'root'> & {
  /** The caller aborted the request, which does not count as an error. */
  readonly isCalledOff: boolean
}

type QueueEntry = {
  readonly options: QueueOptions
  readonly queue: Queue
  readonly key: string | null
  /** The origin of the last request; the webhooks of Testnet may have another origin. */
  readonly origin: string
  readonly stats: RootStats
}

type RootStats = {
  requests: number
  errors: number
  /** Latencies in milliseconds, oldest first. */
  latencies: number[]
  lastError: RootTraffic['lastError']
}

const maxRecent = 200
const maxLatencies = 300

const changedEveryMs = 1000

export const systemClock: Clock = {
  now: () => performance.now(),
  unix: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

export function createQueues(clock: Clock, random: () => number, onChanged: () => void) {
  const queues = new Map<string, QueueEntry>()
  let recent: SentRequest[] = []
  let cancelNotification: (() => void) | null = null

  function changed(): void {
    cancelNotification ??= clock.after(changedEveryMs, () => {
      cancelNotification = null
      onChanged()
    })
  }

  function entryOf(options: QueueOptions, origin: string, key: string | null): QueueEntry {
    const { network, root, perSecond } = options
    const name = `${network}/${root}`
    const before = queues.get(name)
    const startPace = () => createPace({ perSecond, isKeyless: key === null, random })
    const isSame = before?.key === key && before.options.perSecond === perSecond
    if (before !== undefined && !isSame) before.queue.changePace(startPace())
    const queue = before?.queue ?? createQueue(startPace(), clock, changed)
    const stats = before?.stats ?? { requests: 0, errors: 0, latencies: [], lastError: null }
    const entry = { options, queue, key, origin, stats }
    queues.set(name, entry)
    return entry
  }

  /** The limit belongs to the key, so all queues of a network with the same key pause together. */
  function pauseSiblings({ options, queue, key }: QueueEntry): void {
    const until = queue.state().pace.pausedUntil
    for (const other of queues.values()) {
      const isSibling = other.queue !== queue && other.options.network === options.network
      if (isSibling && other.key === key) other.queue.pauseUntil(until)
    }
  }

  function describe({ options, queue, origin, stats }: QueueEntry): RootTraffic {
    const { network, root } = options
    const { waiting, underWay, pace } = queue.state()
    const { latencies, ...counts } = stats
    const left = pace.pausedUntil - clock.now()
    const pausedUntil = left > 0 ? Math.ceil(clock.unix() + left) : null
    const latency = summarize(latencies)
    const limit = { ...pace, pausedUntil }
    return { network, root, origin, ...counts, latency, waiting, underWay, limit }
  }

  function record(stats: RootStats, sent: SentRequest, isError: boolean): void {
    const { at, status, error, milliseconds } = sent
    stats.requests += 1
    if (status !== null) {
      stats.latencies = [...stats.latencies.slice(1 - maxLatencies), milliseconds]
    }
    if (isError) {
      stats.errors += 1
      stats.lastError = { at, message: error ?? '', status }
    }
    recent = [sent, ...recent.slice(0, maxRecent - 1)]
  }

  return {
    /** Returns the queue of that network's root, which exists until the app ends. A new key resets its rate. */
    open(options: QueueOptions, origin: string, key: string | null) {
      const entry = entryOf(options, origin, key)
      const { queue } = entry
      return {
        enter: (turn: Turn) => queue.enter(turn),
        leave(priority: Priority, response: PacedResponse, { isCalledOff, ...attempt }: Attempt) {
          const { network, root } = options
          const isError = attempt.error !== null && !isCalledOff
          record(entry.stats, { network, root, ...attempt }, isError)
          queue.leave(priority, response)
          if (response.outcome === 'refused') pauseSiblings(entry)
          changed()
        },
      }
    },
    read: () => ({ roots: [...queues.values()].map(describe), recent }),
    close(): void {
      cancelNotification?.()
      for (const { queue } of queues.values()) queue.close()
    },
  }
}

function summarize(latencies: readonly number[]): RootTraffic['latency'] {
  if (latencies.length === 0) return null
  const sorted = latencies.toSorted((a, b) => a - b)
  // The percentile is the nearest rank, so the result is a measured value.
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? 0
  return { p50: at(0.5), p95: at(0.95), max: at(1) }
}
