/** What the task process is told to export or import, and asks for meanwhile. */
import type { CaptureExportFormat } from '../../../src-preload/contract/exchange.ts'

export type CaptureExportOrder = {
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
  /** By which the format is guessed where its content does not tell. */
  readonly name: string
  /** What was read waits there until all of it was; nothing is there yet. */
  readonly spool: string
}

/** The captures that come next, ascending; `isLast` with the last of them. */
export type MoreIds = { readonly ids: readonly number[]; readonly isLast: boolean }
