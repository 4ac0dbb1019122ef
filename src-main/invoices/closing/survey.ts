/** Keeps only totals plus each row's sort key and place, so that a year's rows take a few megabytes. */
import type { Closing } from '../../../src-preload/contract/matter.ts'
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import { pagesOf } from '../../database/pages.ts'
import { type Span, differenceOf, isPaidIn, isWithin, overpaymentIn } from './compare.ts'
import { invoiceCurrencies } from '../../../src-preload/domain/invoice-words.ts'

const slice = 200

export type Survey = Awaited<ReturnType<typeof survey>>

/** @throws the signal's reason */
export async function survey(
  { figures, payments }: Pick<InvoiceStore, 'figures' | 'payments'>,
  network: NetworkId,
  span: Span,
  signal?: AbortSignal,
) {
  const totals = { TON: emptyTotal(), USDT: emptyTotal() }
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

  const paidPages = pagesOf<StoredInvoice>((last) => {
    signal?.throwIfAborted()
    return figures.paid(network, span, last ?? { changedAt: -1, key: 0 }, slice)
  })
  for await (const invoices of paidPages) {
    const own = byInvoice(payments.ofInvoices(invoices.map(({ key }) => key)))
    for (const invoice of invoices) {
      const linked = own.get(invoice.key) ?? []
      const total = totals[invoice.currency]
      total.paid += 1
      total.paidAmount += invoice.amount
      total.overpayment += overpaymentIn(invoice, linked, span)
      const { difference } = differenceOf(invoice, linked, span)
      add(invoice.key, invoice.changedAt, difference === null)
    }
  }
  const paymentPages = pagesOf<StoredPayment>((last) => {
    signal?.throwIfAborted()
    return payments.span(network, span, last ?? { at: -1, key: 0 }, slice)
  })
  for await (const page of paymentPages) {
    const linkedKeys = [...new Set(page.flatMap(({ invoiceKey }) => invoiceKey ?? []))]
    const invoices = new Map(figures.byKeys(linkedKeys).map((each) => [each.key, each]))
    const own = byInvoice(payments.ofInvoices(linkedKeys))
    for (const { key, at, amount, currency, certainty, invoiceKey } of page) {
      const total = totals[currency]
      total.payments += 1
      total.received += amount
      if (certainty === 'guess') guesses += 1
      const invoice = invoices.get(invoiceKey ?? 0)
      if (invoice === undefined) {
        total.unmatched += amount
        add(-key, at, false)
        continue
      }
      total.matched += amount
      if (isPaidIn(invoice, span)) continue
      total.matchedElsewhere += amount
      const linked = own.get(invoice.key) ?? []
      if (linked.find((each) => isWithin(each.at, span))?.key !== key) continue
      total.overpayment += overpaymentIn(invoice, linked, span)
      add(invoice.key, at, false)
    }
  }
  const order = Uint32Array.from(keys, (_, index) => index).sort((a, b) => {
    const byAgreement = Number(agrees[a]) - Number(agrees[b])
    return byAgreement || (moments[a] ?? 0) - (moments[b] ?? 0) || a - b
  })
  return {
    totals: invoiceCurrencies.map((currency) => print(currency, totals[currency])),
    total: keys.length,
    differences: agrees.filter((isSame) => !isSame).length,
    guesses,
    /** Differences come first, then rows by time, then by their order of discovery. */
    keys: (from: number, to: number) =>
      [...order.subarray(from, Math.max(from, to))].flatMap((row) => keys[row] ?? []),
  }
}

const byInvoice = (payments: readonly StoredPayment[]) =>
  Map.groupBy(payments, ({ invoiceKey }) => invoiceKey ?? 0)

type Total = ReturnType<typeof emptyTotal>

function emptyTotal() {
  return {
    ...{ paid: 0, paidAmount: 0n, overpayment: 0n, payments: 0, received: 0n },
    ...{ matched: 0n, unmatched: 0n, matchedElsewhere: 0n },
  }
}

function print(currency: InvoiceCurrency, total: Total): Closing['totals'][number] {
  const { paid, payments, paidAmount, overpayment, received } = total
  return {
    ...{ currency, paid, payments, paidAmount: String(paidAmount), received: String(received) },
    ...{ matched: String(total.matched), unmatched: String(total.unmatched) },
    // One invoice's part may be negative; the total is never negative.
    overpayment: (overpayment < 0n ? 0n : overpayment).toString(),
    matchedElsewhere: total.matchedElsewhere.toString(),
    difference: (received - paidAmount - overpayment).toString(),
  }
}
