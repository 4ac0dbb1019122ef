import { type Database, transaction } from '../../database/database.ts'

/** What was last seen of accounts, each on one network. Addresses are raw, answers JSON. */
export type AccountRecords = {
  /** Adds or renews, and lets the oldest go where there are too many. */
  put(
    network: string,
    record: { readonly address: string; readonly answer: string },
    now: number,
  ): void
  find(network: string, address: string): string | null
}

/** Looked at by hand, so that this many are years; a few KiB each. */
const maxKept = 20_000

/** @param max for tests */
export function createAccountRecords(database: Database, max = maxKept): AccountRecords {
  const upsert = database.prepare(
    `INSERT OR REPLACE INTO chain_accounts (network, address, answer, fetched_at)
     VALUES (?, ?, ?, ?)`,
  )
  const removeOldest = database.prepare(
    `DELETE FROM chain_accounts WHERE (network, address) IN (
       SELECT network, address FROM chain_accounts
       ORDER BY fetched_at DESC LIMIT -1 OFFSET ?)`,
  )
  const select = database.prepare(
    'SELECT answer FROM chain_accounts WHERE network = ? AND address = ?',
  )
  return {
    put(network, { address, answer }, now) {
      transaction(database, () => {
        upsert.run(network, address, answer, now)
        removeOldest.run(max)
      })
    },
    find: (network, address) =>
      (select.get(network, address)?.['answer'] as string | undefined) ?? null,
  }
}
