/**
 * The thread that writes an export: it composes the store with the printers as invoices/register.ts does for the
 * app. It reads one snapshot through a connection of its own, asks no network, and ends with its file.
 */
import { setPriority } from 'node:os'
import { createClosingContent } from '../invoices/export/closing-content.ts'
import { createClosingReader } from '../invoices/export/closing-reader.ts'
import { createInvoicesContent } from '../invoices/export/invoices-content.ts'
import type { ExportOrder, ExportReports } from '../invoices/export/order.ts'
import { type Content, runExport } from '../invoices/export/run-export.ts'
import { createZoneTimes } from '../exports/zone-times.ts'
import { statementFonts as fonts } from '../exports/statement-fonts.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { createExportRows } from '../invoices/store/export-rows.ts'
import { createInvoiceAccounts } from '../invoices/store/invoice-accounts.ts'
import { createInvoiceFigures } from '../invoices/store/invoice-rows.ts'
import { createPayments } from '../invoices/store/payments.ts'
import { mattersOf } from '../invoices/store/stored-invoice.ts'
import { createLabels } from '../explorer/store/labels.ts'
import { serve } from './rpc.ts'

/** On Linux a thread can stand behind the others; elsewhere this would slow the whole app. */
if (process.platform === 'linux') setPriority(0, 10)

async function contentOf(order: ExportOrder, database: Database): Promise<Content> {
  const { subject, options, network, chain } = order
  const times = createZoneTimes(options.zone)
  if (subject.kind === 'closing') {
    const { from, to } = subject
    const labels = createLabels(database)
    const reader = createClosingReader({
      store: {
        figures: createInvoiceFigures(database),
        payments: createPayments(database),
        accounts: createInvoiceAccounts(database),
      },
      labelsOf: (id, addresses) => labels.namesOf(id, addresses),
      chain,
    })
    const span = { network: network.id, from, to, zone: options.zone }
    return createClosingContent(order, span, reader, times, fonts)
  }
  const { filter, sort } = subject
  const rows = createExportRows(database, { network: network.id, filter, sort })
  return createInvoicesContent(order, filter, rows, { times, mattersOf }, fonts)
}

const functions = {
  async run(order: ExportOrder) {
    const database = openDatabase(order.database, { readOnly: true })
    try {
      // What is read first opens the snapshot, and all the rest is of it.
      database.exec('BEGIN')
      return await runExport(order, await contentOf(order, database), {
        counted: (total) => app.notify('counted', total),
        progress: (reached) => app.notify('progress', reached),
      })
    } finally {
      database.close()
    }
  },
}
export type ExportCalls = typeof functions

const app = serve<ExportReports>(functions)
