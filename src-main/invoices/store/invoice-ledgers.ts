import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

/** How far a network's gateway was read. Moments are milliseconds. */
type LedgerRecord = {
  /** When a listing was last read to where it was known. */
  readonly listedAt: number | null
  /** When all had last been read. */
  readonly fullAt: number | null
  /** JSON of whoever reads it. */
  readonly state: string
}

export function createInvoiceLedgers(database: Database) {
  const sql = createSql(database)
  return {
    get: (network: string) =>
      sql.get<LedgerRecord>(
        'SELECT listed_at, full_at, state FROM invoice_ledgers WHERE network = ?',
        network,
      ),
    put(network: string, { listedAt, fullAt, state }: LedgerRecord): void {
      const fields = { network, listedAt, fullAt, state }
      sql.insert('invoice_ledgers', fields, 'INSERT OR REPLACE')
    },
    forget: (network: string) => void sql.remove('invoice_ledgers', { network }),
  }
}
