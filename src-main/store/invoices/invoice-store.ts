import type { Database } from '../database.ts'

/** All that is kept of invoices, a part a file. */
export type InvoiceStore = ReturnType<typeof createInvoiceStore>

export function createInvoiceStore(_database: Database) {
  return {}
}
