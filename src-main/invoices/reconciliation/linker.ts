import { formatMoney } from '../../../src-preload/domain/amount.ts'
import {
  type PaymentComment,
  commentKey,
  foldId,
  readPaymentComment,
} from '../../../src-preload/domain/payment-comment.ts'
import { LimitedMap } from '../../../src-preload/domain/limited-map.ts'
import { isDeepStrictEqual } from 'node:util'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import type { AccountBook } from '../chain/accounts.ts'
import { isDust } from './discrepancies.ts'
import type { NewEvent } from '../store/invoice-reports.ts'
import {
  type Candidate,
  type Match,
  clockSlackMs,
  evidenceOf,
  isNamedBy,
  isToldOf,
  match,
  sameMomentMs,
  weightOf,
} from './match.ts'

export type Linker = ReturnType<typeof createLinker>

/** Invoices of one address, currency and amount, newest first: a shop with one price has many. */
const maxAlike = 100
const maxAffected = 100
const maxOfOneAddress = 1000
const maxCandidates = 10
/** Comments of unlinked payments that an invoice is compared with when it becomes known. */
const maxComments = 100
/** Words of a comment that are compared with the beginnings of ids. */
const maxParts = 5
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
    const { ids } = readPaymentComment(comment)
    return [
      ...figures.byComment(network, [...new Set([comment.trim(), key])]),
      ...figures.byIds(network, ids, []),
    ]
  }

  /** Invoices that the comment may mean by a part of their id or by their order reference. */
  function described({ network, comment }: StoredPayment): StoredInvoice[] {
    if (comment === null) return []
    const { parts, references } = readPaymentComment(comment)
    return [
      ...figures.byIds(network, [], parts.slice(0, maxParts)),
      ...figures.byReferences(network, references),
    ]
  }

  const parsed = new LimitedMap<number, PaymentComment>(maxComments)
  function commentOf({ key, comment }: StoredPayment): PaymentComment {
    const read = parsed.get(key) ?? readPaymentComment(comment)
    parsed.set(key, read)
    return read
  }

  /** Payments that came before the invoice was known, and whose words may mean it. */
  function describing(invoice: StoredInvoice, [from, to]: readonly [number, number]) {
    const { network, payTo: account, currency } = invoice
    return payments
      .withComment({ network, account, currency }, from, to, maxComments)
      .filter((payment) => commentOf(payment).grade(invoice) !== null)
  }

  function near(payment: StoredPayment): StoredInvoice[] {
    return figures.near(payingOf(payment), payment.at + clockSlackMs, maxCandidates)
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
    const finders = [named, countedFor, owning, alike]
    // Only words decide between what is found by these.
    if (payment.commentKey !== null) finders.push(described, near)
    for (const find of finders) {
      const more = find(payment).filter(({ key }) => !candidates.has(key))
      for (const each of toCandidates(payment, more)) candidates.set(each.invoice.key, each)
      if (find === owning) continue
      found = match(payment, [...candidates.values()])
      const isDecided = found.certainty === 'certain' || payment.commentKey === null
      if (found.invoiceKey !== null && isDecided) break
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

  /** A payment that the gateway does not count is no payment event, but belongs to the invoice's history. */
  function noteUncounted(payment: StoredPayment, namedKey: number | null): void {
    const [meant = owning(payment)[0]?.key ?? null] = namedKey === null ? [] : [namedKey]
    const isNew = payment.evidence.length === 0 || namedKey !== payment.namedKey
    if (meant === null || !isNew || isDust(payment)) return
    const { amount, currency, at, hash: transaction } = payment
    const text = `${formatMoney(amount, currency)} arrived for this invoice, but the gateway does not count it.`
    addEvent(meant, { at, source: 'chain', transaction, kind: 'note', detail: { text } })
  }

  return {
    outdoneIn,
    link(payment: StoredPayment): number[] {
      if (payment.linkedBy === 'person') return []
      const { invoiceKey, certainty, evidence, namedKey } = matchOf(payment)
      const isMoved = invoiceKey !== payment.invoiceKey
      const isSame =
        certainty === payment.certainty &&
        namedKey === payment.namedKey &&
        isDeepStrictEqual(evidence, payment.evidence)
      if (!isMoved && isSame) return []
      const linkedBy = invoiceKey === null ? null : 'rule'
      payments.link(payment.key, { invoiceKey, certainty, linkedBy, evidence, namedKey })
      if (invoiceKey === null) noteUncounted(payment, namedKey)
      if (!isMoved) return []
      addEvents(payment, invoiceKey, certainty)
      return [payment.invoiceKey, invoiceKey].filter((key) => key !== null)
    },
    affectedBy(invoice: StoredInvoice): StoredPayment[] {
      const { network, payTo: account, id, createdAt, changedAt, comment, overpayment } = invoice
      const end = Math.max(invoice.expiresAt, changedAt) + sameMomentMs
      const open = openOf(
        invoice,
        [changedAt - sameMomentMs, changedAt + sameMomentMs],
        invoice.paidBy,
      )
      const since = createdAt - clockSlackMs
      const found = [
        ...payments.mentioning(network, foldId(id), since),
        ...describing(invoice, [since, end]),
      ]
      if (comment === null) {
        open.push(...openOf(invoice, [since, overpayment > 0n ? forever : end]))
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
    /**
     * Invoices that the comment names come first, then those that await money: of exactly this amount, then
     * of a near one. Then those of the same payer, others that ended, and last those that are paid.
     */
    candidates(payment: StoredPayment): StoredInvoice[] {
      // A named invoice is shown whatever its asset, because the payer meant that one.
      const found = [named, described, countedFor, owning, alike, near].flatMap((find) =>
        find(payment),
      )
      const distinct = [...new Map(found.map((each) => [each.key, each])).values()]
      const comment = readPaymentComment(payment.comment)
      return distinct
        .map((invoice) => {
          const { status, currency, amount, received } = invoice
          const isAwaited =
            currency === payment.currency &&
            received < amount &&
            (status === 'paid' || (status === 'pending' && payment.at <= invoice.expiresAt))
          const difference = amount - payment.amount
          return {
            invoice,
            order: [
              -weightOf(comment.grade(invoice)),
              isAwaited ? 0 : status === 'paid' ? 2 : 1,
              isAwaited && difference !== 0n ? 1 : 0,
              invoice.paidBy === payment.payer ? 0 : 1,
              Number(difference < 0n ? -difference : difference),
              Math.abs(invoice.createdAt - payment.at),
            ],
          }
        })
        .sort((a, b) => compareOrders(a.order, b.order))
        .slice(0, maxCandidates)
        .map(({ invoice }) => invoice)
    },
    evidence: (payment: StoredPayment, invoice: StoredInvoice) =>
      toCandidates(payment, [invoice]).flatMap((candidate) => evidenceOf(payment, candidate)),
  }
}

function compareOrders(a: readonly number[], b: readonly number[]): number {
  for (const [index, own] of a.entries()) {
    const other = b[index] ?? 0
    if (own !== other) return own - other
  }
  return 0
}
