import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Payment } from '../../../src-preload/contract/payment.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredPayment } from '../store/payments.ts'
import { endOf } from '../judge/tally.ts'
import type { LabelsOf } from '../parts.ts'
import type { UncountedPayments } from './uncounted.ts'

/** Payments as the window sees them, with the names of payers. */
export type PaymentView = (network: NetworkId, payments: readonly StoredPayment[]) => Payment[]

export function createPaymentView(deps: {
  readonly store: Pick<InvoiceStore, 'figures'>
  readonly labelsOf: LabelsOf
  readonly uncounted: Pick<UncountedPayments, 'invoiceOf'>
}): PaymentView {
  return (network, payments) => {
    const payers = [...new Set(payments.map(({ payer }) => payer))]
    const names = payers.length > 0 ? deps.labelsOf(network, payers) : new Map<string, string>()
    const keys = [...new Set(payments.flatMap(({ invoiceKey }) => invoiceKey ?? []))]
    const invoices = new Map(
      (keys.length > 0 ? deps.store.figures.byKeys(keys) : []).map((each) => [each.key, each]),
    )
    return payments.map((payment) => {
      const invoice = payment.invoiceKey === null ? undefined : invoices.get(payment.invoiceKey)
      return {
        key: payment.key,
        network,
        account: payment.account,
        hash: payment.hash,
        lt: payment.lt.toString(),
        at: payment.at,
        currency: payment.currency,
        amount: payment.amount.toString(),
        payer: payment.payer,
        payerLabel: names.get(payment.payer) ?? null,
        comment: payment.comment,
        invoice: invoice?.id ?? null,
        names: invoice === undefined ? (deps.uncounted.invoiceOf(payment)?.id ?? null) : null,
        certainty: invoice === undefined ? null : payment.certainty,
        evidence: [...payment.evidence],
        inTime: invoice === undefined ? null : payment.at <= endOf(invoice),
      }
    })
  }
}
