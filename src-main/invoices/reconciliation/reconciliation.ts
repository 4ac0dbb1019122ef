import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type {
  ReconciliationSummary,
  ReconciliationRow,
} from '../../../src-preload/contract/discrepancy.ts'
import type { Payment } from '../../../src-preload/contract/payment.ts'
import { formatMoney, serializeUnits } from '../../../src-preload/domain/amount.ts'
import { describeMoney } from '../../../src-preload/contract/invoice-money.ts'
import type { InvoiceSync, InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Output, Parsed } from '../../../src-preload/contract/routes.ts'
import { invoiceStatsCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { zoneTimesOf } from '../../exports/zone-times.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { PaymentView } from '../matching/uncounted.ts'
import { isOpen } from '../matching/discrepancies.ts'
import { duration } from '../matching/labels.ts'
import { differenceOf, type Span, isPaidIn, isWithin } from './compare.ts'
import type { StoredDiscrepancy } from '../store/discrepancies.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import { pagesOf } from '../../database/pages.ts'
import { invoiceCurrencies } from '../../../src-preload/domain/invoice-values.ts'

/**
 * Keeps only totals and the sort key and place of each row, so that the rows of a year take a few
 * megabytes.
 */

const slice = 200

type Survey = Awaited<ReturnType<typeof survey>>

/** @throws the signal's reason */
async function survey(
  { figures, matters, payments }: Pick<InvoiceStore, 'figures' | 'matters' | 'payments'>,
  network: NetworkId,
  span: Span,
  signal?: AbortSignal,
) {
  const totals = { TON: emptyTotal(), USDT: emptyTotal() }
  /** A negative key belongs to a payment, a positive one to an invoice. */
  const keys: number[] = []
  const moments: number[] = []
  /** 0: gateway and chain differ. 1: they agree, but the row needs attention. 2: neither applies. */
  const ranks: number[] = []
  let guesses = 0
  let needsAttention = 0

  function add(key: number, at: number, isSame: boolean, open: number): void {
    keys.push(key)
    moments.push(at)
    ranks.push(!isSame ? 0 : open > 0 ? 1 : 2)
    needsAttention += open
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
      const { difference, units, overpayment } = differenceOf(invoice, linked, span)
      total.overpayment += overpayment
      total.paidDifference += units
      add(invoice.key, invoice.changedAt, difference === null, openOf(invoice))
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
        add(-key, at, false, matters.of({ paymentKey: key }).filter(isOpen).length)
        continue
      }
      total.matched += amount
      if (isPaidIn(invoice, span)) continue
      const linked = own.get(invoice.key) ?? []
      if (linked.find((each) => isWithin(each.at, span))?.key !== key) continue
      const { difference, units, overpayment } = differenceOf(invoice, linked, span)
      total.overpayment += overpayment
      if (difference === 'accepted') {
        total.acceptedDifference += units
        total.shortfall += shortfallIn(invoice, linked, span)
      } else total.unpaidDifference += units
      add(invoice.key, at, false, openOf(invoice))
    }
  }
  const order = Uint32Array.from(keys, (_, index) => index).sort((a, b) => {
    const byRank = (ranks[a] ?? 0) - (ranks[b] ?? 0)
    return byRank || (moments[a] ?? 0) - (moments[b] ?? 0) || a - b
  })
  return {
    totals: invoiceCurrencies.map((currency) => print(currency, totals[currency])),
    total: keys.length,
    differences: ranks.filter((rank) => rank < 2).length,
    guesses,
    needsAttention,
    /** Keys are sorted by rank, then by time, then by their order of discovery. */
    keys: (from: number, to: number) =>
      [...order.subarray(from, Math.max(from, to))].flatMap((row) => keys[row] ?? []),
  }
}

/** Returns the discrepancies of the invoice itself; an uncounted payment that names it has its own row. */
const openOf = ({ matters }: StoredInvoice) => matters.filter((kind) => kind !== 'unmatched').length

