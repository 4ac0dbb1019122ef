import type {
  InvoiceExportOptions,
  InvoiceExportSubject,
} from '../../../src-preload/contract/invoice-export.ts'
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type { Chunks, Column, Rows } from '../../exports/table.ts'

export type InvoiceExportOrder = {
  readonly database: string
  readonly network: { readonly id: string; readonly name: string; readonly testOnly: boolean }
  readonly subject: InvoiceExportSubject
  readonly options: InvoiceExportOptions
  readonly at: number
  /** How far the chain was read at the request, and the time by the gateway's clock. */
  readonly chain: Pick<InvoiceSync['chain'], 'readTo' | 'problem'> & { readonly now: number }
  readonly appVersion: string
  readonly target: {
    readonly file: string
    readonly manifest: string
    readonly name: string
  } | null
}

export type Content<R> = {
  readonly total: number
  readonly sheet: string
  readonly columns: readonly Column<R>[]
  readonly toJson: (row: R) => unknown
  readonly rows: (limit?: number) => Rows<R>
  readonly statement: (rows: Rows<R>) => Chunks | Promise<Chunks>
  readonly summary: () => Readonly<Record<string, unknown>>
}
