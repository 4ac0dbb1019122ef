import { create } from 'zustand'

/** A close of books that is to be written. Milliseconds. */
export type ClosingSpan = { readonly from: number; readonly to: number; readonly zone: string }

export const useExportDialog = create<{
  isOpen: boolean
  closing: ClosingSpan | null
}>(() => ({ isOpen: false, closing: null }))

/** With `closing` it offers that, too, and first. */
export function openExport(closing: ClosingSpan | null = null): void {
  useExportDialog.setState({ isOpen: true, closing })
}

export function closeExport(): void {
  useExportDialog.setState({ isOpen: false })
}

export function isDialogOpen(): boolean {
  return useExportDialog.getState().isOpen
}
