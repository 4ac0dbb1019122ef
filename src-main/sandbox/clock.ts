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

/** The adjustable clock, stored in the database. */
export type SandboxClock = Clock & {
  /** A virtual clock stands still; a real one continues from the present time or later. */
  setMode(mode: 'real' | 'virtual'): void
  /** Moves a virtual clock forward. */
  moveTo(moment: number): void
  /** Returns to a snapshot's time after a revert; a real clock continues there or later. */
  returnTo(moment: number): void
}

type Kept = { readonly mode: 'real'; readonly aheadMs: number } | { mode: 'virtual'; now: number }

/**
 * @param deps.first mode of a new clock
 * @param deps.start milliseconds, for a new virtual clock; default now
 */
export function createSandboxClock(deps: {
  readonly store: ControlStore
  readonly first: 'real' | 'virtual'
  readonly start?: number | undefined
  readonly world?: () => number
}): SandboxClock {
  const { store, world = Date.now } = deps
  let kept =
    (store.get('clock') as Kept | undefined) ??
    keep(
      deps.first === 'virtual'
        ? { mode: 'virtual', now: deps.start ?? world() }
        : { mode: 'real', aheadMs: 0 },
    )
  /** The computer's clock may go back; this one then stands still. */
  let latest = 0

  function keep(next: Kept): Kept {
    store.set('clock', next)
    return next
  }

  function now(): number {
    if (kept.mode === 'virtual') return kept.now
    latest = Math.max(latest, world() + kept.aheadMs)
    return latest
  }

  function realFrom(moment: number): Kept {
    return { mode: 'real', aheadMs: Math.max(0, moment - world()) }
  }

  return {
    get mode() {
      return kept.mode
    },
    now,
    setMode(mode) {
      if (mode === kept.mode) return
      kept = keep(mode === 'virtual' ? { mode, now: now() } : realFrom(now()))
      latest = 0
    },
    moveTo(moment) {
      if (kept.mode === 'virtual' && moment > kept.now)
        kept = keep({ mode: 'virtual', now: moment })
    },
    returnTo(moment) {
      latest = 0
      kept = keep(kept.mode === 'virtual' ? { mode: 'virtual', now: moment } : realFrom(moment))
    },
  }
}

/** Runs due work: by timers under a real clock, by `advance` under a virtual one. */
export type Scheduler = {
  start(): void
  /** Call when work may be due sooner. */
  poke(): void
  /**
   * Moves a virtual clock forward and stops wherever work is due. Ends early when `signal` aborts,
   * it is cancelled or the state is replaced.
   */
  advance(by: { readonly ms: number } | 'next', signal?: AbortSignal): Promise<Advanced>
  progress(): Progress | null
  cancelAdvance(): void
  runDue(signal: AbortSignal): Promise<void>
  /** Stops waiting for sources whose state is being replaced. */
  interrupt(): void
  stop(): Promise<void>
}

type Advanced = {
  readonly stops: number
  readonly isCancelled: boolean
}

type Progress = {
  readonly from: number
  /** Milliseconds; null for the next due moment. */
  readonly until: number | null
  readonly stops: number
}

/** Poll interval under a real clock: retries are planned without notice. */
const askMs = 250
const busyMs = 20
/** Limit for a source that is due again at once. */
const roundsAtOneMoment = 1000

export function createScheduler(deps: {
  readonly clock: SandboxClock
  readonly sources: readonly DueSource[]
}): Scheduler {
  const { clock, sources } = deps
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let atWork = 0
  let isStarted = false
  const advances = createMutex()
  /** Lets go of what an advance waits for. */
  let interrupt = () => {}
  let interruptions = 0
  let progress: (Progress & { stops: number; isCancelled: boolean }) | null = null

  function nextDue(): number | null {
    let next: number | null = null
    for (const source of sources) {
      const due = source.nextDue()
      if (due !== null && (next === null || due < next)) next = due
    }
    return next
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
    const wait = due === null ? askMs : Math.min(askMs, due - clock.now())
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

  /** @returns false when interrupted */
  async function settle(stop: () => boolean): Promise<boolean> {
    for (let round = 0; round < roundsAtOneMoment; round += 1) {
      const due = nextDue()
      if (due === null || due > clock.now()) return true
      if (stop()) return false
      if (!(await runDueOrStop())) return false
    }
    return true
  }

  async function advance(
    by: { readonly ms: number } | 'next',
    isOver: () => boolean,
  ): Promise<Advanced> {
    const end = by === 'next' ? null : clock.now() + by.ms
    const mine = { from: clock.now(), until: end, stops: 0, isCancelled: false }
    progress = mine
    const stop = () => isOver() || mine.isCancelled || clock.mode === 'real'
    try {
      await moveOn(mine, stop)
    } finally {
      progress = null
    }
    return mine
  }

  async function moveOn(
    mine: { readonly until: number | null; stops: number },
    stop: () => boolean,
  ): Promise<void> {
    if (!(await settle(stop))) return
    for (;;) {
      const due = nextDue()
      if (due === null) break
      // Work that remains due after all rounds does not stop time.
      const moment = Math.max(due, clock.now() + 1)
      if (mine.until !== null && moment > mine.until) break
      if (stop()) return
      clock.moveTo(moment)
      mine.stops += 1
      if (!(await settle(stop)) || mine.until === null) return
    }
    if (mine.until !== null && !stop()) clock.moveTo(mine.until)
  }

  function takeTurn(by: { readonly ms: number } | 'next', signal?: AbortSignal): Promise<Advanced> {
    const began = interruptions
    const isOver = () => interruptions !== began || signal?.aborted === true
    return advances.run(() => advance(by, isOver))
  }

  return {
    start() {
      isStarted = true
      plan()
    },
    poke: plan,
    advance: takeTurn,
    progress: () => progress,
    cancelAdvance() {
      if (progress === null) return
      progress.isCancelled = true
      interrupt()
    },
    async runDue(signal) {
      if (clock.mode === 'virtual') await takeTurn({ ms: 0 }, signal)
      else await Promise.all(sources.map(runSource))
    },
    interrupt() {
      interruptions += 1
      interrupt()
      running = null
    },
    async stop() {
      isStarted = false
      clearTimeout(timer)
      interruptions += 1
      interrupt()
      await advances.settled()
    },
  }
}
