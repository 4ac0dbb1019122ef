import { create } from 'zustand'

/** A close of books, in milliseconds. */
type ClosingSpan = { readonly from: number; readonly to: number; readonly zone: string }

export const useExportDialog = create<{
  isOpen: boolean
  closing: ClosingSpan | null
}>(() => ({ isOpen: false, closing: null }))

export function openExport(): void {
  useExportDialog.setState({ isOpen: true })
}

/** While a close of books is on the screen it is offered, too, and first. Returns the way to stop. */
export function offerClosing(closing: ClosingSpan): () => void {
  useExportDialog.setState({ closing })
  return () => useExportDialog.setState({ closing: null })
}

export function closeExport(): void {
  useExportDialog.setState({ isOpen: false })
}

export function isDialogOpen(): boolean {
  return useExportDialog.getState().isOpen
}
