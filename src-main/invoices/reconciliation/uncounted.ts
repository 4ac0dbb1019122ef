/**
 * Payments that name an invoice but have the wrong asset or address. The gateway ignores them, although
 * the payer has paid. They are in no sum; pages and files show them beside the invoice.
 */
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { InvoiceAccounts } from '../store/invoice-accounts.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import { isDust, endOf } from './discrepancies.ts'
import { commentKey } from './match.ts'
import type { Payment } from '../../../src-preload/contract/payment.ts'
import type { LabelsOf } from '../parts.ts'

export type UncountedPayments = {
  invoiceOf(payment: StoredPayment): StoredInvoice | null
  of(
    network: NetworkId,
    invoices: readonly StoredInvoice[],
  ): ReadonlyMap<number, readonly StoredPayment[]>
}

export function createUncountedPayments(deps: {
  readonly store: Pick<InvoiceStore, 'payments' | 'figures'>
  readonly accountOf: InvoiceAccounts['get']
}): UncountedPayments {
  const { payments, figures } = deps.store

  function ownerOf(network: NetworkId, account: string): number | null {
    const known = deps.accountOf(network, account)
    return known === null || known.isShared || known.readFrom === null ? null : known.firstInvoice
  }

  function invoiceOf(payment: StoredPayment): StoredInvoice | null {
    const { network, account, comment, commentKey: key, linkedBy } = payment
    if (linkedBy === 'person' || isDust(payment)) return null
    const named =
      comment === null || key === null ? [] : figures.byComment(network, [comment.trim(), key])
    const [first] = named
    if (first !== undefined) return named.find(({ payTo }) => payTo === account) ?? first
    const owner = ownerOf(network, account)
    return owner === null ? null : (figures.byKeys([owner])[0] ?? null)
  }

  return {
    invoiceOf,
    of(network, invoices) {
      const comments = new Set(invoices.flatMap(({ comment }) => commentKey(comment) ?? []))
      const accounts = invoices.flatMap(({ key, payTo }) =>
        ownerOf(network, payTo) === key ? [payTo] : [],
      )
      const found = payments.unlinked(network, { comments: [...comments], accounts })
      if (found.length === 0) return new Map()
      const asked = new Set(invoices.map(({ key }) => key))
      const named = found.flatMap((payment) => {
        const key = invoiceOf(payment)?.key
        return key !== undefined && asked.has(key) ? [{ key, payment }] : []
      })
      const groups = Map.groupBy(named, ({ key }) => key)
      return new Map([...groups].map(([key, all]) => [key, all.map(({ payment }) => payment)]))
    },
  }
}

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
