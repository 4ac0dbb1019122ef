/**
 * Payments that name an invoice but have the wrong asset or address. The gateway ignores them,
 * although the payer has paid. No sum contains them; pages and files show them beside the invoice.
 */
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { InvoiceAccounts } from '../store/invoice-accounts.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import { isDust, endOf } from './discrepancies.ts'
import type { Payment } from '../../../src-preload/contract/payment.ts'
import type { LabelsOf } from '../context.ts'
import { type ChosenFiat, describeFiat } from '../fiat/fiat-view.ts'

export type UncountedPayments = ReturnType<typeof createUncountedPayments>

export function createUncountedPayments(
  { payments, figures }: Pick<InvoiceStore, 'payments' | 'figures'>,
  accountOf: InvoiceAccounts['get'],
) {
  function ownerOf(network: NetworkId, account: string): number | null {
    const found = accountOf(network, account)
    return found === null || found.isShared || found.readFrom === null ? null : found.firstInvoice
  }

  function invoiceOf(payment: StoredPayment): StoredInvoice | null {
    const { network, account, linkedBy, namedKey } = payment
    if (linkedBy === 'person' || isDust(payment)) return null
    const [named] = namedKey === null ? [] : figures.byKeys([namedKey])
    if (named !== undefined) return named
    const owner = ownerOf(network, account)
    return owner === null ? null : (figures.byKeys([owner])[0] ?? null)
  }

  return {
    invoiceOf,
    /** Returns the invoices that list the payment although it is linked to no invoice. */
    listing(network: NetworkId, key: number): number[] {
      const payment = payments.get(network, key)
      if (payment === null) return []
      const invoice = invoiceOf(payment)
      const account = accountOf(network, payment.account)
      // If the payment now names another invoice, the owner of its address listed it before.
      const owner = account === null || account.isShared ? [] : [account.firstInvoice]
      return invoice === null ? owner : [invoice.key, ...owner]
    },
    of: (
      network: NetworkId,
      invoices: readonly StoredInvoice[],
    ): ReadonlyMap<number, readonly StoredPayment[]> => {
      const accounts = invoices.flatMap(({ key, payTo }) =>
        ownerOf(network, payTo) === key ? [payTo] : [],
      )
      const keys = new Set(invoices.map(({ key }) => key))
      const found = payments.unlinked(network, { invoices: [...keys], accounts })
      const byInvoice = Map.groupBy(found, (payment) => invoiceOf(payment)?.key ?? 0)
      return new Map([...byInvoice].filter(([key]) => keys.has(key)))
    },
  }
}

/** The reason why a payment does not count for the invoice that it names. */
export function differenceTo(
  payment: Pick<StoredPayment, 'account' | 'currency'>,
  invoice: Pick<StoredInvoice, 'payTo' | 'currency'>,
): NonNullable<Payment['uncounted']> {
  if (payment.currency !== invoice.currency) return 'asset'
  return payment.account === invoice.payTo ? 'comment' : 'address'
}

export type PaymentView = ReturnType<typeof createPaymentView>

export function createPaymentView(
  { figures, fiatRates }: Pick<InvoiceStore, 'figures' | 'fiatRates'>,
  labelsOf: LabelsOf,
  uncounted: Pick<UncountedPayments, 'invoiceOf'>,
  chosenFiat: (network: NetworkId) => ChosenFiat | null,
) {
  return (network: NetworkId, payments: readonly StoredPayment[]): Payment[] => {
    const payers = [...new Set(payments.map(({ payer }) => payer))]
    const labels = payers.length > 0 ? labelsOf(network, payers) : null
    const keys = [...new Set(payments.flatMap(({ invoiceKey }) => invoiceKey ?? []))]
    const invoices = keys.length > 0 ? figures.byKeys(keys) : []
    const fiat = payments.length > 0 ? chosenFiat(network) : null
    return payments.map((payment) => {
      const { commentKey, invoiceKey, linkedBy, namedKey, ...shown } = payment
      const { at, currency, payer } = payment
      const invoice = invoices.find(({ key }) => key === invoiceKey)
      const named = invoice === undefined ? uncounted.invoiceOf(payment) : null
      return {
        ...shown,
        lt: payment.lt.toString(),
        amount: payment.amount.toString(),
        payerLabel: labels?.get(payer) ?? null,
        invoice: invoice?.id ?? null,
        names: named?.id ?? null,
        uncounted: named && differenceTo(payment, named),
        certainty: invoice === undefined ? null : payment.certainty,
        evidence: [...payment.evidence],
        inTime: invoice === undefined ? null : at <= endOf(invoice),
        fiat:
          fiat &&
          describeFiat(
            fiat,
            payment,
            fiatRates.get({ network, asset: currency, fiat: fiat.currency }, at),
          ),
      }
    })
  }
}
