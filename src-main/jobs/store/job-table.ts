import type { JobState } from '../../../src-preload/contract/lookup.ts'
import { type Database, type Codec, createSql } from '../../database/sql.ts'

export type StoredJob = {
  /** The id is never reused within a kind. */
  readonly id: number
  /** The value is a `JobState` or a state of the job's kind. */
  readonly state: string
  readonly problem: string | null
}

export type JobTable<J extends StoredJob> = ReturnType<typeof createJobTable<J>>

type StateChange = Pick<StoredJob, 'problem'> & {
  readonly state: JobState
  readonly finishedAt: number | null
}

/**
 * Stores jobs in a table with the columns id (AUTOINCREMENT), state, problem and finished_at.
 * @param select a SELECT with a WHERE that excludes jobs still being written
 */
export function createJobTable<J extends StoredJob>(
  database: Database,
  table: string,
  select: string,
  toJob: (row: never) => J,
  codecs: Readonly<Record<string, Codec>> = {},
) {
  const sql = createSql(database, codecs)
  return {
    get: (id: number): J | null => sql.all<never>(`${select} AND id = ?`, id).map(toJob)[0] ?? null,
    /**
     * Lists jobs, the newest first.
     * @param where values by column name in camel case
     */
    list(where: Readonly<Record<string, unknown>> = {}): J[] {
      const conditions = Object.keys(where).map((name) => ` AND ${name} = $${name}`)
      return sql.all<never>(`${select}${conditions.join('')} ORDER BY id DESC`, where).map(toJob)
    },
    setState(id: number, change: StateChange): void {
      sql.update(table, change, { id })
    },
    /** The items stay: `JobKind.items` removes them. */
    remove: (id: number): void => void sql.remove(table, { id }),
  }
}
