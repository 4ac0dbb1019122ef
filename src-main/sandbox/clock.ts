import type { ControlStore } from './store/database.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'

/** The current time of the chain, invoices and deliveries. */
export type Clock = {
  readonly mode: 'real' | 'virtual'
  /** Returns milliseconds that never decrease. */
  now(): number
}

/** A source of scheduled work: a retry, an expiry, a step of activity. */
export type DueSource = {
  /** Returns milliseconds; null if nothing is planned. Called often, so it must be fast. */
  nextDue(): number | null
  /** Runs all work that is due, including deliveries and their responses. Never rejects. */
  runDue(): Promise<void>
}

export const toSeconds = (ms: number): number => Math.floor(ms / 1000)

/** Earliest start of a virtual clock, because the Mainnet configuration is not older. */
export const firstMoment = Date.UTC(2020, 0, 1)

/** Block times are 32-bit seconds, so the sandbox's time ends before they overflow. */
export const lastMoment = Date.UTC(2100, 0, 1)

export type SandboxClock = ReturnType<typeof createSandboxClock>

type ClockState =
  | { readonly mode: 'real'; readonly aheadMs: number }
  | { mode: 'virtual'; now: number }

/**
 * Creates the adjustable clock, which is stored in the database.
 * @param deps.first the mode of a new clock
 * @param deps.start the start of a new virtual clock in milliseconds; now by default
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
  /** The computer's clock may be set back; this clock then stands still. */
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

  const realFrom = (moment: number): ClockState => ({
    mode: 'real',
    aheadMs: Math.max(0, moment - world()),
  })

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
    /** Returns to the time of a snapshot after a revert; a real clock continues there or later. */
    returnTo(moment: number): void {
      latest = 0
      state = save(state.mode === 'virtual' ? { mode: 'virtual', now: moment } : realFrom(moment))
    },
  }
}

/** Poll interval with a real clock, because retries are planned without a notification. */
const pollMs = 250
const busyMs = 20
const roundsAtOneMoment = 1000

type Progress = {
  readonly from: number
  /** The time in milliseconds; null for the next due time. */
  readonly until: number | null
  stops: number
  isCancelled: boolean
}

/** Runs due work: by timers with a real clock, by `advance` with a virtual one. */
export class Scheduler {
  readonly #clock: Pick<SandboxClock, 'mode' | 'now' | 'moveTo'>
  readonly #sources: readonly DueSource[]
  readonly #advances = createMutex()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | null = null
  #atWork = 0
  #isStarted = false
  /** Ends the waiting of an advance. */
  #endWait = () => {}
  #interruptions = 0
  #progress: Progress | null = null

  /** @param deps.sources may be completed before the start */
  constructor(deps: {
    readonly clock: Pick<SandboxClock, 'mode' | 'now' | 'moveTo'>
    readonly sources: readonly DueSource[]
  }) {
    this.#clock = deps.clock
    this.#sources = deps.sources
  }

  start(): void {
    this.#isStarted = true
    this.poke()
  }

  /** Call this when work may be due earlier. */
  poke(): void {
    clearTimeout(this.#timer)
    if (!this.#isStarted || this.#clock.mode === 'virtual') return
    const due = this.#nextDue()
    const wait = due === null ? pollMs : Math.min(pollMs, due - this.#clock.now())
    // Busy sources are polled too, because one slow endpoint must not delay others.
    this.#timer = setTimeout(
      () => {
        for (const source of this.#sources) void this.#runSource(source)
        this.poke()
      },
      Math.max(this.#atWork > 0 ? busyMs : 0, wait),
    )
    this.#timer.unref()
  }

  /**
   * Moves a virtual clock forward and stops whenever work is due. Ends early if `signal` aborts, if
   * it is cancelled or if the state is replaced.
   */
  advance(by: { readonly ms: number } | 'next', signal?: AbortSignal) {
    const began = this.#interruptions
    const isOver = () => this.#interruptions !== began || signal?.aborted === true
    return this.#advances.run(() =>
      this.#advanceTo(by === 'next' ? null : this.#clock.now() + by.ms, isOver),
    )
  }

  progress(): Readonly<Progress> | null {
    return this.#progress
  }

  cancelAdvance(): void {
    if (this.#progress === null) return
    this.#progress.isCancelled = true
    this.#endWait()
  }

  async runDue(signal: AbortSignal): Promise<void> {
    if (this.#clock.mode === 'virtual') await this.advance({ ms: 0 }, signal)
    else await Promise.all(this.#sources.map((source) => this.#runSource(source)))
  }

  /** Stops waiting for sources whose state is being replaced. */
  interrupt(): void {
    this.#interruptions += 1
    this.#endWait()
    this.#running = null
  }

  async stop(): Promise<void> {
    this.#isStarted = false
    clearTimeout(this.#timer)
    this.#interruptions += 1
    this.#endWait()
    await this.#advances.settled()
  }

  #nextDue(): number | null {
    const moments = this.#sources.map((source) => source.nextDue()).filter((due) => due !== null)
    return moments.length === 0 ? null : Math.min(...moments)
  }

  async #runSource(source: DueSource): Promise<void> {
    const due = source.nextDue()
    if (due === null || due > this.#clock.now()) return
    this.#atWork += 1
    await source.runDue()
    this.#atWork -= 1
  }

  #runDue(): Promise<void> {
    const run = (this.#running ??= Promise.all(
      this.#sources.map((source) => this.#runSource(source)),
    ).then(() => {
      if (this.#running === run) this.#running = null
    }))
    return run
  }

  async #runDueOrStop(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#endWait = () => resolve(false)
    void this.#runDue().then(() => resolve(true))
    return await promise
  }

  async #settle(stop: () => boolean): Promise<boolean> {
    for (let round = 0; round < roundsAtOneMoment; round += 1) {
      const due = this.#nextDue()
      if (due === null || due > this.#clock.now()) return true
      if (stop()) return false
      if (!(await this.#runDueOrStop())) return false
    }
    return true
  }

  /** @param until milliseconds; null for the next due time */
  async #advanceTo(until: number | null, isOver: () => boolean): Promise<Readonly<Progress>> {
    const clock = this.#clock
    const current: Progress = { from: clock.now(), until, stops: 0, isCancelled: false }
    this.#progress = current
    const stop = () => isOver() || current.isCancelled || clock.mode === 'real'
    try {
      let isSettled = await this.#settle(stop)
      for (;;) {
        const due = this.#nextDue()
        if (!isSettled || stop() || due === null) break
        // Work that is still due after all rounds does not stop the time.
        const moment = Math.max(due, clock.now() + 1)
        if (until !== null && moment > until) break
        clock.moveTo(moment)
        current.stops += 1
        isSettled = await this.#settle(stop)
        if (until === null) break
      }
      if (until !== null && isSettled && !stop()) clock.moveTo(until)
    } finally {
      this.#progress = null
    }
    return current
  }
}
