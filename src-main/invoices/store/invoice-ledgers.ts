import type { Database } from '../../database/database.ts'

/** How far a network's gateway was read. Moments are milliseconds. */
type LedgerRecord = {
  /** When a listing was last read to where it was known. */
  readonly listedAt: number | null
  /** When all had last been read. */
  readonly fullAt: number | null
  /** JSON of whoever reads it. */
  readonly state: string
}

type InvoiceLedgers = {
  get(network: string): LedgerRecord | null
  put(network: string, record: LedgerRecord): void
  forget(network: string): void
}

export function createInvoiceLedgers(database: Database): InvoiceLedgers {
  const get = database.prepare(
    'SELECT listed_at, full_at, state FROM invoice_ledgers WHERE network = ?',
  )
  const put = database.prepare(
    'INSERT OR REPLACE INTO invoice_ledgers (network, listed_at, full_at, state) VALUES (?, ?, ?, ?)',
  )
  const forget = database.prepare('DELETE FROM invoice_ledgers WHERE network = ?')
  return {
    get(network) {
      const row = get.get(network)
      if (row === undefined) return null
      return {
        listedAt: row['listed_at'] as number | null,
        fullAt: row['full_at'] as number | null,
        state: row['state'] as string,
      }
    },
    put: (network, { listedAt, fullAt, state }) => void put.run(network, listedAt, fullAt, state),
    forget: (network) => void forget.run(network),
  }
}
