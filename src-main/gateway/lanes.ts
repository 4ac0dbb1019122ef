/** All lanes of the app, by network and root, and what `traffic.read` tells of them. */
import type {
  GatewayRoot,
  GatewayTraffic,
  RootTraffic,
  SentRequest,
} from '../../src-preload/contract/traffic.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Priority } from './fair-queue.ts'
import { type Lane, type LaneClock, type LaneState, type Turn, createLane } from './lane.ts'
import { type PacedAnswer, createPace } from './pace.ts'
import { createTraffic } from './traffic.ts'

export type Clock = LaneClock & {
  /** Unix ms. */
  unix(): number
}

export type LaneOptions = {
  readonly network: NetworkId
  readonly root: GatewayRoot
  /** Requests a second to begin with; null where no limit is known. */
  readonly perSecond: number | null
}

export type Lanes = {
  /** The lane of that network's root, kept for as long as the app runs. Another key begins a new pace. */
  open(options: LaneOptions, origin: string, key: string | null): OpenLane
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
  readonly options: LaneOptions
  readonly lane: Lane
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

export function createLanes(clock: Clock, random: () => number, onChanged: () => void): Lanes {
  const lanes = new Map<string, Known>()
  const traffic = createTraffic()
  let stopTelling: (() => void) | null = null

  function changed(): void {
    stopTelling ??= clock.after(changedEveryMs, () => {
      stopTelling = null
      onChanged()
    })
  }

  function knownOf(options: LaneOptions, origin: string, key: string | null): Known {
    const { network, root, perSecond } = options
    const name = `${network}/${root}`
    const before = lanes.get(name)
    const begin = () => createPace({ perSecond, isKeyless: key === null, random })
    const isSame = before?.key === key && before.options.perSecond === perSecond
    if (before !== undefined && !isSame) before.lane.changePace(begin())
    const lane = before?.lane ?? createLane(begin(), clock, changed)
    const known = { options, lane, key, origin }
    lanes.set(name, known)
    return known
  }

  /** The limit is the key's: query and webhooks of a network, where it opens both, pause together. */
  function pauseSiblings({ options, lane, key }: Known): void {
    const until = lane.state().pace.pausedUntil
    for (const other of lanes.values()) {
      const isSibling = other.lane !== lane && other.options.network === options.network
      if (isSibling && other.key === key) other.lane.pauseUntil(until)
    }
  }

  function describe({ options, lane, origin }: Known): RootTraffic {
    const { network, root } = options
    const { waiting, underWay, pace } = lane.state()
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

  function describePace(pace: LaneState['pace']): RootTraffic['limit'] {
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
      const { lane } = known
      return {
        enter: (turn) => lane.enter(turn),
        leave(priority, answer, { isCalledOff, ...tried }) {
          const { network, root } = options
          traffic.record({ network, root, ...tried }, tried.error !== null && !isCalledOff)
          lane.leave(priority, answer)
          if (answer.outcome === 'refused') pauseSiblings(known)
          changed()
        },
      }
    },
    read: () => ({ roots: [...lanes.values()].map(describe), recent: traffic.recent() }),
    close() {
      stopTelling?.()
      for (const { lane } of lanes.values()) lane.close()
    },
  }
}
