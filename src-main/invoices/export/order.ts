/** What the room asks of its thread, and what that tells. */
import type { InvoiceSync } from '../../../src-preload/contract/invoice.ts'
import type {
  InvoiceExportOptions,
  InvoiceExportSubject,
} from '../../../src-preload/contract/invoice-export.ts'

export type ExportOrder = {
  /** Path of the database. */
  readonly database: string
  readonly network: { readonly id: string; readonly name: string; readonly testOnly: boolean }
  readonly subject: InvoiceExportSubject
  readonly options: InvoiceExportOptions
  /** When it was asked for. */
  readonly at: number
  /** How far the chain was read then, and what it is by the gateway's clock. */
  readonly chain: Pick<InvoiceSync['chain'], 'readTo' | 'problem'> & { readonly now: number }
  readonly appVersion: string
  /** Where it is written; null for the first lines only. */
  readonly target: {
    readonly file: string
    readonly manifest: string
    /** What the file is to be saved as. */
    readonly name: string
  } | null
}

export type Written = { readonly rows: number; readonly bytes: number; readonly sha256: string }

/** What the thread tells meanwhile. */
export type ExportReports = {
  readonly counted: (total: number) => void
  readonly progress: (reached: { readonly rows: number; readonly bytes: number }) => void
}

/** Each is null where the other was asked for. */
export type ExportResult = {
  readonly written: Written | null
  readonly preview: { readonly lines: readonly string[]; readonly total: number } | null
}
