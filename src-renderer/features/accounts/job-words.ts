import type { JobState, LookupJob } from '../../../src-preload/contract/index.ts'
import { formatCount, formatDuration, formatNumber } from '../../format.ts'
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

export function titleOf({ name, id }: Pick<LookupJob, 'name' | 'id'>): string {
  return name === '' ? `Lookup ${id}` : name
}

/** Accounts of which one knows by now how they stand. */
export function countDone({ answered, failed }: LookupJob): number {
  return answered + failed
}

/** `8 500 of 10 000`, or the whole where all is done. */
export function printProgress(job: LookupJob): string {
  const done = countDone(job)
  const { valid } = job.counts
  return done === valid ? formatNumber(valid) : `${formatNumber(done)} of ${formatNumber(valid)}`
}

/** `120 a second, 3 min 12 s left`; empty where nothing moves or nothing is known yet. */
export function printPace({ state, rate, secondsLeft }: LookupJob): string {
  if (state !== 'running' || rate === null || rate === 0) return ''
  const pace =
    rate >= 10 ? formatNumber(Math.round(rate)) : formatNumber(Math.round(rate * 10) / 10)
  const left = secondsLeft === null ? '' : `, ${formatDuration(Math.ceil(secondsLeft) * 1e6)} left`
  return `${pace} a second${left}`
}

/** What is to be told of a lookup that has come to an end or a stop; null while it runs. */
export function outcomeOf(job: LookupJob): string | null {
  switch (job.state) {
    case 'running':
    case 'cancelled':
      return null
    case 'paused':
      return job.problem === null ? null : `The lookup waits: ${job.problem}`
    case 'failed':
      return `The lookup has failed: ${job.problem ?? 'the network could not be asked.'}`
    case 'done': {
      const failed = job.failed === 0 ? '' : `, ${formatNumber(job.failed)} failed`
      return `The lookup is done: ${formatCount(job.answered, 'account')} answered${failed}`
    }
  }
}

/** What a person may ask of it in its state. */
export function actionsOf({ state }: LookupJob) {
  return {
    canPause: state === 'running',
    canResume: state === 'paused' || state === 'failed',
    canStop: state === 'running' || state === 'paused',
    canRerun: state === 'done' || state === 'cancelled' || state === 'failed',
  }
}

/** Newer versions take the place of older ones; what is new stands first. */
export function mergeJobs(known: readonly LookupJob[], changed: readonly LookupJob[]): LookupJob[] {
  const byId = new Map([...known, ...changed].map((job) => [job.id, job]))
  return [...byId.values()].toSorted((a, b) => b.id - a.id)
}
