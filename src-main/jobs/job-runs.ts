/** Jobs that are kept, while they run: one run a job, what ends it written down, changes told. */
import type { JobState } from '../../src-preload/contract/lookup.ts'
import { createChangeNotifier } from './change-notifier.ts'
import type { Outcome } from './outcome.ts'

export type Run = {
  /** Never rejects. */
  readonly outcome: Promise<Outcome>
  /** Begins nothing more; what is under way has so long to be answered and kept. */
  stop(graceMs: number): Promise<void>
}

type StateChange = {
  readonly state: JobState
  readonly problem: string | null
  readonly finishedAt: number | null
}

type JobRuns<R extends Run> = {
  get(id: number): R | undefined
  /** Nothing as the app ends: it is gone on with at the next start. */
  start(id: number): void
  /** As a person wants it, until resumed. */
  pause(id: number): Promise<void>
  /** Marks it as running, and runs it unless a run that was just paused is still there. */
  resume(id: number, prepare?: () => void): Promise<void>
  /** @param graceMs for what is under way */
  cancel(id: number, graceMs: number): Promise<void>
  /** Only the run: what is written of the job stays. */
  halt(id: number, graceMs: number): Promise<void>
  tell(id: number): void
  /** Ends all, to be gone on with. */
  stop(): Promise<void>
}

type JobRunsDeps<R extends Run> = {
  readonly make: (id: number) => R
  readonly stateOf: (id: number) => JobState | null
  readonly setState: (id: number, change: StateChange) => void
  /** At most four times a second. */
  readonly emit: (ids: readonly number[]) => void
  readonly now: () => number
  /** Rejects when aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly onBug: (error: unknown) => void
}

/** What is under way when a person pauses has this long to be answered. */
const pauseGraceMs = 5000
const endGraceMs = 1000

export function createJobRuns<R extends Run>(deps: JobRunsDeps<R>): JobRuns<R> {
  const { setState, now } = deps
  const runs = new Map<number, R>()
  let isStopped = false
  const notifier = createChangeNotifier({ ...deps, running: () => runs.keys() })

  function start(id: number): void {
    if (isStopped) return
    const run = deps.make(id)
    runs.set(id, run)
    run.outcome
      .then((outcome) => {
        runs.delete(id)
        end(id, outcome)
      })
      .catch(deps.onBug)
  }

  function end(id: number, { state, problem }: Outcome): void {
    // What a person has said meanwhile stands.
    if (state === 'stopped' || deps.stateOf(id) !== 'running') return
    setState(id, { state, problem, finishedAt: state === 'paused' ? null : now() })
    notifier.tell(id)
  }

  async function halt(id: number, graceMs: number): Promise<void> {
    await runs.get(id)?.stop(graceMs)
  }

  return {
    get: (id) => runs.get(id),
    start,
    halt,
    tell: (id) => notifier.tell(id),
    async pause(id) {
      setState(id, { state: 'paused', problem: null, finishedAt: null })
      await halt(id, pauseGraceMs)
      notifier.tell(id)
    },
    async resume(id, prepare) {
      // One that was just paused may still be waiting for an answer.
      await halt(id, pauseGraceMs)
      if (runs.has(id)) return
      prepare?.()
      setState(id, { state: 'running', problem: null, finishedAt: null })
      start(id)
      notifier.tell(id)
    },
    async cancel(id, graceMs) {
      setState(id, { state: 'cancelled', problem: null, finishedAt: now() })
      await halt(id, graceMs)
      notifier.tell(id)
    },
    async stop() {
      isStopped = true
      notifier.stop()
      await Promise.all([...runs.keys()].map((id) => halt(id, endGraceMs)))
    },
  }
}
