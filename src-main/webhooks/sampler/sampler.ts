import { setImmediate } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { MonitoringSettings } from '../../../src-preload/contract/settings.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { SamplerState } from '../../../src-preload/contract/failure.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { Room, RoundObserver } from '../room.ts'
import { createRound, isDue, pagesFor, silenceMs, waitAfter } from './round.ts'

type Sampler = {
  readonly handlers: Pick<Handlers, 'sampler.state' | 'sampler.run'>
  start(): void
  /** Stops sampling the network until `rest` has removed its other data. */
  forget(network: NetworkId, rest: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

type Sampled = {
  lastAt: number | null
  nextAt: number | null
  problem: string | null
  requests: number
  rowsLeft: number
  failures: number
  /** After its last failed round the network had no client, as a stopped sandbox has none. */
  isOut: boolean
  running: { readonly done: Promise<void>; readonly halt: AbortController } | null
}

const tickMs = 1000
const retentionSteps = 2000

export function createSampler(
  deps: Room<'access' | 'book' | 'mirror' | 'now' | 'onBug' | 'store' | 'wait'> & {
    readonly settings: () => MonitoringSettings
    readonly observers: readonly RoundObserver[]
    readonly onChanged: (state: SamplerState) => void
    readonly onGrown: (network: NetworkId, webhooks: readonly string[]) => void
  },
): Sampler {
  const { access, book, store, now, settings } = deps
  const round = createRound(deps)
  const networks = new Map<NetworkId, Sampled>()
  const forgetting = new Set<NetworkId>()
  const stopped = new AbortController()
  let ticking: Promise<void> = Promise.resolve()

  function of(network: NetworkId): Sampled {
    const known = networks.get(network)
    if (known !== undefined) return known
    const fresh: Sampled = {
      lastAt: store.samplerRecords.roundAt(network),
      nextAt: null,
      problem: null,
      requests: 0,
      rowsLeft: 0,
      failures: 0,
      isOut: false,
      running: null,
    }
    networks.set(network, fresh)
    return fresh
  }

  function statusOf({ running, problem }: Sampled): SamplerState['status'] {
    if (running !== null) return 'reading'
    if (!settings().sample) return 'off'
    return problem === null ? 'waiting' : 'paused'
  }

  function state(network: NetworkId): SamplerState {
    const sampled = of(network)
    const { lastAt, problem, requests, rowsLeft } = sampled
    const status = statusOf(sampled)
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

  async function settleClock(network: NetworkId, signal: AbortSignal): Promise<void> {
    const last = store.samplerRecords.roundAt(network)
    const at = now()
    if (last === null) return
    if (at < last) store.historyRetention.clamp(at)
    if (at - last <= silenceMs) return
    while (store.streaks.breakOff(network, last, at)) {
      await setImmediate()
      signal.throwIfAborted()
    }
  }

  async function removeOld(signal: AbortSignal): Promise<void> {
    for (let step = 0; step < retentionSteps && store.historyRetention.step(now()); step += 1) {
      await setImmediate()
      signal.throwIfAborted()
    }
  }

  async function observe(network: NetworkId, signal: AbortSignal): Promise<void> {
    for (const observer of deps.observers) {
      try {
        await observer(network, signal)
      } catch (error) {
        signal.throwIfAborted()
        deps.onBug(error)
      }
    }
  }

  async function read(network: NetworkId, sampled: Sampled, signal: AbortSignal): Promise<void> {
    await settleClock(network, signal)
    const result = await round.run(network, pagesFor(settings().everySeconds), signal)
    sampled.lastAt = now()
    store.samplerRecords.setRoundAt(network, sampled.lastAt)
    sampled.requests = result.requests
    sampled.rowsLeft = result.rowsLeft
    await observe(network, signal)
    await removeOld(signal)
    if (result.grown.length > 0) deps.onGrown(network, result.grown)
  }

  async function runOnce(network: NetworkId, sampled: Sampled, signal: AbortSignal): Promise<void> {
    try {
      await read(network, sampled, signal)
      sampled.problem = null
      sampled.failures = 0
      sampled.isOut = false
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof AppError)) deps.onBug(error)
      sampled.problem = error instanceof AppError ? error.message : 'Reading failed; see the log.'
      sampled.isOut = !canAsk(network)
      // Only attempts that cost a request increase the delay.
      if (!sampled.isOut) sampled.failures += 1
    }
    sampled.nextAt = now() + waitAfter(settings().everySeconds, sampled.failures)
  }

  function canAsk(network: NetworkId): boolean {
    try {
      access.webhooks(network)
      return true
    } catch {
      return false
    }
  }

  function begin(network: NetworkId): Promise<void> {
    if (forgetting.has(network)) return Promise.resolve()
    const sampled = of(network)
    if (sampled.running !== null) return sampled.running.done
    const halt = new AbortController()
    const signal = AbortSignal.any([halt.signal, stopped.signal])
    const done = runOnce(network, sampled, signal).finally(() => {
      sampled.running = null
      if (!signal.aborted) deps.onChanged(state(network))
    })
    sampled.running = { done, halt }
    deps.onChanged(state(network))
    return done
  }

  function tick(): void {
    if (!settings().sample) return
    for (const network of inUse()) {
      const sampled = of(network)
      // A network that could not be queried is retried as soon as it can be.
      const isBack = sampled.isOut && canAsk(network)
      if (sampled.running === null && (isBack || isDue(sampled, now())))
        begin(network).catch(deps.onBug)
    }
  }

  async function tickOn(): Promise<void> {
    while (!stopped.signal.aborted) {
      tick()
      await deps.wait(tickMs, stopped.signal)
    }
  }

  return {
    handlers: {
      'sampler.state': ({ network }) => state(network),
      async 'sampler.run'({ network }) {
        // The round under way may have been requested before the change that it is to show.
        await of(network).running?.done
        await begin(network)
        return state(network)
      },
    },
    start() {
      ticking = tickOn().catch((error: unknown) => {
        if (!stopped.signal.aborted) deps.onBug(error)
      })
    },
    async forget(network, rest) {
      forgetting.add(network)
      try {
        const running = networks.get(network)?.running
        running?.halt.abort()
        await running?.done
        round.forget(network)
        store.samplerRecords.forget(network)
        networks.delete(network)
        await rest()
      } finally {
        forgetting.delete(network)
      }
    },
    async stop() {
      stopped.abort()
      await Promise.all([ticking, ...[...networks.values()].map(({ running }) => running?.done)])
    },
  }
}
