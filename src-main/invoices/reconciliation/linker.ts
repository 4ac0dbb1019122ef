import { formatMoney } from '../../../src-preload/domain/amount.ts'
import { isDeepStrictEqual } from 'node:util'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import type { AccountBook } from '../chain/accounts.ts'
import type { NewEvent } from '../store/invoice-reports.ts'
import {
  commentKey,
  type Candidate,
  type Match,
  clockSlackMs,
  evidenceOf,
  isNamedBy,
  isToldOf,
  match,
  sameMomentMs,
} from './match.ts'

export type Linker = ReturnType<typeof createLinker>

/** Invoices of one address, currency and amount, newest first: a shop with one price has many. */
const maxAlike = 100
const maxAffected = 100
const maxOfOneAddress = 1000
const maxCandidates = 10
const forever = Number.MAX_SAFE_INTEGER

export function createLinker(
  { payments, figures }: InvoiceStore,
  book: AccountBook,
  addEvent: (key: number, event: NewEvent) => void,
) {
  function isOwn({ key, network, payTo }: StoredInvoice): boolean {
    const account = book.of(network, payTo)
    return (
      !(account?.isShared ?? true) && account?.readFrom !== null && account?.firstInvoice === key
    )
  }

  const payingOf = ({ network, account, currency, amount, payer }: StoredPayment) => ({
    ...{ network, payTo: account, currency, amount, payer },
  })

  function named({ network, comment, commentKey: key }: StoredPayment): StoredInvoice[] {
    if (comment === null || key === null) return []
    return figures.byComment(network, [...new Set([comment.trim(), key])])
  }

  function owning({ network, account }: StoredPayment): StoredInvoice[] {
    const own = book.of(network, account)
    return own === null || own.isShared ? [] : figures.byKeys([own.firstInvoice])
  }

  function countedFor(payment: StoredPayment): StoredInvoice[] {
    const span = { from: payment.at - sameMomentMs, to: payment.at + sameMomentMs }
    return figures.paidBy(payingOf(payment), span, maxAlike)
  }

  function alike(payment: StoredPayment): StoredInvoice[] {
    return figures.byAmount(payingOf(payment), payment.at + clockSlackMs, maxAlike)
  }

  function openOf(
    { network, payTo: account, currency, amount }: StoredInvoice,
    [from, to]: readonly [number, number],
    payer: string | null = null,
  ): StoredPayment[] {
    const like = { network, account, currency, amount, from, to, payer }
    return payments.openByAmount(like, maxAffected)
  }

  function mayTake(invoice: StoredInvoice, payment: StoredPayment): boolean {
    if (isToldOf(payment, invoice)) return true
    if (invoice.comment !== null) return false
    return !payment.evidence.some(({ kind, fits }) => kind === 'payer' && fits)
  }

  function outdoneIn(invoice: StoredInvoice): StoredPayment[] {
    if (isOwn(invoice) && invoice.comment === null) return []
    return payments
      .ofInvoice(invoice.key)
      .filter((payment) => payment.linkedBy === 'rule' && !isNamedBy(invoice, payment))
  }

  function toCandidates(payment: StoredPayment, invoices: readonly StoredInvoice[]) {
    const distinct = [...new Map(invoices.map((each) => [each.key, each])).values()]
    const exact = distinct.filter(
      (each) => each.amount === payment.amount && !isNamedBy(each, payment),
    )
    const paid = exact.length === 0 ? [] : payments.ofInvoices(exact.map(({ key }) => key))
    const others = Map.groupBy(paid, ({ invoiceKey }) => invoiceKey)
    return distinct.map((invoice) => ({
      invoice,
      others: (others.get(invoice.key) ?? []).filter(({ key }) => key !== payment.key),
      isOwnAddress: isOwn(invoice),
    }))
  }

  /** Tries the best evidence first and stops when it suffices, because each comparison has a cost. */
  function matchOf(payment: StoredPayment): Match {
    const candidates = new Map<number, Candidate>()
    let found: Match = match(payment, [])
    for (const find of [named, countedFor, owning, alike]) {
      const more = find(payment).filter(({ key }) => !candidates.has(key))
      for (const each of toCandidates(payment, more)) candidates.set(each.invoice.key, each)
      if (find === owning) continue
      found = match(payment, [...candidates.values()])
      if (found.invoiceKey !== null) break
    }
    return found
  }

  function addEvents(payment: StoredPayment, to: number | null, certainty: string | null): void {
    const { amount, currency, payer, at, hash: transaction, invoiceKey: from } = payment
    const event = { at, source: 'chain', transaction } as const
    if (to !== null) {
      const detail = { amount: amount.toString(), currency, payer, certainty }
      addEvent(to, { ...event, kind: 'payment', detail })
    }
    if (from !== null) {
      const text = `The payment of ${formatMoney(amount, currency)} is now linked to ${to === null ? 'no invoice' : 'another invoice'}.`
      addEvent(from, { ...event, kind: 'note', detail: { text } })
    }
  }

  return {
    outdoneIn,
    link(payment: StoredPayment): number[] {
      if (payment.linkedBy === 'person') return []
      const { invoiceKey, certainty, evidence } = matchOf(payment)
      const isMoved = invoiceKey !== payment.invoiceKey
      const isSame =
        certainty === payment.certainty && isDeepStrictEqual(evidence, payment.evidence)
      if (!isMoved && isSame) return []
      const linkedBy = invoiceKey === null ? null : 'rule'
      payments.link(payment.key, { invoiceKey, certainty, linkedBy, evidence })
      if (!isMoved) return []
      addEvents(payment, invoiceKey, certainty)
      return [payment.invoiceKey, invoiceKey].filter((key) => key !== null)
    },
    affectedBy(invoice: StoredInvoice): StoredPayment[] {
      const { network, payTo: account, createdAt, changedAt, comment, overpayment } = invoice
      const end = Math.max(invoice.expiresAt, changedAt) + sameMomentMs
      const open = openOf(
        invoice,
        [changedAt - sameMomentMs, changedAt + sameMomentMs],
        invoice.paidBy,
      )
      const found: StoredPayment[] = []
      if (comment === null) {
        open.push(...openOf(invoice, [createdAt - clockSlackMs, overpayment > 0n ? forever : end]))
      } else
        found.push(...payments.openByComment(network, commentKey(comment) ?? '', maxOfOneAddress))
      if (book.of(network, account)?.isShared === false) {
        found.push(...payments.ofAccount(network, account, maxOfOneAddress))
      }
      found.push(...open.filter((payment) => mayTake(invoice, payment)))
      return [
        ...found.filter((each) => each.linkedBy !== 'person' && each.certainty !== 'certain'),
        ...outdoneIn(invoice),
      ]
    },
    candidates(payment: StoredPayment): StoredInvoice[] {
      const createdUpTo = payment.at + clockSlackMs
      // A named invoice is shown whatever its asset, because the payer meant that one.
      const found = [
        ...[named, countedFor, owning, alike].flatMap((find) => find(payment)),
        ...figures.near(payingOf(payment), createdUpTo, maxCandidates),
      ]
      return toCandidates(payment, found)
        .map((candidate) => ({
          invoice: candidate.invoice,
          weight: evidenceOf(payment, candidate).reduce(
            (sum, { kind, fits }) => sum + (fits ? weights[kind] : 0),
            0,
          ),
          distance: Math.abs(candidate.invoice.createdAt - payment.at),
        }))
        .sort((a, b) => b.weight - a.weight || a.distance - b.distance)
        .slice(0, maxCandidates)
        .map(({ invoice }) => invoice)
    },
    evidence: (payment: StoredPayment, invoice: StoredInvoice) =>
      toCandidates(payment, [invoice]).flatMap((candidate) => evidenceOf(payment, candidate)),
  }
}

const weights = { comment: 16, address: 8, payer: 4, amount: 2, time: 1, person: 0 } as const
