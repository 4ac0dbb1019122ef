import { create } from 'zustand'
import { type ListChoice, usualOrder } from './arrange.ts'

/** What of the list is shown; it stays when one comes back to the page. */
export const useListChoice = create<ListChoice & { readonly cursor: string | null }>(() => ({
  text: '',
  only: null,
  order: usualOrder,
  cursor: null,
}))

export function showAll(): void {
  useListChoice.setState({ text: '', only: null })
}
