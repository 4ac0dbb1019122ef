import { useSyncExternalStore } from 'react'

/** The same limit as in the stylesheet of `Splitter`: a detail then covers its list. */
const narrow = window.matchMedia('(width < 1200px)')

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Whether the window is narrow: there is no room for a list beside its detail, or for charts above it. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}
