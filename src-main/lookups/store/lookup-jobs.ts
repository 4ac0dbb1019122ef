import type { JobState, LineCounts, LookupJob } from '../../../src-preload/contract/lookup.ts'
import type { Database } from '../../database/database.ts'

/** A job as it is kept; its pace is known only while it runs. */
export type JobRecord = Omit<LookupJob, 'rate' | 'secondsLeft'>

export type NewJob = Pick<
  LookupJob,
  'network' | 'name' | 'createdAt' | 'counts' | 'currency' | 'columns' | 'comparedTo'
>

export type LookupJobs = {
  /** Running, and not listed before `finish`: its lines have still to be written. Ids are never used twice. */
  begin(job: NewJob): number
  finish(id: number): void
  /** Newest first. */
  list(): JobRecord[]
  get(id: number): JobRecord | null
  setState(
    id: number,
    change: {
      readonly state: JobState
      readonly problem: string | null
      readonly finishedAt: number | null
    },
  ): void
  setProblem(id: number, problem: string | null): void
  /** Its lines stay: see `LookupLines.orphans`. */
  remove(id: number): void
}

export function createLookupJobs(database: Database): LookupJobs {
  const insert = database.prepare(
    `INSERT INTO lookup_jobs (network, name, created_at, state, currency, compared_to,
       valid, duplicate, wrong_network, invalid, lines, beyond, columns)
     VALUES (?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const finish = database.prepare('UPDATE lookup_jobs SET is_whole = 1 WHERE id = ?')
  const list = database.prepare('SELECT * FROM lookup_jobs WHERE is_whole = 1 ORDER BY id DESC')
  const one = database.prepare('SELECT * FROM lookup_jobs WHERE id = ? AND is_whole = 1')
  const setState = database.prepare(
    'UPDATE lookup_jobs SET state = ?, problem = ?, finished_at = ? WHERE id = ?',
  )
  const setProblem = database.prepare('UPDATE lookup_jobs SET problem = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM lookup_jobs WHERE id = ?')

  return {
    begin({ network, name, createdAt, counts, currency, columns, comparedTo }) {
      const { valid, duplicate, wrongNetwork, invalid, lines, beyond } = counts
      const figures = [valid, duplicate, wrongNetwork, invalid, lines, beyond]
      const added = insert.run(
        network,
        name,
        createdAt,
        currency,
        comparedTo,
        ...figures,
        JSON.stringify(columns),
      )
      return Number(added.lastInsertRowid)
    },
    finish: (id) => void finish.run(id),
    list: () => list.all().map(toJob),
    get(id) {
      const row = one.get(id)
      return row === undefined ? null : toJob(row)
    },
    setState: (id, { state, problem, finishedAt }) =>
      void setState.run(state, problem, finishedAt, id),
    setProblem: (id, problem) => void setProblem.run(problem, id),
    remove: (id) => void remove.run(id),
  }
}

function toJob(row: Record<string, unknown>): JobRecord {
  return {
    id: row['id'] as number,
    network: row['network'] as string,
    name: row['name'] as string,
    createdAt: row['created_at'] as number,
    finishedAt: row['finished_at'] as number | null,
    state: row['state'] as JobState,
    problem: row['problem'] as string | null,
    counts: toCounts(row),
    answered: row['answered'] as number,
    failed: row['failed'] as number,
    currency: row['currency'] as string | null,
    columns: JSON.parse(row['columns'] as string) as string[],
    chunk: row['chunk'] as number | null,
    requests: row['requests'] as number,
    comparedTo: row['compared_to'] as number | null,
  }
}

function toCounts(row: Record<string, unknown>): LineCounts {
  return {
    valid: row['valid'] as number,
    duplicate: row['duplicate'] as number,
    wrongNetwork: row['wrong_network'] as number,
    invalid: row['invalid'] as number,
    lines: row['lines'] as number,
    beyond: row['beyond'] as number,
  }
}
