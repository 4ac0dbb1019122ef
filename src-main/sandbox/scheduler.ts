import type { DueSource, SandboxClock } from './clock.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'

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
