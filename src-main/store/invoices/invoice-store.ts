import type { Database } from '../database.ts'
import { transaction } from '../database.ts'
import { createInvoiceAccessNotes } from './invoice-access-notes.ts'
import { createInvoiceDrafts } from './invoice-drafts.ts'
import { createInvoiceEvents } from './invoice-events.ts'
import { createInvoiceJobItems } from './invoice-job-items.ts'
import { createInvoiceJobs } from './invoice-jobs.ts'
import { createInvoiceLedgers } from './invoice-ledgers.ts'
import { createInvoiceReports } from './invoice-reports.ts'
import { createInvoiceRows } from './invoice-rows.ts'

/** All that is kept of invoices, a part a file. */
export type InvoiceStore = ReturnType<typeof createInvoiceStore>

export function createInvoiceStore(database: Database) {
  return {
    /** All of it or none; within another one it is a part of that. */
    transaction: <T>(work: () => T): T =>
      database.isTransaction ? work() : transaction(database, work),
    accessNotes: createInvoiceAccessNotes(database),
    drafts: createInvoiceDrafts(database),
    events: createInvoiceEvents(database),
    jobItems: createInvoiceJobItems(database),
    jobs: createInvoiceJobs(database),
    ledgers: createInvoiceLedgers(database),
    reports: createInvoiceReports(database),
    rows: createInvoiceRows(database),
  }
}
