import type { LookupJob } from '../../../src-preload/contract/lookup.ts'
import { formatCount, formatNumber } from '../../format.ts'
import { printDone } from '../jobs/job-state.ts'

export function titleOf({ name, id }: Pick<LookupJob, 'name' | 'id'>): string {
  return name === '' ? `Lookup ${id}` : name
}

/** Accounts of which one knows by now how they stand. */
export function countDone({ answered, failed }: LookupJob): number {
  return answered + failed
}

export function printProgress(job: LookupJob): string {
  return printDone(countDone(job), job.counts.valid)
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
