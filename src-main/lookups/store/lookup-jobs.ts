import type { LineCounts, LookupJob } from '../../../src-preload/contract/lookup.ts'
import type { Database } from '../../database/database.ts'
import { createSql, json } from '../../database/sql.ts'

/** A job as it is kept; its pace is known only while it runs. */
export type JobRecord = Omit<LookupJob, 'rate' | 'secondsLeft'>

export type NewJob = Pick<
  LookupJob,
  'network' | 'name' | 'createdAt' | 'counts' | 'currency' | 'columns' | 'comparedTo'
>

type JobRow = Omit<JobRecord, 'counts'> & LineCounts

export type LookupJobs = ReturnType<typeof createLookupJobs>

export function createLookupJobs(database: Database) {
  const sql = createSql(database, { columns: json })
  const select = `SELECT id, network, name, created_at, finished_at, state, problem, answered, failed,
    currency, columns, chunk, requests, compared_to, valid, duplicate, wrong_network, invalid, lines,
    beyond FROM lookup_jobs WHERE is_whole = 1`

  return {
    /** Running, and not listed before `finish`: its lines have still to be written. Ids are never used twice. */
    begin: ({ network, name, createdAt, counts, currency, columns, comparedTo }: NewJob): number =>
      sql.insert('lookup_jobs', {
        ...{ network, name, createdAt, currency, columns, comparedTo, ...counts },
        state: 'running',
      }),
    finish: (id: number) => void sql.update('lookup_jobs', { isWhole: true }, { id }),
    /** Newest first. */
    list: () => sql.all<JobRow>(`${select} ORDER BY id DESC`).map(toJob),
    get(id: number): JobRecord | null {
      const row = sql.get<JobRow>(`${select} AND id = ?`, id)
      return row && toJob(row)
    },
    setState(id: number, change: Pick<JobRecord, 'state' | 'problem' | 'finishedAt'>): void {
      const { state, problem, finishedAt } = change
      sql.update('lookup_jobs', { state, problem, finishedAt }, { id })
    },
    setProblem: (id: number, problem: string | null) =>
      void sql.update('lookup_jobs', { problem }, { id }),
    /** Its lines stay: see `LookupLines.orphans`. */
    remove: (id: number) => void sql.remove('lookup_jobs', { id }),
  }
}

function toJob(row: JobRow): JobRecord {
  const { valid, duplicate, wrongNetwork, invalid, lines, beyond, ...job } = row
  return { ...job, counts: { valid, duplicate, wrongNetwork, invalid, lines, beyond } }
}
