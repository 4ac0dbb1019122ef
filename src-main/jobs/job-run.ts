import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import { isDiskFull } from '../database/database.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import { createRateMeter } from './rate-meter.ts'
import { readRefusal } from './refusal.ts'

/** `paused` means that the job waits for the user; `problem` says why. */
export type JobEnd = {
  readonly state: 'done' | 'paused' | 'failed'
  readonly problem: string | null
}

export const done: JobEnd = { state: 'done', problem: null }

export const failed = (problem: string): JobEnd => ({ state: 'failed', problem })

export const paused = (problem: string): JobEnd => ({ state: 'paused', problem })

/** The work of one run. State that must survive a kill belongs in the tables of the job's kind. */
export type JobWork = {
  /**
   * Begins the next piece of work; null if none is left. A piece that resolves with a `JobEnd` ends the
   * job. An AppError makes the job retry or pause (see `readRefusal`); any other error fails the job.
   */
  next(): Promise<JobEnd | null> | null
  /** Maximum parallel pieces; 1 by default, and always 1 between a failure and the next success. */
  maxParallel?(): number
  /** The result when no work is left; `done` by default. */
  finish?(): JobEnd
  problem?(): string | null
  /** Called when the run has ended and none of its work is pending. */
  ended?(): void
}

export function inOnePiece(piece: () => Promise<JobEnd | null>): JobWork {
  let isBegun = false
  return {
    next() {
      if (isBegun) return null
      isBegun = true
      return piece()
    },
  }
}

export type JobControl = {
  /** Aborted when no further piece may start. */
  readonly halt: AbortSignal
  /** Aborted later, to stop pending pieces. */
  readonly abort: AbortSignal
  readonly backoff: Backoff
  readonly rest: (ms: number) => Promise<void>
  readonly count: (items: number) => void
  readonly notify: () => void
}

export type JobClock = {
  readonly now: () => number
  readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
}

export const problemOfFullDisk = (noun: string) =>
  `The progress could not be stored, because the disk is full. Free some space, or delete captures. Then resume the ${noun}.`

export function toUnstoredEnd(error: unknown, noun: string): JobEnd {
  if (isDiskFull(error)) return paused(problemOfFullDisk(noun))
  return failed(`The progress could not be stored (${messageOf(error)}).`)
}

export type JobRun<W extends JobWork> = ReturnType<typeof createJobRun<W>>

/** @param noun the noun in "Then resume the lookup." */
export function createJobRun<W extends JobWork>(
  noun: string,
  makeWork: (control: JobControl) => W,
  clock: JobClock,
  notify: () => void,
  onBug: (error: unknown) => void,
) {
  const halting = new AbortController()
  const aborting = new AbortController()
  const halt = halting.signal
  const backoff = createBackoff(clock.now)
  const meter = createRateMeter(clock.now)
  const underWay = new Set<Promise<void>>()
  let end: JobEnd | null = null
  const work = makeWork({
    halt,
    abort: aborting.signal,
    backoff,
    rest,
    notify,
    count: (items) => meter.count(items),
  })

  async function rest(ms: number): Promise<void> {
    try {
      await clock.wait(ms, halt)
    } catch {
      // The job was stopped meanwhile, which `run` detects itself.
    }
  }

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
    if (halt.aborted) return null
    if (!(error instanceof AppError)) {
      if (!isDiskFull(error)) onBug(error)
      return toUnstoredEnd(error, noun)
    }
    const refusal = readRefusal(error)
    if (refusal.kind !== 'passing') return paused(`${refusal.message} Then resume the ${noun}.`)
    backoff.pause(refusal.message, refusal.retryAfterMs)
    return null
  }

  /** Null when the run was stopped. Never rejects. */
  const outcome = run()
    .catch(endOf)
    .finally(() => work.ended?.())
  return {
    work,
    outcome,
    async stop(graceMs: number): Promise<void> {
      halting.abort()
      const grace = new AbortController()
      const late = clock.wait(graceMs, grace.signal).then(
        () => aborting.abort(),
        () => undefined,
      )
      await outcome
      grace.abort()
      await late
    },
    rate: () => meter.rate(),
    problem: () => backoff.problem() ?? work.problem?.() ?? null,
  }
}

/** Runs short steps and lets other work run in between. */
export async function runInSteps(steps: Iterable<unknown>): Promise<void> {
  const iterator = steps[Symbol.iterator]()
  while (iterator.next().done !== true) await yieldToEventLoop()
}
