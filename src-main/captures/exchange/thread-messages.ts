/** What the exchange asks of its thread, and what that tells. One thread a file, and it ends with it. */
import type { CaptureExportFormat } from '../../../src-preload/contract/exchange.ts'
import type { PutDetail } from '../../threads/writer-messages.ts'

export type ExportOrder = {
  readonly kind: 'export'
  readonly database: string
  readonly index: string
  readonly format: CaptureExportFormat
  readonly reveal: boolean
  readonly pseudonyms: boolean
  readonly appVersion: string
  /** Microseconds since the epoch. */
  readonly at: number
  /** In words, for a page's title. */
  readonly subject: string
  /** Written there; nothing is there yet. */
  readonly path: string
}

export type ImportOrder = {
  readonly kind: 'import'
  /** By which the format is guessed where its content does not tell. */
  readonly name: string
  /** What was read waits there until all of it was; nothing is there yet. */
  readonly spool: string
}

export type ExchangeOrder = ExportOrder | ImportOrder

/** To an export's thread: the captures that come next, ascending; `isLast` with the last of them. */
export type MoreIds = { readonly ids: readonly number[]; readonly isLast: boolean }

export type ExportReport =
  /** The ids there were are written. */
  | { readonly type: 'more' }
  | { readonly type: 'progress'; readonly captures: number; readonly bytes: number }
  | { readonly type: 'written'; readonly captures: number; readonly bytes: number }
  | { readonly type: 'refused'; readonly code: string; readonly message: string }

/** To an import's thread: a piece of the file, its end, or a wish for what was read, slice by slice. */
export type ImportRequest =
  | { readonly type: 'piece'; readonly bytes: ArrayBuffer }
  | { readonly type: 'end' }
  | { readonly type: 'slice' }

export type ImportProgress = {
  readonly format: 'har' | 'jsonl' | null
  readonly imported: number
  readonly skipped: number
  readonly remarks: readonly string[]
}

/** One for each request. */
export type ImportReport =
  | ({ readonly type: 'read' } & ImportProgress)
  /** Packed records, with what the log keeps of each beside them; null after the last. */
  | { readonly type: 'slice'; readonly packed: ArrayBuffer; readonly details: readonly PutDetail[] }
  | { readonly type: 'noMore' }
  | { readonly type: 'refused'; readonly code: string; readonly message: string }