/** The missing part of an accepted invoice, in the period of its last payment. */
function shortfallIn({ amount }: StoredInvoice, linked: readonly StoredPayment[], span: Span) {
  const short = linked.reduce((left, payment) => left - payment.amount, amount)
  return short > 0n && isWithin(linked.at(-1)?.at ?? 0, span) ? short : 0n
}

const byInvoice = (payments: readonly StoredPayment[]) =>
  Map.groupBy(payments, ({ invoiceKey }) => invoiceKey ?? 0)

type Total = ReturnType<typeof emptyTotal>

function emptyTotal() {
  return {
    paid: 0,
    paidAmount: 0n,
    overpayment: 0n,
    payments: 0,
    received: 0n,
    matched: 0n,
    unmatched: 0n,
    paidDifference: 0n,
    unpaidDifference: 0n,
    acceptedDifference: 0n,
    shortfall: 0n,
  }
}

function print(currency: InvoiceCurrency, total: Total): ReconciliationSummary['totals'][number] {
  const { paid, payments, ...amounts } = total
  const { paidAmount, overpayment, received } = amounts
  const difference = received - paidAmount - overpayment
  // The part of one invoice may be negative, but the total never is.
  const counted = overpayment < 0n ? 0n : overpayment
  return {
    currency,
    paid,
    payments,
    ...serializeUnits({ ...amounts, overpayment: counted, difference }),
  }
}

type ClosingSpan = Parsed<'reconciliation.read'>

const pageRows = 200

const noDecision =
  'It needs no decision, because it is spam or older than the invoices of its address.'

export type ReconciliationReader = ReturnType<typeof createReconciliation>

type ReconciliationParts = {
  readonly ledger: Pick<Ledger, 'view'>
  readonly view: PaymentView
  readonly chain: (network: NetworkId) => Pick<InvoiceSync['chain'], 'readTo' | 'problem'>
  /** The version increases with each change of the network's invoices and payments. */
  readonly version: (network: NetworkId) => number
  readonly now: (network: NetworkId) => number
}

export function createReconciliation(
  store: Pick<InvoiceStore, 'figures' | 'matters' | 'payments'>,
  parts: ReconciliationParts,
) {
  const { ledger, view, chain, version, now } = parts
  let last: { key: string; found: Promise<Survey> } | null = null

  /** The result is kept until the network's data changes, because the pages of a period share it. */
  async function surveyOf(span: ClosingSpan, signal?: AbortSignal): Promise<Survey> {
    const { network, from, to } = span
    const key = `${network} ${from} ${to} ${version(network)}`
    if (last?.key === key) {
      try {
        return await last.found
      } catch {
        // Another caller may have aborted the shared survey, but only this caller's signal counts here.
        signal?.throwIfAborted()
      }
    }
    const entry = { key, found: survey(store, network, { from, to }, signal) }
    last = entry
    return entry.found.catch((error: unknown) => {
      if (last === entry) last = null
      throw error
    })
  }

  function toRows({ network, ...span }: ClosingSpan, keys: readonly number[]): ReconciliationRow[] {
    const invoices = store.figures.byKeys(keys.filter((key) => key > 0))
    const shown = ledger.view(network, invoices)
    const stored = [
      ...store.payments.ofInvoices(invoices.map(({ key }) => key)),
      ...store.payments.some(keys.flatMap((key) => (key < 0 ? [-key] : []))),
    ]
    const payments = view(network, stored)
    return keys.flatMap((key): ReconciliationRow[] => {
      if (key < 0) {
        const payment = payments.find((each) => each.key === -key)
        if (payment === undefined) return []
        return [rowWithoutInvoice(payment, store.matters.of({ paymentKey: -key })[0])]
      }
      const index = invoices.findIndex((each) => each.key === key)
      const invoice = invoices[index]
      if (invoice === undefined) return []
      const own = stored.filter((each) => each.invoiceKey === key)
      const { difference, text, units } = differenceOf(invoice, own, span)
      const view = shown[index] ?? null
      return [
        {
          difference,
          text: view?.together ? `${text} ${describeMoney(view)}` : text,
          differenceAmount: units.toString(),
          needsAttention: openOf(invoice) > 0,
          invoice: view,
          payments: payments.filter((each) => each.invoice === invoice.id),
        },
      ]
    })
  }

  async function read(span: ClosingSpan, signal?: AbortSignal): Promise<ReconciliationSummary> {
    zoneTimesOf(span.zone, invoiceStatsCodes.zoneUnknown)
    const found = await surveyOf(span, signal)
    const { readTo } = chain(span.network)
    return {
      ...span,
      isComplete: readTo !== null && readTo >= span.to,
      problems: problemsOf(span, found, chain(span.network), now(span.network)),
      totals: found.totals,
      differences: found.differences,
      needsAttention: found.needsAttention,
    }
  }

  async function page(
    input: Parsed<'reconciliation.rows'>,
  ): Promise<Output<'reconciliation.rows'>> {
    const { onlyDifferences, offset, limit, ...span } = input
    const found = await surveyOf(span)
    const total = onlyDifferences ? found.differences : found.total
    return { total, rows: toRows(span, found.keys(offset, Math.min(offset + limit, total))) }
  }

  return {
    handlers: {
      'reconciliation.read': (span: ClosingSpan) => read(span),
      'reconciliation.rows': page,
    },
    /** @throws the signal's reason */
    read,
    async *rows(span: ClosingSpan, limit = Infinity): AsyncGenerator<ReconciliationRow[]> {
      const found = await surveyOf(span)
      const total = Math.min(limit, found.total)
      for (let offset = 0; offset < total; offset += pageRows) {
        yield toRows(span, found.keys(offset, Math.min(offset + pageRows, total)))
        await yieldToEventLoop()
      }
    },
    total: async (span: ClosingSpan) => (await surveyOf(span)).total,
  }
}

