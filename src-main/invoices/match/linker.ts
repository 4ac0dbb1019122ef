/** Finds the invoices that payments are for, among those of the ledger, and writes the links. */
import { isDeepStrictEqual } from 'node:util'
import type { InvoiceStore } from '../../store/invoices/invoice-store.ts'
import type { StoredPayment } from '../../store/invoices/payments.ts'
import type { StoredInvoice } from '../../store/invoices/stored-invoice.ts'
import type { AccountBook } from '../chain/accounts.ts'
import type { Ledger } from '../parts.ts'
import { commentKey } from './comment-key.ts'
import type { Candidate } from './match.ts'
import { clockSlackMs, evidenceOf, match } from './match.ts'
import { money } from './words.ts'

export type LinkerDeps = {
  readonly store: Pick<InvoiceStore, 'payments' | 'figures'>
  readonly book: Pick<AccountBook, 'of'>
  readonly addEvent: Ledger['addEvent']
}

/** All within the caller's transaction. */
export type Linker = {
  /** By the rules; what a person has said stays. @returns invoices whose payments are others now */
  link(payment: StoredPayment): number[]
  /** Payments that another state of this invoice may link otherwise. */
  affectedBy(invoice: StoredInvoice): StoredPayment[]
  candidates(payment: StoredPayment): StoredInvoice[]
  evidence(payment: StoredPayment, invoice: StoredInvoice): ReturnType<typeof evidenceOf>
}

/** Of one address, currency and amount, the newest: a shop with one price has many of them. */
const mostAlike = 100
const mostAffected = 100
const mostOfOneAddress = 1000
/** After its end a payment of just its amount is looked for no longer, unless it is overpaid. */
const afterEndMs = 120_000

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

  function alike({ network, account, currency, amount, at }: StoredPayment): StoredInvoice[] {
    const paying = { network, payTo: account, currency, amount }
    return figures.byAmount(paying, at + clockSlackMs, mostAlike)
  }

  function toCandidates(payment: StoredPayment, invoices: readonly StoredInvoice[]): Candidate[] {
    const distinct = [...new Map(invoices.map((each) => [each.key, each])).values()]
    const others =
      distinct.length === 0
        ? new Map<number, bigint>()
        : payments.receivedOf(
            distinct.map(({ key }) => key),
            payment.key,
          )
    return distinct.map((invoice) => ({
      invoice,
      others: others.get(invoice.key) ?? 0n,
      isOwnAddress: isOwn(invoice),
    }))
  }

  function matchOf(payment: StoredPayment) {
    const byName = toCandidates(payment, named(payment))
    const first = match(payment, byName)
    // Most payments carry the comment, and need no more questions.
    if (first.invoiceKey !== null) return first
    const rest = toCandidates(payment, [...owning(payment), ...alike(payment)])
    const known = new Set(byName.map(({ invoice }) => invoice.key))
    return match(payment, [...byName, ...rest.filter(({ invoice }) => !known.has(invoice.key))])
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
      const { network, payTo: account, currency, amount, createdAt, comment } = invoice
      const known = book.of(network, account)
      const ofOwn = known !== null && !known.isShared
      const end = Math.max(invoice.expiresAt, invoice.changedAt) + afterEndMs
      const found = [
        ...(comment === null
          ? []
          : payments.openByComment(network, commentKey(comment) ?? '', mostOfOneAddress)),
        ...(ofOwn ? payments.ofAccount(network, account, mostOfOneAddress) : []),
        ...payments.openByAmount(
          {
            network,
            account,
            currency,
            amount,
            from: createdAt - clockSlackMs,
            to: invoice.overpayment > 0n ? Number.MAX_SAFE_INTEGER : end,
          },
          mostAffected,
        ),
      ]
      return found.filter(
        ({ linkedBy, certainty }) => linkedBy !== 'person' && certainty !== 'certain',
      )
    },
    candidates(payment) {
      const { network, account, currency, amount, at } = payment
      const paying = { network, payTo: account, currency, amount }
      const near = figures.near(paying, at + clockSlackMs, 10)
      // Of another currency none could be linked.
      const found = [...named(payment), ...owning(payment), ...alike(payment), ...near].filter(
        (invoice) => invoice.currency === currency,
      )
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
