import { create } from 'zustand'

/** What lies over the page. One at a time. */
export const useOverlay = create<{ open: 'palette' | 'shortcuts' | null }>(() => ({ open: null }))

export function openPalette(): void {
  useOverlay.setState({ open: 'palette' })
}

export function openShortcutSheet(): void {
  useOverlay.setState({ open: 'shortcuts' })
}

export function closeOverlay(): void {
  useOverlay.setState({ open: null })
}
