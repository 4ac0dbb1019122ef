import type { Database } from '../../database/database.ts'
import { createSql, int64 } from '../../database/sql.ts'

/** Account and logical time of captures, by id; what is not classified is missing. */
export type ReplayFacts = (
  ids: readonly number[],
) => Map<number, { readonly account: string | null; readonly lt: bigint | null }>

/** @param index a connection to the index file */
export function createReplayFacts(index: Database): ReplayFacts {
  const sql = createSql(index, { lt: int64 })
  return (ids) => {
    const facts = sql.all<{ id: number; account: string | null; lt: bigint | null }>(
      'SELECT id, account, lt FROM facts WHERE id IN (SELECT value FROM json_each(?))',
      JSON.stringify(ids),
    )
    return new Map(facts.map(({ id, account, lt }) => [id, { account, lt }]))
  }
}
