import { z } from 'zod'
import { invoiceColumns } from '../domain/invoice-values.ts'
import { invoiceFilter, invoiceSort } from './invoice.ts'
import { exportFile, jobFields } from './lookup.ts'
import { timeZone } from './discrepancy.ts'
import { networkId } from './network.ts'
import { takes, byId, orNull, returns } from './route.ts'

const moment = z.int().min(-62_135_596_800_000).max(253_402_300_799_999)

export const invoiceColumn = z.enum(invoiceColumns)
export type InvoiceColumn = z.infer<typeof invoiceColumn>

export const invoiceExportFormat = z.enum(['csv', 'jsonl', 'xlsx', 'pdf'])
export type InvoiceExportFormat = z.infer<typeof invoiceExportFormat>

/** A column's name in the file, as accounting programs expect it. */
const columnName = z
  .string()
  .trim()
  .min(1, 'Enter a name.')
  .max(60, 'At most 60 characters.')
  .regex(/^[^\r\n]*$/, 'Enter the name in one line.')

export const mappedColumn = z.object({ column: invoiceColumn, name: columnName.nullable() })
const mappedColumns = z.array(mappedColumn).min(1, 'Choose at least one column.')

const exportView = z.object({ id: z.int().positive(), name: z.string(), columns: mappedColumns })
export type ExportView = z.infer<typeof exportView>

export const invoiceExportOptions = z.object({
  format: invoiceExportFormat,
  zone: timeZone.default('UTC'),
  columns: z.array(invoiceColumn).default([]),
  /** Column names in CSV and XLSX that replace the default names. */
  names: z.partialRecord(invoiceColumn, columnName).default({}),
  separator: z.enum([',', ';', '\t']).default(','),
  decimalMark: z.enum(['.', ',']).default('.'),
})
export type InvoiceExportOptions = z.infer<typeof invoiceExportOptions>

const invoiceExportSubject = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('invoices'),
    filter: invoiceFilter.prefault({}),
    sort: invoiceSort.prefault({ by: 'created', descending: false }),
  }),
  z.object({ kind: z.literal('closing'), from: moment, to: moment }),
])
export type InvoiceExportSubject = z.infer<typeof invoiceExportSubject>

export const invoiceExport = z.object({
  ...jobFields,
  network: networkId,
  format: invoiceExportFormat,
  kind: z.enum(['invoices', 'closing']),
  rows: z.int(),
  total: z.int().nullable(),
  bytes: z.int(),
  file: exportFile.nullable(),
  /** A JSON file with the row count, totals, options and SHA-256. */
  manifest: exportFile.nullable(),
  sha256: z.string().nullable(),
})
export type InvoiceExport = z.infer<typeof invoiceExport>

const order = {
  network: networkId,
  subject: invoiceExportSubject,
  options: invoiceExportOptions,
  name: orNull(z.string().regex(/^[^/\\\0]{1,200}$/)),
}

export const invoiceExportRoutes = {
  'invoiceExport.start': takes(order).returns(invoiceExport),
  /**
   * Returns at most ten lines and the number of rows. XLSX cells are separated by tabs; a PDF has
   * no lines.
   */
  'invoiceExport.preview': takes(order).returns({ lines: z.array(z.string()), total: z.int() }),
  'exportView.list': returns(z.array(exportView)),
  'exportView.save': takes({
    id: orNull(z.int().positive()),
    name: z.string().trim().min(1, 'Enter a name.').max(60, 'At most 60 characters.'),
    columns: mappedColumns,
  }).returns(exportView),
  'exportView.remove': takes(byId).returns({}),
} as const
