/**
 * The thread that writes an export: it composes the store with the printers as compose.ts does for the
 * app. It reads one snapshot through a connection of its own, asks no network, and ends with its file.
 */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../src-preload/contract/index.ts'
import type { ExportOrder, ExportReport } from './invoices/export/order.ts'
import { runExport } from './invoices/export/run-export.ts'
import { openDatabase } from './store/database.ts'
import type { ExportAsked } from './store/invoices/export-rows.ts'
import { createExportRows } from './store/invoices/export-rows.ts'
import { mattersOf } from './store/invoices/stored-invoice.ts'
import { statementFonts as fonts } from './statement-fonts.ts'

if (parentPort === null) throw new Error('Exports are written in a worker thread.')
const port = parentPort
const order = workerData as ExportOrder

/** On Linux a thread can stand behind the others; elsewhere this would slow the whole app. */
if (process.platform === 'linux') setPriority(0, 10)

const report = (what: ExportReport) => {
  port.postMessage(what)
}

const database = openDatabase(order.database, { readOnly: true })
try {
  // What is read first opens the snapshot, and all the rest is of it.
  database.exec('BEGIN')
  const rowsOf = (asked: ExportAsked) => createExportRows(database, asked)
  await runExport(order, { rowsOf, mattersOf, fonts, report })
} catch (error) {
  if (!(error instanceof AppError)) throw error
  report({ type: 'refused', code: error.code, message: error.message })
} finally {
  database.close()
}
