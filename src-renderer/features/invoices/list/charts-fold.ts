import { create } from 'zustand'

const storageKey = 'tondesk.invoices-charts'

/** Whether figures and charts are put away. */
export const useFolded = create<{ isFolded: boolean }>(() => ({
  isFolded: window.localStorage.getItem(storageKey) === 'folded',
}))

export function fold(isFolded: boolean): void {
  window.localStorage.setItem(storageKey, isFolded ? 'folded' : 'open')
  useFolded.setState({ isFolded })
}
