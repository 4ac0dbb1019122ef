import { readPaymentComment } from '../../../src-preload/domain/payment-comment.ts'
import type { AccountBook } from '../chain/accounts.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import { type StoredPayment, distinctRows } from '../store/payments.ts'
import {
  type Candidate,
  type Match,
  clockSlackMs,
  evidenceOf,
  isNamedBy,
  findMatch,
  sameMomentMs,
  weightOf,
} from './match.ts'

/**
 * Maximum number of compared invoices with the same address, currency and amount, newest first,
 * because a shop with one price has many.
 */
const maxAlike = 100
const maxCandidates = 10
/** Maximum number of words of a comment that are compared with the beginnings of ids. */
const maxParts = 5

export type Candidates = ReturnType<typeof createCandidates>

/** Finds the invoices that a payment may pay. */
export function createCandidates({ payments, figures }: InvoiceStore, book: AccountBook) {
  function isOwn({ key, network, payTo }: StoredInvoice): boolean {
    const account = book.of(network, payTo)
    return (
      !(account?.isShared ?? true) && account?.readFrom !== null && account?.firstInvoice === key
    )
  }

  function named({ network, comment, commentKey: key }: StoredPayment): StoredInvoice[] {
    if (comment === null || key === null) return []
    const { ids } = readPaymentComment(comment)
    return [
      ...figures.byComment(network, [...new Set([comment.trim(), key])]),
      ...figures.byIds(network, ids, []),
    ]
  }

  /** Returns invoices that the comment may mean by a part of their id or by their order reference. */
  function described({ network, comment }: StoredPayment): StoredInvoice[] {
    if (comment === null) return []
    const { parts, references } = readPaymentComment(comment)
    return [
      ...figures.byIds(network, [], parts.slice(0, maxParts)),
      ...figures.byReferences(network, references),
    ]
  }

  const near = (payment: StoredPayment): StoredInvoice[] =>
    figures.near(payingOf(payment), payment.at + clockSlackMs, maxCandidates)

  function owning({ network, account }: StoredPayment): StoredInvoice[] {
    const own = book.of(network, account)
    return own === null || own.isShared ? [] : figures.byKeys([own.firstInvoice])
  }

  function countedFor(payment: StoredPayment): StoredInvoice[] {
    const span = { from: payment.at - sameMomentMs, to: payment.at + sameMomentMs }
    return figures.paidBy(payingOf(payment), span, maxAlike)
  }

  const alike = (payment: StoredPayment): StoredInvoice[] =>
    figures.byAmount(payingOf(payment), payment.at + clockSlackMs, maxAlike)

  function toCandidates(payment: StoredPayment, invoices: readonly StoredInvoice[]) {
    const all = distinctRows(invoices)
    const exact = all.filter((each) => each.amount === payment.amount && !isNamedBy(each, payment))
    const paid = exact.length === 0 ? [] : payments.ofInvoices(exact.map(({ key }) => key))
    const others = Map.groupBy(paid, ({ invoiceKey }) => invoiceKey)
    return all.map((invoice) => ({
      invoice,
      others: (others.get(invoice.key) ?? []).filter(({ key }) => key !== payment.key),
      isOwnAddress: isOwn(invoice),
    }))
  }

  /** Tries the best evidence first and stops as soon as it suffices, because each comparison takes time. */
  function matchOf(payment: StoredPayment): Match {
    const candidates = new Map<number, Candidate>()
    let found: Match = findMatch(payment, [])
    const finders = [named, countedFor, owning, alike]
    // The next functions find invoices among which only words decide.
    if (payment.commentKey !== null) finders.push(described, near)
    for (const find of finders) {
      const more = find(payment).filter(({ key }) => !candidates.has(key))
      for (const each of toCandidates(payment, more)) candidates.set(each.invoice.key, each)
      if (find === owning) continue
      found = findMatch(payment, [...candidates.values()])
      const isDecided = found.certainty === 'certain' || payment.commentKey === null
      if (found.invoiceKey !== null && isDecided) break
    }
    return found
  }

  return {
    isOwn,
    owning,
    matchOf,
    /**
     * Sorts invoices: those that the comment names, those that await exactly this amount, those
     * that await a similar amount, those of the same payer, others that ended, and paid ones.
     */
    list(payment: StoredPayment): StoredInvoice[] {
      // A named invoice is listed whatever its asset, because the payer meant this invoice.
      const found = [named, described, countedFor, owning, alike, near].flatMap((find) =>
        find(payment),
      )
      return ranked(payment, distinctRows(found)).slice(0, maxCandidates)
    },
    evidence: (payment: StoredPayment, invoice: StoredInvoice) =>
      toCandidates(payment, [invoice]).flatMap((candidate) => evidenceOf(payment, candidate)),
  }
}

const payingOf = ({ network, account: payTo, currency, amount, payer }: StoredPayment) => ({
  network,
  payTo,
  currency,
  amount,
  payer,
})

function ranked(payment: StoredPayment, invoices: readonly StoredInvoice[]): StoredInvoice[] {
  const comment = readPaymentComment(payment.comment)
  return invoices
    .map((invoice) => {
      const weight = weightOf(comment.grade(invoice))
      return { invoice, order: [-weight, ...orderOf(payment, invoice)] }
    })
    .sort((a, b) => compareOrders(a.order, b.order))
    .map(({ invoice }) => invoice)
}

function orderOf(payment: StoredPayment, invoice: StoredInvoice): number[] {
  const { status, currency, amount, received } = invoice
  const isAwaited =
    currency === payment.currency &&
    received < amount &&
    (status === 'paid' || (status === 'pending' && payment.at <= invoice.expiresAt))
  const difference = amount - payment.amount
  return [
    isAwaited ? 0 : status === 'paid' ? 2 : 1,
    isAwaited && difference !== 0n ? 1 : 0,
    invoice.paidBy === payment.payer ? 0 : 1,
    Number(difference < 0n ? -difference : difference),
    Math.abs(invoice.createdAt - payment.at),
  ]
}

function compareOrders(a: readonly number[], b: readonly number[]): number {
  for (const [index, own] of a.entries()) {
    const other = b[index] ?? 0
    if (own !== other) return own - other
  }
  return 0
}
