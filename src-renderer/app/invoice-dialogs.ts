/** Dialogs of the Invoices page that any page can open. */
import { create } from 'zustand'
import { invoicesHome } from './invoices-route.ts'
import { navigate } from './route.ts'

type InvoiceDialog = 'create' | 'export'

/** The page opens the dialog when it is shown, and resets this value. */
export const useRequestedDialog = create<{ dialog: InvoiceDialog | null }>(() => ({ dialog: null }))

function requestDialog(dialog: InvoiceDialog): void {
  useRequestedDialog.setState({ dialog })
  navigate(invoicesHome)
}

export const openNewInvoice = () => requestDialog('create')

export const openInvoiceExport = () => requestDialog('export')
