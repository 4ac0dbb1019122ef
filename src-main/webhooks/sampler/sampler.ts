import { setImmediate } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { SamplerState } from '../../../src-preload/contract/failure.ts'
import { problemOf } from '../../../src-preload/domain/app-error.ts'
import type { Room } from '../room.ts'
import type { SubscriptionStore } from '../store/subscription-store.ts'
import { createBackgroundLoop } from '../../jobs/background-loop.ts'
import { createRound, isDue, pagesFor, silenceMs, waitAfter } from './round.ts'

type Sampled = {
  lastAt: number | null
  nextAt: number | null
  problem: string | null
  requests: number
  rowsLeft: number
  failures: number
  /** True if the network had no client after its last failed round, for example a stopped sandbox. */
  isOut: boolean
  running: { readonly done: Promise<void>; readonly halt: AbortController } | null
}

const tickMs = 1000
const retentionSteps = 2000

/** @param observe called after each round, before the next; its errors go to `onBug` */
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

  /** The network that the window shows, and networks whose webhooks deliver to this computer. */
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
    sampled.nextAt = now() + waitAfter(settings().everySeconds, sampled.failures)
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
      // A network that could not be queried is retried as soon as it can be.
      const isBack = sampled.isOut && canRequest(access, network)
      if (sampled.running === null && (isBack || isDue(sampled, now()))) begin(network).catch(onBug)
    }
  }

  /** Aborts the round under way; no other begins until `rest` is done. */
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
        // The round under way may have been requested before the change that it is to show.
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

/** Ends streaks after a gap in sampling, and moves records that a clock which was set back left in the future. */
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

async function removeOld(
  { historyRetention }: SubscriptionStore,
  now: () => number,
  signal: AbortSignal,
): Promise<void> {
  for (let step = 0; step < retentionSteps && historyRetention.step(now()); step += 1) {
    await setImmediate()
    signal.throwIfAborted()
  }
}
