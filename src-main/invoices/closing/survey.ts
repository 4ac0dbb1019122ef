/** Keeps only totals plus each row's sort key and place, so that a year's rows take a few megabytes. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Closing } from '../../../src-preload/contract/matter.ts'
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredPayment } from '../store/payments.ts'
import { type Span, differenceOf, isPaidIn, isWithin, overpaymentIn } from './compare.ts'
import { invoiceCurrencies } from '../../../src-preload/domain/invoice-words.ts'

export type RowPlace = { readonly kind: 'invoice' | 'payment'; readonly key: number }

export type Survey = {
  readonly totals: Closing['totals']
  readonly total: number
  readonly differences: number
  readonly guesses: number
  /** Differences come first, then rows by time, then by their order of discovery. */
  at(row: number): RowPlace | null
}

const slice = 200

type Total = {
  paid: number
  paidAmount: bigint
  overpayment: bigint
  payments: number
  received: bigint
  matched: bigint
  unmatched: bigint
  matchedElsewhere: bigint
}

/** @throws the signal's reason */
export async function survey(
  store: Pick<InvoiceStore, 'figures' | 'payments'>,
  network: NetworkId,
  span: Span,
  signal?: AbortSignal,
): Promise<Survey> {
  const totals = new Map<InvoiceCurrency, Total>(invoiceCurrencies.map((each) => [each, nothing()]))
  const of = (currency: InvoiceCurrency) => totals.get(currency) ?? nothing()
  /** A negative key is a payment's, a positive one an invoice's. */
  const keys: number[] = []
  const moments: number[] = []
  const agrees: boolean[] = []
  let guesses = 0

  function add(key: number, at: number, isSame: boolean): void {
    keys.push(key)
    moments.push(at)
    agrees.push(isSame)
  }

  async function throughPaid(): Promise<void> {
    let after = { changedAt: -1, key: 0 }
    for (;;) {
      signal?.throwIfAborted()
      const invoices = store.figures.paid(network, span, after, slice)
      const last = invoices.at(-1)
      if (last === undefined) return
      after = { changedAt: last.changedAt, key: last.key }
      const payments = byInvoice(store.payments.ofInvoices(invoices.map(({ key }) => key)))
      for (const invoice of invoices) {
        const own = payments.get(invoice.key) ?? []
        const total = of(invoice.currency)
        total.paid += 1
        total.paidAmount += invoice.amount
        total.overpayment += overpaymentIn(invoice, own, span)
        const { difference } = differenceOf(invoice, own, span)
        add(invoice.key, invoice.changedAt, difference === null)
      }
      await breathe()
    }
  }

  async function throughPayments(): Promise<void> {
    let after = { at: -1, key: 0 }
    for (;;) {
      signal?.throwIfAborted()
      const page = store.payments.span(network, span, after, slice)
      const last = page.at(-1)
      if (last === undefined) return
      after = { at: last.at, key: last.key }
      const linked = [...new Set(page.flatMap(({ invoiceKey }) => invoiceKey ?? []))]
      const invoices = new Map(store.figures.byKeys(linked).map((each) => [each.key, each]))
      const payments = byInvoice(store.payments.ofInvoices(linked))
      for (const payment of page) {
        const total = of(payment.currency)
        total.payments += 1
        total.received += payment.amount
        if (payment.certainty === 'guess') guesses += 1
        const invoice = payment.invoiceKey === null ? undefined : invoices.get(payment.invoiceKey)
        if (invoice === undefined) {
          total.unmatched += payment.amount
          add(-payment.key, payment.at, false)
          continue
        }
        total.matched += payment.amount
        if (isPaidIn(invoice, span)) continue
        total.matchedElsewhere += payment.amount
        const own = payments.get(invoice.key) ?? []
        if (own.find(({ at }) => isWithin(at, span))?.key !== payment.key) continue
        total.overpayment += overpaymentIn(invoice, own, span)
        add(invoice.key, payment.at, false)
      }
      await breathe()
    }
  }

  await throughPaid()
  await throughPayments()
  const order = Uint32Array.from(keys, (_, index) => index).sort((a, b) => {
    const byAgreement = Number(agrees[a]) - Number(agrees[b])
    return byAgreement || (moments[a] ?? 0) - (moments[b] ?? 0) || a - b
  })
  return {
    totals: invoiceCurrencies.map((currency) => print(currency, of(currency))),
    total: keys.length,
    differences: agrees.filter((isSame) => !isSame).length,
    guesses,
    at(row) {
      const key = keys[order[row] ?? -1]
      if (key === undefined) return null
      return key < 0 ? { kind: 'payment', key: -key } : { kind: 'invoice', key }
    },
  }
}

function nothing(): Total {
  return {
    paid: 0,
    paidAmount: 0n,
    overpayment: 0n,
    payments: 0,
    received: 0n,
    matched: 0n,
    unmatched: 0n,
    matchedElsewhere: 0n,
  }
}

function print(currency: InvoiceCurrency, total: Total): Closing['totals'][number] {
  const { paid, payments, paidAmount, overpayment, received } = total
  return {
    currency,
    paid,
    paidAmount: paidAmount.toString(),
    // One invoice's part may be negative; the total is never negative.
    overpayment: (overpayment < 0n ? 0n : overpayment).toString(),
    payments,
    received: received.toString(),
    matched: total.matched.toString(),
    unmatched: total.unmatched.toString(),
    matchedElsewhere: total.matchedElsewhere.toString(),
    difference: (received - paidAmount - overpayment).toString(),
  }
}

function byInvoice(payments: readonly StoredPayment[]): Map<number, StoredPayment[]> {
  const found = new Map<number, StoredPayment[]>()
  for (const payment of payments) {
    const key = payment.invoiceKey ?? 0
    const own = found.get(key)
    if (own === undefined) found.set(key, [payment])
    else own.push(payment)
  }
  return found
}
