/** What the task process is told to export, and what it makes of that. */
import type {
  InvoiceExportOptions,
  InvoiceExportSubject,
} from '../../../src-preload/contract/invoice-export.ts'
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { Chunks, Column, Rows } from '../../exports/table.ts'

export type InvoiceExportOrder = {
  /** Path of the database. */
  readonly database: string
  readonly network: { readonly id: string; readonly name: string; readonly testOnly: boolean }
  readonly subject: InvoiceExportSubject
  readonly options: InvoiceExportOptions
  /** When it was requested. */
  readonly at: number
  /** How far the chain was read then, and what time it is by the gateway's clock. */
  readonly chain: Pick<InvoiceSync['chain'], 'readTo' | 'problem'> & { readonly now: number }
  readonly appVersion: string
  /** Null for a preview. */
  readonly target: {
    readonly file: string
    readonly manifest: string
    /** What the file is saved as. */
    readonly name: string
  } | null
}

/** What is exported, from one snapshot of the database. */
export type Content<R> = {
  readonly total: number
  /** The name of a workbook's sheet. */
  readonly sheet: string
  readonly columns: readonly Column<R>[]
  readonly toJson: (row: R) => unknown
  readonly rows: (limit?: number) => Rows<R>
  readonly statement: (rows: Rows<R>) => Chunks | Promise<Chunks>
  /** What the manifest says of the rows, once they are written. */
  readonly summary: () => Readonly<Record<string, unknown>>
}
