import type { LineCounts, LookupJob } from '../../../src-preload/contract/lookup.ts'
import type { Database } from '../../database/database.ts'
import { createSql, json } from '../../database/sql.ts'
import { createJobTable } from '../../jobs/store/job-table.ts'

export type JobRecord = Omit<LookupJob, 'rate' | 'secondsLeft'>

export type NewJob = Pick<
  LookupJob,
  'network' | 'name' | 'createdAt' | 'counts' | 'currency' | 'columns' | 'comparedTo'
>

type JobRow = Omit<JobRecord, 'counts'> & LineCounts

export function createLookupJobTable(database: Database) {
  const codecs = { columns: json }
  const sql = createSql(database, codecs)
  const select = `SELECT id, network, name, created_at, finished_at, state, problem, answered, failed,
    currency, columns, chunk, requests, compared_to, valid, duplicate, wrong_network, invalid, lines,
    beyond FROM lookup_jobs WHERE is_whole = 1`

  return {
    ...createJobTable(database, 'lookup_jobs', select, toJob, codecs),
    /** The job is running, but not listed before `finish`, because its lines are still being written. */
    add: ({ counts, ...job }: NewJob): number =>
      sql.insert('lookup_jobs', { ...job, ...counts, state: 'running' }),
    finish: (id: number) => void sql.update('lookup_jobs', { isWhole: true }, { id }),
  }
}

function toJob(row: JobRow): JobRecord {
  const { valid, duplicate, wrongNetwork, invalid, lines, beyond, ...job } = row
  return { ...job, counts: { valid, duplicate, wrongNetwork, invalid, lines, beyond } }
}
