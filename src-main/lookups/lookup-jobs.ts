import type { LookupJob } from '../../src-preload/contract/lookup.ts'
import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import type { AppContext } from '../app/context.ts'
import { createLearnedLimits } from '../app/store/settings.ts'
import { createLookupWork } from './lookup-run.ts'
import { createLookupJobTable } from './store/lookup-jobs.ts'
import type { LookupLines } from './store/lookup-lines.ts'

export function addLookupJobs(
  { access, database, events, jobs, values }: AppContext,
  lines: LookupLines,
  describePause: (network: string) => string | null,
) {
  const table = createLookupJobTable(database)
  const limits = createLearnedLimits(values, (network) => `lookup.chunk.${network}`)
  const engine = jobs.add({
    noun: 'lookup',
    unknownCode: lookupCodes.jobUnknown,
    table,
    items: lines,
    work: (job, control) => createLookupWork(job, control, access, lines, limits),
    left: ({ counts, answered, failed }) => counts.valid - answered - failed,
    show(job, work): LookupJob {
      if (work === null) return job
      return { ...job, chunk: work.chunk(), problem: job.problem ?? describePause(job.network) }
    },
    onChanged: (changed) => events.emit('lookup.changed', { jobs: changed }),
    onRemoved: (id) => events.emit('lookup.removed', { id }),
    beforeResume({ id, state, failed }) {
      if (state === 'done' || state === 'failed') lines.retry(id)
      return state !== 'done' || failed > 0
    },
    cancelGraceMs: 0,
  })
  return { ...engine, add: table.add, finish: table.finish }
}