function problemsOf(
  { to, zone }: ClosingSpan,
  { guesses }: Survey,
  { readTo, problem }: Pick<InvoiceSync['chain'], 'readTo' | 'problem'>,
  now: number,
): string[] {
  const problems: string[] = []
  if (to > now) problems.push('The period has not ended yet.')
  if (readTo === null) problems.push('The chain is not synced for every address yet.')
  else if (readTo < to) {
    const behind = duration(Math.max(1000, to - readTo))
    problems.push(
      `The chain is synced up to ${momentIn(readTo, zone)}, ${behind} before the period’s end.`,
    )
  }
  if (problem !== null) problems.push(problem)
  if (guesses > 0) {
    const [what, are] = guesses === 1 ? ['One payment', 'is'] : [`${guesses} payments`, 'are']
    problems.push(`${what} of the period ${are} linked to an invoice by a guess.`)
  }
  return problems
}

function rowWithoutInvoice(
  payment: Payment,
  discrepancy: StoredDiscrepancy | undefined,
): ReconciliationRow {
  const { amount: differenceAmount, uncounted, currency, names } = payment
  const isKept = discrepancy?.closedAt === null
  const much = formatMoney(differenceAmount, currency)
  const came =
    names === null
      ? `${much} arrived without an invoice`
      : `${much} was paid for invoice ${names}, but the gateway does not count it`
  const after = discrepancy?.handled === null ? '' : '. You marked the payment as handled'
  return {
    difference: uncounted === null ? 'no-invoice' : `wrong-${uncounted}`,
    differenceAmount,
    needsAttention: discrepancy !== undefined && isOpen(discrepancy),
    text: isKept ? `${came}${after}.` : `${came}. ${noDecision}`,
    invoice: null,
    payments: [payment],
  }
}

function momentIn(at: number, zone: string): string {
  const form = { dateStyle: 'medium', timeStyle: 'medium' } as const
  return `${new Intl.DateTimeFormat('en-GB', { ...form, timeZone: zone }).format(at)} (${zone})`
}
