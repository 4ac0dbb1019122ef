/** Dialogs of the page of invoices, opened from any page. */
import { create } from 'zustand'
import { invoicesHome } from './invoices-route.ts'
import { navigate } from './route.ts'

type InvoiceDialog = 'create' | 'export'

/** The page opens the dialog once it is shown, and resets this. */
export const useRequestedDialog = create<{ dialog: InvoiceDialog | null }>(() => ({ dialog: null }))

function requestDialog(dialog: InvoiceDialog): void {
  useRequestedDialog.setState({ dialog })
  navigate(invoicesHome)
}

export const openNewInvoice = () => requestDialog('create')

export const openInvoiceExport = () => requestDialog('export')
