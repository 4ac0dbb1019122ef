/** The close of a period as the app reads it, for the thread: of the same store functions, without a network. */
import type { InvoiceStore } from '../store/invoice-store.ts'
import { createClosing } from '../closing/closing.ts'
import { toView } from '../ledger/ledger.ts'
import { createPaymentView, createUncountedPayments } from '../reconciliation/uncounted.ts'
import type { ClosingReader, LabelsOf } from '../parts.ts'
import type { ExportOrder } from './order.ts'

export function createClosingReader(deps: {
  readonly store: Pick<InvoiceStore, 'figures' | 'payments' | 'accounts'>
  readonly labelsOf: LabelsOf
  /** As the app has it. */
  readonly chain: ExportOrder['chain']
}): ClosingReader {
  const { store, labelsOf } = deps
  const uncounted = createUncountedPayments({
    store,
    accountOf: (network, account) => store.accounts.get(network, account),
  })
  return createClosing({
    store,
    ledger: {
      view(network, invoices) {
        const payers = [...new Set(invoices.flatMap(({ paidBy }) => paidBy ?? []))]
        const names = payers.length > 0 ? labelsOf(network, payers) : new Map<string, string>()
        const named = uncounted.of(network, invoices)
        // What is known of payments is told beside the invoice.
        return invoices.map((each) => toView(each, names, true, named.get(each.key) ?? []))
      },
    },
    view: createPaymentView({ store, labelsOf, uncounted }),
    chain: () => deps.chain,
    // All is read from one snapshot.
    version: () => 0,
    now: () => deps.chain.now,
  })
}
