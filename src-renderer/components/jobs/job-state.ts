/** The states of long work of the main process, in words, and the actions that each of them allows. */
import type { JobState } from '../../../src-preload/contract/lookup.ts'
import type { RouteName } from '../../../src-preload/contract/routes.ts'
import { fetchData, patch, peek } from '../../app/queries.ts'
import { formatDuration, formatNumber } from '../../ui/format.ts'
import type { Tone } from '../../ui/tag.tsx'

export const stateWords: Record<JobState, string> = {
  running: 'running',
  paused: 'paused',
  done: 'done',
  cancelled: 'stopped',
  failed: 'failed',
}

export const stateTones: Record<JobState, Tone> = {
  running: 'plain',
  paused: 'warn',
  done: 'ok',
  cancelled: 'plain',
  failed: 'bad',
}

/** `8 500 of 10 000`, or the whole where all is done. */
export function printDone(done: number, total: number): string {
  return done === total ? formatNumber(total) : `${formatNumber(done)} of ${formatNumber(total)}`
}

/** `120 a second, 3 min 12 s left`; empty where nothing moves or nothing is known yet. */
export function printPace({
  state,
  rate,
  secondsLeft,
}: {
  readonly state: JobState
  readonly rate: number | null
  readonly secondsLeft: number | null
}): string {
  if (state !== 'running' || rate === null || rate === 0) return ''
  const pace =
    rate >= 10 ? formatNumber(Math.round(rate)) : formatNumber(Math.round(rate * 10) / 10)
  const left = secondsLeft === null ? '' : `, ${formatDuration(Math.ceil(secondsLeft) * 1e6)} left`
  return `${pace} a second${left}`
}

/** The message about a job that has ended or stopped; null while it runs. */
export function sayOutcome(
  { state, problem }: { readonly state: JobState; readonly problem: string | null },
  counts: string,
  /** Where a failed one does not say why. */
  whyFailed = 'the gateway does not respond.',
): string | null {
  switch (state) {
    case 'running':
      return null
    case 'paused':
      return problem === null ? null : `Paused: ${problem}`
    case 'failed':
      return `Failed: ${problem ?? whyFailed} ${counts}.`
    case 'cancelled':
      return `Stopped: ${counts}`
    case 'done':
      return counts
  }
}

/** It will not continue. */
export function isOver({ state }: { readonly state: JobState }): boolean {
  return state === 'done' || state === 'cancelled'
}

/** The actions that its state allows. */
export function actionsOf({ state }: { readonly state: JobState }) {
  return {
    canPause: state === 'running',
    canResume: state === 'paused' || state === 'failed',
    canStop: state === 'running' || state === 'paused',
    canRerun: state === 'done' || state === 'cancelled' || state === 'failed',
  }
}

/** Newer versions take the place of older ones; what is new stands first. */
export function mergeJobs<T extends { readonly id: number }>(
  known: readonly T[],
  changed: readonly T[],
): T[] {
  const byId = new Map([...known, ...changed].map((job) => [job.id, job]))
  return [...byId.values()].toSorted((a, b) => b.id - a.id)
}

/**
 * Takes newer versions of jobs into the lists they belong to. A list that was never loaded is loaded: the
 * next change is then compared with it.
 */
export function takeJobs<T extends { readonly id: number }>(
  list: RouteName,
  inputOf: (job: T) => unknown,
  jobs: readonly T[],
): void {
  const name = list as 'lookup.list'
  for (const job of jobs) {
    const input = inputOf(job) as undefined
    if (peek(name, input) === undefined) void fetchData(name, input).catch(() => undefined)
    else patch(name, input, (known) => mergeJobs(known, [job as never]))
  }
}
