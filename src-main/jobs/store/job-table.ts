import type { JobState } from '../../../src-preload/contract/lookup.ts'
import type { Database } from '../../database/database.ts'
import { type Codec, createSql } from '../../database/sql.ts'

export type StoredJob = {
  /** Never reused within a kind. */
  readonly id: number
  /** A `JobState` or a state of the kind. */
  readonly state: string
  readonly problem: string | null
}

type StateChange = {
  readonly state: JobState
  readonly problem: string | null
  readonly finishedAt: number | null
}

export type JobTable<J extends StoredJob> = {
  get(id: number): J | null
  /**
   * Newest first.
   * @param where values by column name in camel case
   */
  list(where?: Readonly<Record<string, unknown>>): J[]
  setState(id: number, change: StateChange): void
  /** Keeps the items: see `JobKind.items`. */
  remove(id: number): void
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
): JobTable<J> {
  const sql = createSql(database, codecs)
  return {
    get: (id) => sql.all<never>(`${select} AND id = ?`, id).map(toJob)[0] ?? null,
    list(where = {}) {
      const conditions = Object.keys(where).map((name) => ` AND ${name} = $${name}`)
      return sql.all<never>(`${select}${conditions.join('')} ORDER BY id DESC`, where).map(toJob)
    },
    setState(id, { state, problem, finishedAt }) {
      sql.update(table, { state, problem, finishedAt }, { id })
    },
    remove: (id) => void sql.remove(table, { id }),
  }
}
