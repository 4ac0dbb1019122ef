/** The dialog of a new invoice, opened from any page. The page of invoices has it. */
import { create } from 'zustand'
import { invoicesHome } from './invoices-route.ts'
import { navigate } from './route.ts'

export const useNewInvoice = create<{ isRequested: boolean }>(() => ({ isRequested: false }))

export function openNewInvoice(): void {
  useNewInvoice.setState({ isRequested: true })
  navigate(invoicesHome)
}
