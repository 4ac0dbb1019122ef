import { invoicesHome, invoicesOf } from '../../app/invoices-route.ts'
import { openNewInvoice } from '../../app/new-invoice.ts'
import { navigate } from '../../app/route.ts'
import type { PaletteEntry } from '../../app/frame/palette-entry.ts'
import { openExport } from './export/export-choice.ts'

/** What of the invoices can be run from any page. */
export const invoiceEntries: readonly PaletteEntry[] = [
  {
    id: 'new-invoice',
    label: 'Invoices: New invoice',
    icon: 'plus',
    words: 'create issue payment link qr',
    run: openNewInvoice,
  },
  {
    id: 'issue-invoices',
    label: 'Invoices: Many from a file',
    icon: 'note',
    words: 'csv bulk create issue import',
    run: () => navigate({ ...invoicesHome, view: 'issue', draft: null }),
  },
  {
    id: 'invoices-attention',
    label: 'Invoices: Needs attention',
    icon: 'warning',
    words: 'overpaid late partial refund matters',
    run: () => navigate({ ...invoicesHome, view: 'attention', matter: null }),
  },
  {
    id: 'invoices-pending',
    label: 'Invoices: Pending',
    icon: 'invoices',
    words: 'open waiting unpaid',
    run: () => navigate(invoicesOf({ statuses: ['pending'] })),
  },
  {
    id: 'invoices-payments',
    label: 'Invoices: Payments',
    icon: 'transactions',
    words: 'received matched unmatched chain',
    run: () => navigate({ ...invoicesHome, view: 'payments' }),
  },
  {
    id: 'invoices-export',
    label: 'Invoices: Export…',
    icon: 'download',
    words: 'csv excel xlsx pdf json statement save',
    run: () => {
      navigate(invoicesHome)
      openExport()
    },
  },
  {
    id: 'invoices-closing',
    label: 'Invoices: Reconciliation',
    icon: 'check',
    words: 'close of day statement reconcile books period',
    run: () => navigate({ ...invoicesHome, view: 'closing' }),
  },
  {
    id: 'invoices-access',
    label: 'Invoices: Access',
    icon: 'key',
    words: 'token project application recipient webhook',
    run: () => navigate({ ...invoicesHome, view: 'access' }),
  },
]
