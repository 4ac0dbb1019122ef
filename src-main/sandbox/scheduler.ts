import type { DueSource, SandboxClock } from './clock.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'

/** Sees to it that what is due is done: by timers under a real clock, when it is moved under a virtual. */
export type Scheduler = {
  /** Begins; until then nothing is done. */
  start(): void
  /** Something new may be due sooner than was thought. */
  poke(): void
  /**
   * Moves a virtual clock on, stopping at each moment at which something is due and waiting until
   * it is done. Ends early when `signal` is aborted, it is cancelled or the state is replaced.
   */
  advance(by: { readonly ms: number } | 'next', signal?: AbortSignal): Promise<Advanced>
  /** The advance under way; null for none. */
  progress(): Progress | null
  /** Ends the advance under way where it is. */
  cancelAdvance(): void
  /** Does what is due at this moment, on both clocks. */
  runDue(signal: AbortSignal): Promise<void>
  /** Waits for no source any longer: the state they work on is replaced. */
  interrupt(): void
  /** Resolves when what is under way is done. */
  stop(): Promise<void>
}

type Advanced = {
  /** How many times the clock stopped on the way. */
  readonly stops: number
  readonly isCancelled: boolean
}

type Progress = {
  /** Where the clock stood at the beginning, milliseconds. */
  readonly from: number
  /** Where the clock is to stand at the end, milliseconds; null for the next moment something is due. */
  readonly until: number | null
  readonly stops: number
}

/** Under a real clock the sources are asked at least so often: a retry is planned without a word. */
const askMs = 250
/** Not sooner while something is under way. */
const busyMs = 20
/** A source that is due again at once, for ever, may not keep a virtual clock from moving. */
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
    // What one endpoint takes its time with holds up nothing else, so one that is at work is asked
    // again all the same.
    timer = setTimeout(
      () => {
        for (const source of sources) void runSource(source)
        plan()
      },
      Math.max(atWork > 0 ? busyMs : 0, wait),
    )
    timer.unref()
  }

  /** @returns false when it was interrupted before all was done */
  async function runDueOrStop(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    interrupt = () => resolve(false)
    void runDue().then(() => resolve(true))
    return await promise
  }

  /** Everything that is due at the moment the clock shows. @returns false when interrupted */
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
      // What is due still, after all its rounds, does not hold time up.
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
