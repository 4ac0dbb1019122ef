import { type Database, transaction } from '../../database/database.ts'
import { createInvoiceAccessNotes } from './invoice-access-notes.ts'
import { createInvoiceAccounts } from './invoice-accounts.ts'
import { createInvoiceDrafts } from './invoice-drafts.ts'
import { createInvoiceEvents } from './invoice-events.ts'
import { createInvoiceFigures } from './invoice-figures.ts'
import { createInvoiceJobItems, createInvoiceJobs } from './invoice-jobs.ts'
import { createInvoiceReports } from './invoice-reports.ts'
import { createInvoiceRows } from './invoice-rows.ts'
import { createInvoiceTotals } from './invoice-tallies.ts'
import { createInvoiceViews } from './invoice-views.ts'
import { createMatters } from './matters.ts'
import { createOutgoingTransfers } from './outgoing-transfers.ts'
import { createPayments } from './payments.ts'
import { createSql } from '../../database/sql.ts'

/** All that is kept of invoices, a part a file. */
export type InvoiceStore = ReturnType<typeof createInvoiceStore>

export function createInvoiceStore(database: Database) {
  return {
    /** All of it or none; within another one it is a part of that. */
    transaction: <T>(work: () => T): T =>
      database.isTransaction ? work() : transaction(database, work),
    accessNotes: createInvoiceAccessNotes(database),
    accounts: createInvoiceAccounts(database),
    drafts: createInvoiceDrafts(database),
    events: createInvoiceEvents(database),
    figures: createInvoiceFigures(database),
    jobItems: createInvoiceJobItems(database),
    jobs: createInvoiceJobs(database),
    ledgers: createInvoiceLedgers(database),
    matters: createMatters(database),
    outgoing: createOutgoingTransfers(database),
    payments: createPayments(database),
    reports: createInvoiceReports(database),
    rows: createInvoiceRows(database),
    /** By state, kept by triggers; `invoice.counts` is read from it. */
    totals: createInvoiceTotals(database),
    views: createInvoiceViews(database),
  }
}

/** How far a network's gateway was read. Moments are milliseconds. */
type LedgerRecord = {
  /** When a listing was last read to where it was known. */
  readonly listedAt: number | null
  /** When all had last been read. */
  readonly fullAt: number | null
  /** JSON of whoever reads it. */
  readonly state: string
}

function createInvoiceLedgers(database: Database) {
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
