import { create } from 'zustand'
import type {
  CaptureExportFormat,
  CaptureExportOptions,
} from '../../../../src-preload/contract/exchange.ts'

type ExportSubject = CaptureExportOptions['subject']

/** What can be chosen from, the likeliest first. */
export type OfferedSubject = { readonly label: string; readonly subject: ExportSubject }

export const useExportDialog = create<{ readonly offered: readonly OfferedSubject[] | null }>(
  () => ({ offered: null }),
)

/** How it was chosen last stays while the app runs; tokens are asked for each time anew. */
export const useExportForm = create<{
  readonly format: CaptureExportFormat
  readonly pseudonyms: boolean
}>(() => ({ format: 'har', pseudonyms: false }))

export function openExport(offered: readonly OfferedSubject[]): void {
  useExportDialog.setState({ offered })
}

export function closeExport(): void {
  useExportDialog.setState({ offered: null })
}
