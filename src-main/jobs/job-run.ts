/** One run of a job: begins its work piece by piece until the work has ended or somebody stops the run. */
import { AppError } from '../../src-preload/domain/app-error.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import { createPace } from './pace.ts'
import { readRefusal } from './refusal.ts'

/** How the work of a job ended. `paused`: it waits for the user, and `problem` says for what. */
export type JobEnd = {
  readonly state: 'done' | 'paused' | 'failed'
  readonly problem: string | null
}

export const done: JobEnd = { state: 'done', problem: null }

/** What a kind does in one run of a job. What has to survive a kill is in the kind's own tables. */
export type JobWork = {
  /**
   * Begins the next piece of work; null when nothing is left to begin. A piece that resolves with an end
   * ends the job. An AppError that a piece throws lets the job wait and try again, or pauses it (see
   * `readRefusal`); any other error fails the job.
   */
  next(): Promise<JobEnd | null> | null
  /** How many pieces may be under way; 1 by default, and always 1 after a failure until a success. */
  maxParallel?(): number
  /** The end of the job when nothing is left; `done` by default. */
  finish?(): JobEnd
  /** Why the running job waits, besides the pauses after failures. */
  problem?(): string | null
  /** The run has ended, whatever the reason, and nothing of it is under way. */
  ended?(): void
}

/** What a run offers to the work of a kind. */
export type JobControl = {
  /** Aborted when the run is to begin nothing more. */
  readonly halt: AbortSignal
  /** Aborted later: what is still under way is given up. */
  readonly abort: AbortSignal
  readonly backoff: Backoff
  /** Waits; ends early at `halt`. */
  readonly rest: (ms: number) => Promise<void>
  /** So many items have been settled: the rate is made of them. */
  readonly count: (items: number) => void
  /** Shows the job anew; happens by itself after each piece. */
  readonly notify: () => void
}

export type JobRun<W extends JobWork> = {
  readonly work: W
  /** Null when the run was stopped. Never rejects. */
  readonly outcome: Promise<JobEnd | null>
  /** Begins nothing more; what is under way has so long to end. */
  stop(graceMs: number): Promise<void>
  /** Items a second; null while there is nothing to measure. */
  rate(): number | null
  /** Why the job waits, and what happens next. */
  problem(): string | null
}

export type JobClock = {
  readonly now: () => number
  /** Rejects when aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/** @param noun as in "Then resume the lookup." */
export function createJobRun<W extends JobWork>(
  noun: string,
  makeWork: (control: JobControl) => W,
  clock: JobClock,
  notify: () => void,
  onBug: (error: unknown) => void,
): JobRun<W> {
  const { halt, abort, rest, stop } = createGracefulStop(clock.wait)
  const backoff = createBackoff(clock.now)
  const pace = createPace(clock.now)
  const underWay = new Set<Promise<void>>()
  let end: JobEnd | null = null
  const work = makeWork({
    ...{ halt, abort, backoff, rest, notify },
    count: (items) => pace.count(items),
  })

  async function run(): Promise<JobEnd | null> {
    for (;;) {
      if (end === null && backoff.leftMs() > 0) await rest(backoff.leftMs())
      if (!halt.aborted && end === null && underWay.size < maxParallel() && begin()) continue
      if (underWay.size > 0) await Promise.race(underWay)
      else if (end !== null || halt.aborted) return end
      else return work.finish?.() ?? done
    }
  }

  const maxParallel = () => (backoff.isTried() ? 1 : (work.maxParallel?.() ?? 1))

  /** False when nothing is left. */
  function begin(): boolean {
    let next
    try {
      next = work.next()
    } catch (error) {
      end = endOf(error)
      return true
    }
    if (next === null) return false
    const piece = next
      .catch(endOf)
      .then((ended) => {
        end ??= ended
        notify()
      })
      .finally(() => underWay.delete(piece))
    underWay.add(piece)
    return true
  }

  function endOf(error: unknown): JobEnd | null {
    // A request that was given up; the next run makes it again.
    if (halt.aborted) return null
    if (!(error instanceof AppError)) {
      onBug(error)
      const why = error instanceof Error ? error.message : String(error)
      return { state: 'failed', problem: `What was done could not be stored (${why}).` }
    }
    const refusal = readRefusal(error)
    if (refusal.kind !== 'passing') {
      return { state: 'paused', problem: `${refusal.message} Then resume the ${noun}.` }
    }
    backoff.pause(refusal.message, refusal.retryAfterMs)
    return null
  }

  const outcome = run()
    .catch(endOf)
    .finally(() => work.ended?.())
  return {
    work,
    outcome,
    stop: (graceMs) => stop(outcome, graceMs),
    rate: () => pace.rate(),
    problem: () => backoff.problem() ?? work.problem?.() ?? null,
  }
}

/** How a run is stopped: nothing more is begun, and what is under way has so long to be answered. */
type GracefulStop = {
  /** Aborted at once. */
  readonly halt: AbortSignal
  /** Aborted when the time is over. */
  readonly abort: AbortSignal
  /** @param outcome never rejects */
  readonly stop: (outcome: Promise<unknown>, graceMs: number) => Promise<void>
  /** Ends early when halted. */
  readonly rest: (ms: number) => Promise<void>
}

/** @param wait rejects when aborted */
function createGracefulStop(
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>,
): GracefulStop {
  const halt = new AbortController()
  const abort = new AbortController()
  return {
    halt: halt.signal,
    abort: abort.signal,
    async stop(outcome, graceMs) {
      halt.abort()
      const grace = new AbortController()
      const late = wait(graceMs, grace.signal).then(
        () => abort.abort(),
        () => undefined,
      )
      await outcome
      grace.abort()
      await late
    },
    async rest(ms) {
      try {
        await wait(ms, halt.signal)
      } catch {
        // Stopped meanwhile, which the run sees.
      }
    },
  }
}
