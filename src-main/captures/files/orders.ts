import type { CaptureExportFormat } from '../../../src-preload/contract/capture-files.ts'

export type CaptureExportOrder = {
  readonly database: string
  readonly index: string
  readonly format: CaptureExportFormat
  readonly reveal: boolean
  readonly pseudonyms: boolean
  readonly appVersion: string
  /** The time in microseconds since the epoch. */
  readonly at: number
  readonly subject: string
  readonly path: string
}

export type ImportOrder = {
  readonly name: string
  /** Path of a new file that contains the captures until the whole import file was read. */
  readonly spool: string
}

export type MoreIds = { readonly ids: readonly number[]; readonly isLast: boolean }
