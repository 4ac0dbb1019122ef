import { isDeepStrictEqual } from 'node:util'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import type { AccountBook } from '../chain/accounts.ts'
import type { Ledger } from '../parts.ts'
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
import { money } from './words.ts'

type LinkerDeps = {
  readonly store: Pick<InvoiceStore, 'payments' | 'figures'>
  readonly book: Pick<AccountBook, 'of'>
  readonly addEvent: Ledger['addEvent']
}

export type Linker = {
  link(payment: StoredPayment): number[]
  affectedBy(invoice: StoredInvoice): StoredPayment[]
  outdoneIn(invoice: StoredInvoice): StoredPayment[]
  candidates(payment: StoredPayment): StoredInvoice[]
  evidence(payment: StoredPayment, invoice: StoredInvoice): ReturnType<typeof evidenceOf>
}

/** Invoices of one address, currency and amount, newest first: a shop with one price has many. */
const maxAlike = 100
const maxAffected = 100
const maxOfOneAddress = 1000
const forever = Number.MAX_SAFE_INTEGER

export function createLinker({ store, book, addEvent }: LinkerDeps): Linker {
  const { payments, figures } = store

  function isOwn(invoice: StoredInvoice): boolean {
    const account = book.of(invoice.network, invoice.payTo)
    return (
      account !== null &&
      !account.isShared &&
      account.readFrom !== null &&
      account.firstInvoice === invoice.key
    )
  }

  function named(payment: StoredPayment): StoredInvoice[] {
    const { network, comment, commentKey: key } = payment
    if (comment === null || key === null) return []
    return figures.byComment(network, [...new Set([comment.trim(), key])])
  }

  function owning({ network, account }: StoredPayment): StoredInvoice[] {
    const known = book.of(network, account)
    return known === null || known.isShared ? [] : figures.byKeys([known.firstInvoice])
  }

  function told({ network, account, currency, amount, payer, at }: StoredPayment): StoredInvoice[] {
    const paying = { network, payTo: account, currency, amount, payer }
    return figures.paidBy(paying, { from: at - sameMomentMs, to: at + sameMomentMs }, maxAlike)
  }

  function alike({ network, account, currency, amount, at }: StoredPayment): StoredInvoice[] {
    const paying = { network, payTo: account, currency, amount }
    return figures.byAmount(paying, at + clockSlackMs, maxAlike)
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

  function toCandidates(payment: StoredPayment, invoices: readonly StoredInvoice[]): Candidate[] {
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
    const ways = [named, told, (each: StoredPayment) => [...owning(each), ...alike(each)]]
    const known = new Map<number, Candidate>()
    let found: Match = match(payment, [])
    for (const way of ways) {
      const more = way(payment).filter(({ key }) => !known.has(key))
      for (const each of toCandidates(payment, more)) known.set(each.invoice.key, each)
      found = match(payment, [...known.values()])
      if (found.invoiceKey !== null) break
    }
    return found
  }

  function tell(payment: StoredPayment, to: number | null, certainty: string | null): void {
    const { amount, currency, payer, at, hash, invoiceKey: from } = payment
    if (to !== null) {
      const detail = { amount: amount.toString(), currency, payer, certainty }
      addEvent(to, { at, source: 'chain', kind: 'payment', detail, transaction: hash })
    }
    if (from !== null) {
      const text = `The payment of ${money(amount, currency)} belongs to ${to === null ? 'no invoice that is known' : 'another invoice'}, as is known now.`
      addEvent(from, { at, source: 'chain', kind: 'note', detail: { text }, transaction: hash })
    }
  }

  return {
    link(payment) {
      if (payment.linkedBy === 'person') return []
      const { invoiceKey, certainty, evidence } = matchOf(payment)
      const isMoved = invoiceKey !== payment.invoiceKey
      const isSame =
        certainty === payment.certainty && isDeepStrictEqual(evidence, payment.evidence)
      if (!isMoved && isSame) return []
      const linkedBy = invoiceKey === null ? null : 'rule'
      payments.link(payment.key, { invoiceKey, certainty, linkedBy, evidence })
      if (!isMoved) return []
      tell(payment, invoiceKey, certainty)
      return [payment.invoiceKey, invoiceKey].filter((key) => key !== null)
    },
    affectedBy(invoice) {
      const { network, payTo: account, createdAt, changedAt, comment, overpayment } = invoice
      const known = book.of(network, account)
      const ofOwn = known !== null && !known.isShared
      const end = Math.max(invoice.expiresAt, changedAt) + sameMomentMs
      const open = [
        ...(comment === null
          ? openOf(invoice, [createdAt - clockSlackMs, overpayment > 0n ? forever : end])
          : []),
        ...openOf(invoice, [changedAt - sameMomentMs, changedAt + sameMomentMs], invoice.paidBy),
      ]
      const found = [
        ...(comment === null
          ? []
          : payments.openByComment(network, commentKey(comment) ?? '', maxOfOneAddress)),
        ...(ofOwn ? payments.ofAccount(network, account, maxOfOneAddress) : []),
        ...open.filter((payment) => mayTake(invoice, payment)),
      ].filter(({ linkedBy, certainty }) => linkedBy !== 'person' && certainty !== 'certain')
      return [...found, ...outdoneIn(invoice)]
    },
    outdoneIn,
    candidates(payment) {
      const { network, account, currency, amount, at } = payment
      const paying = { network, payTo: account, currency, amount }
      const near = figures.near(paying, at + clockSlackMs, 10)
      // A named invoice is shown whatever its asset, because the payer meant that one.
      const found = [
        ...named(payment),
        ...told(payment),
        ...owning(payment),
        ...alike(payment),
        ...near,
      ]
      const weighed = toCandidates(payment, found).map((candidate) => ({
        invoice: figures.byKeys([candidate.invoice.key])[0],
        weight: weightOf(evidenceOf(payment, candidate)),
        distance: Math.abs(candidate.invoice.createdAt - at),
      }))
      return weighed
        .sort((a, b) => b.weight - a.weight || a.distance - b.distance)
        .flatMap(({ invoice }) => invoice ?? [])
        .slice(0, 10)
    },
    evidence(payment, invoice) {
      const [candidate] = toCandidates(payment, [invoice])
      return candidate === undefined ? [] : evidenceOf(payment, candidate)
    },
  }
}

const weights = { comment: 16, address: 8, payer: 4, amount: 2, time: 1, person: 0 } as const

function weightOf(evidence: ReturnType<typeof evidenceOf>): number {
  return evidence.reduce((sum, { kind, fits }) => sum + (fits ? weights[kind] : 0), 0)
}
