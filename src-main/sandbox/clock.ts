import type { ControlStore } from './store/database.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'

/** The current time of the chain, invoices and deliveries. */
export type Clock = {
  readonly mode: 'real' | 'virtual'
  /** Milliseconds; never goes back. */
  now(): number
}

/** Scheduled work: a retry, an expiry, a step of activity. */
export type DueSource = {
  /** Milliseconds; null for none. Called often, so it must be cheap. */
  nextDue(): number | null
  /** Runs all work that is due, including deliveries and their responses. Never rejects. */
  runDue(): Promise<void>
}

export function toSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}

/** Earliest start of a virtual clock: the mainnet configuration is not older. */
export const firstMoment = Date.UTC(2020, 0, 1)

/** Block times are 32-bit seconds, so the sandbox's time ends before they overflow. */
export const lastMoment = Date.UTC(2100, 0, 1)

export type SandboxClock = ReturnType<typeof createSandboxClock>

type ClockState =
  | { readonly mode: 'real'; readonly aheadMs: number }
  | { mode: 'virtual'; now: number }

/**
 * The adjustable clock, stored in the database.
 * @param deps.first mode of a new clock
 * @param deps.start milliseconds, for a new virtual clock; default now
 */
export function createSandboxClock(deps: {
  readonly store: ControlStore
  readonly first: 'real' | 'virtual'
  readonly start?: number | undefined
  readonly world?: () => number
}) {
  const { store, world = Date.now } = deps
  let state =
    (store.get('clock') as ClockState | undefined) ??
    save(
      deps.first === 'virtual'
        ? { mode: 'virtual', now: deps.start ?? world() }
        : { mode: 'real', aheadMs: 0 },
    )
  /** The computer's clock may go back; this one then stands still. */
  let latest = 0

  function save(next: ClockState): ClockState {
    store.set('clock', next)
    return next
  }

  function now(): number {
    if (state.mode === 'virtual') return state.now
    latest = Math.max(latest, world() + state.aheadMs)
    return latest
  }

  function realFrom(moment: number): ClockState {
    return { mode: 'real', aheadMs: Math.max(0, moment - world()) }
  }

  return {
    get mode(): 'real' | 'virtual' {
      return state.mode
    },
    now,
    /** A virtual clock stands still; a real one continues from the present time or later. */
    setMode(mode: 'real' | 'virtual'): void {
      if (mode === state.mode) return
      state = save(mode === 'virtual' ? { mode, now: now() } : realFrom(now()))
      latest = 0
    },
    moveTo(moment: number): void {
      if (state.mode === 'virtual' && moment > state.now)
        state = save({ mode: 'virtual', now: moment })
    },
    /** Returns to a snapshot's time after a revert; a real clock continues there or later. */
    returnTo(moment: number): void {
      latest = 0
      state = save(state.mode === 'virtual' ? { mode: 'virtual', now: moment } : realFrom(moment))
    },
  }
}

/** Poll interval under a real clock: retries are planned without notice. */
const pollMs = 250
const busyMs = 20
const roundsAtOneMoment = 1000

export type Scheduler = ReturnType<typeof createScheduler>

/** Runs due work: by timers under a real clock, by `advance` under a virtual one. */
export function createScheduler(deps: {
  readonly clock: SandboxClock
  readonly sources: readonly DueSource[]
}) {
  const { clock, sources } = deps
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let atWork = 0
  let isStarted = false
  const advances = createMutex()
  /** Ends the wait of an advance. */
  let interrupt = () => {}
  let interruptions = 0
  let progress: {
    readonly from: number
    /** Milliseconds; null for the next due moment. */
    readonly until: number | null
    stops: number
    isCancelled: boolean
  } | null = null

  function nextDue(): number | null {
    const moments = sources.map((source) => source.nextDue()).filter((due) => due !== null)
    return moments.length === 0 ? null : Math.min(...moments)
  }

  function runDue(): Promise<void> {
    const run = (running ??= Promise.all(sources.map(runSource)).then(() => {
      if (running === run) running = null
    }))
    return run
  }

  async function runSource(source: DueSource): Promise<void> {
    const due = source.nextDue()
    if (due === null || due > clock.now()) return
    atWork += 1
    await source.runDue()
    atWork -= 1
  }

  function plan(): void {
    clearTimeout(timer)
    if (!isStarted || clock.mode === 'virtual') return
    const due = nextDue()
    const wait = due === null ? pollMs : Math.min(pollMs, due - clock.now())
    // A busy source is polled too: one slow endpoint must not delay others.
    timer = setTimeout(
      () => {
        for (const source of sources) void runSource(source)
        plan()
      },
      Math.max(atWork > 0 ? busyMs : 0, wait),
    )
    timer.unref()
  }

  async function runDueOrStop(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    interrupt = () => resolve(false)
    void runDue().then(() => resolve(true))
    return await promise
  }

  async function settle(stop: () => boolean): Promise<boolean> {
    for (let round = 0; round < roundsAtOneMoment; round += 1) {
      const due = nextDue()
      if (due === null || due > clock.now()) return true
      if (stop()) return false
      if (!(await runDueOrStop())) return false
    }
    return true
  }

  /** @param until milliseconds; null for the next due moment */
  async function advanceTo(until: number | null, isOver: () => boolean) {
    const current = { from: clock.now(), until, stops: 0, isCancelled: false }
    progress = current
    const stop = () => isOver() || current.isCancelled || clock.mode === 'real'
    try {
      let isSettled = await settle(stop)
      for (;;) {
        const due = nextDue()
        if (!isSettled || stop() || due === null) break
        // Work that remains due after all rounds does not stop time.
        const moment = Math.max(due, clock.now() + 1)
        if (until !== null && moment > until) break
        clock.moveTo(moment)
        current.stops += 1
        isSettled = await settle(stop)
        if (until === null) break
      }
      if (until !== null && isSettled && !stop()) clock.moveTo(until)
    } finally {
      progress = null
    }
    return current
  }

  /**
   * Moves a virtual clock forward and stops wherever work is due. Ends early when `signal` aborts,
   * it is cancelled or the state is replaced.
   */
  function advance(by: { readonly ms: number } | 'next', signal?: AbortSignal) {
    const began = interruptions
    const isOver = () => interruptions !== began || signal?.aborted === true
    return advances.run(() => advanceTo(by === 'next' ? null : clock.now() + by.ms, isOver))
  }

  return {
    start(): void {
      isStarted = true
      plan()
    },
    /** Call when work may be due sooner. */
    poke: plan,
    advance,
    progress: () => progress,
    cancelAdvance(): void {
      if (progress === null) return
      progress.isCancelled = true
      interrupt()
    },
    async runDue(signal: AbortSignal): Promise<void> {
      if (clock.mode === 'virtual') await advance({ ms: 0 }, signal)
      else await Promise.all(sources.map(runSource))
    },
    /** Stops waiting for sources whose state is being replaced. */
    interrupt(): void {
      interruptions += 1
      interrupt()
      running = null
    },
    async stop(): Promise<void> {
      isStarted = false
      clearTimeout(timer)
      interruptions += 1
      interrupt()
      await advances.settled()
    },
  }
}
