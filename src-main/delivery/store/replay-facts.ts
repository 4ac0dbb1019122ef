import type { Database } from '../../database/database.ts'

/** Account and logical time of captures, by id; what is not classified is missing. */
export type ReplayFacts = (
  ids: readonly number[],
) => Map<number, { readonly account: string | null; readonly lt: bigint | null }>

/** @param index a connection to the index file */
export function createReplayFacts(index: Database): ReplayFacts {
  const facts = index.prepare(
    'SELECT id, account, lt FROM facts WHERE id IN (SELECT value FROM json_each(?))',
  )
  facts.setReadBigInts(true)
  return (ids) =>
    new Map(
      facts
        .all(JSON.stringify(ids))
        .map((row) => [
          Number(row['id']),
          { account: row['account'] as string | null, lt: row['lt'] as bigint | null },
        ]),
    )
}
