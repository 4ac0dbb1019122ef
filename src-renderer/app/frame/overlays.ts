import { create } from 'zustand'

/** The overlay above the page. Only one overlay is open at a time. */
export const useOverlay = create<{ open: 'palette' | 'shortcuts' | 'notices' | null }>(() => ({
  open: null,
}))

export function openPalette(): void {
  useOverlay.setState({ open: 'palette' })
}

export function openShortcutSheet(): void {
  useOverlay.setState({ open: 'shortcuts' })
}

export function openNoticeTray(): void {
  useOverlay.setState({ open: 'notices' })
}

export function closeOverlay(): void {
  useOverlay.setState({ open: null })
}
