/** All lanes of the app, by network and root, and what `traffic.read` tells of them. */
import type {
  GatewayRoot,
  GatewayTraffic,
  RootTraffic,
  SentRequest,
} from '../../src-preload/contract/traffic.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import {
  type Priority,
  type Queue,
  type QueueClock,
  type QueueState,
  type Turn,
  createQueue,
} from './request-queue.ts'
import { type PacedAnswer, createPace } from './pace.ts'

export type Clock = QueueClock & {
  /** Unix ms. */
  unix(): number
}

export type QueueOptions = {
  readonly network: NetworkId
  readonly root: GatewayRoot
  /** Requests a second to begin with; null where no limit is known. */
  readonly perSecond: number | null
}

export type Queues = {
  /** The lane of that network's root, kept for as long as the app runs. Another key begins a new pace. */
  open(options: QueueOptions, origin: string, key: string | null): OpenLane
  read(): GatewayTraffic
  close(): void
}

type OpenLane = {
  enter(turn: Turn): Promise<void>
  leave(priority: Priority, answer: PacedAnswer, sent: Tried): void
}

/** One try, as it is shown. */
type Tried = Omit<SentRequest, 'network' | 'root'> & {
  /** Called off by whoever asked: nobody's error. */
  readonly isCalledOff: boolean
}

type Known = {
  readonly options: QueueOptions
  readonly queue: Queue
  readonly key: string | null
  /** The last that was asked: webhooks of the test network may have one of their own. */
  readonly origin: string
}

const changedEveryMs = 1000

export const systemClock: Clock = {
  now: () => performance.now(),
  unix: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

export function createQueues(clock: Clock, random: () => number, onChanged: () => void): Queues {
  const queues = new Map<string, Known>()
  const traffic = createTraffic()
  let stopTelling: (() => void) | null = null

  function changed(): void {
    stopTelling ??= clock.after(changedEveryMs, () => {
      stopTelling = null
      onChanged()
    })
  }

  function knownOf(options: QueueOptions, origin: string, key: string | null): Known {
    const { network, root, perSecond } = options
    const name = `${network}/${root}`
    const before = queues.get(name)
    const begin = () => createPace({ perSecond, isKeyless: key === null, random })
    const isSame = before?.key === key && before.options.perSecond === perSecond
    if (before !== undefined && !isSame) before.queue.changePace(begin())
    const queue = before?.queue ?? createQueue(begin(), clock, changed)
    const known = { options, queue, key, origin }
    queues.set(name, known)
    return known
  }

  /** The limit is the key's: query and webhooks of a network, where it opens both, pause together. */
  function pauseSiblings({ options, queue, key }: Known): void {
    const until = queue.state().pace.pausedUntil
    for (const other of queues.values()) {
      const isSibling = other.queue !== queue && other.options.network === options.network
      if (isSibling && other.key === key) other.queue.pauseUntil(until)
    }
  }

  function describe({ options, queue, origin }: Known): RootTraffic {
    const { network, root } = options
    const { waiting, underWay, pace } = queue.state()
    return {
      network,
      root,
      origin,
      ...traffic.figures(network, root),
      waiting,
      underWay,
      limit: describePace(pace),
    }
  }

  function describePace(pace: QueueState['pace']): RootTraffic['limit'] {
    const left = pace.pausedUntil - clock.now()
    const { perSecond, learnedFrom } = pace
    return {
      perSecond,
      learnedFrom,
      pausedUntil: left > 0 ? Math.ceil(clock.unix() + left) : null,
    }
  }

  return {
    open(options, origin, key) {
      const known = knownOf(options, origin, key)
      const { queue } = known
      return {
        enter: (turn) => queue.enter(turn),
        leave(priority, answer, { isCalledOff, ...tried }) {
          const { network, root } = options
          traffic.record({ network, root, ...tried }, tried.error !== null && !isCalledOff)
          queue.leave(priority, answer)
          if (answer.outcome === 'refused') pauseSiblings(known)
          changed()
        },
      }
    },
    read: () => ({ roots: [...queues.values()].map(describe), recent: traffic.recent() }),
    close() {
      stopTelling?.()
      for (const { queue } of queues.values()) queue.close()
    },
  }
}

type Traffic = {
  record(sent: SentRequest, isError: boolean): void
  figures(network: NetworkId, root: GatewayRoot): RootFigures
  /** Newest first. */
  recent(): SentRequest[]
}

type RootFigures = Pick<RootTraffic, 'requests' | 'errors' | 'latency' | 'lastError'>

const keptRequests = 200
const keptAnswers = 300

type Counted = {
  requests: number
  errors: number
  /** Milliseconds, oldest first. */
  latencies: number[]
  lastError: RootTraffic['lastError']
}

function createTraffic(): Traffic {
  const roots = new Map<string, Counted>()
  let recent: SentRequest[] = []

  function countedOf(network: NetworkId, root: GatewayRoot): Counted {
    const name = `${network}/${root}`
    const known = roots.get(name)
    if (known !== undefined) return known
    const made: Counted = { requests: 0, errors: 0, latencies: [], lastError: null }
    roots.set(name, made)
    return made
  }

  return {
    record(sent, isError) {
      const { network, root, at, status, error, milliseconds } = sent
      const counted = countedOf(network, root)
      counted.requests += 1
      if (status !== null) {
        counted.latencies = [...counted.latencies.slice(1 - keptAnswers), milliseconds]
      }
      if (isError) {
        counted.errors += 1
        counted.lastError = { at, message: error ?? '', status }
      }
      recent = [sent, ...recent.slice(0, keptRequests - 1)]
    },
    figures(network, root) {
      const { requests, errors, latencies, lastError } = countedOf(network, root)
      return { requests, errors, latency: summarize(latencies), lastError }
    },
    recent: () => recent,
  }
}

function summarize(latencies: readonly number[]): RootTraffic['latency'] {
  if (latencies.length === 0) return null
  const sorted = latencies.toSorted((a, b) => a - b)
  // Nearest rank: an answer that there was.
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? 0
  return { p50: at(0.5), p95: at(0.95), max: at(1) }
}
