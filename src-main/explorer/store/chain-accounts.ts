import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

/** Looked at by hand, so that this many are years; a few KiB each. */
const maxKept = 20_000

export type AccountRecords = ReturnType<typeof createAccountRecords>

/**
 * What was last seen of accounts, each on one network. Addresses are raw, answers JSON.
 * @param max for tests
 */
export function createAccountRecords(database: Database, max = maxKept) {
  const sql = createSql(database)
  return {
    /** Adds or renews, and lets the oldest go where there are too many. */
    put: (
      network: string,
      { address, answer }: { readonly address: string; readonly answer: string },
      now: number,
    ) =>
      sql.transaction(() => {
        const record = { network, address, answer, fetchedAt: now }
        sql.insert('chain_accounts', record, 'INSERT OR REPLACE')
        sql.run(
          `DELETE FROM chain_accounts WHERE (network, address) IN (
             SELECT network, address FROM chain_accounts
             ORDER BY fetched_at DESC LIMIT -1 OFFSET ?)`,
          max,
        )
      }),
    find: (network: string, address: string) =>
      sql.value<string>(
        'SELECT answer FROM chain_accounts WHERE network = ? AND address = ?',
        ...[network, address],
      ),
  }
}
