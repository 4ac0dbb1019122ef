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
import { type StoredPayment, distinctRows } from '../store/payments.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import type { AccountBook } from '../chain/accounts.ts'
import { isDust } from './discrepancies.ts'
import type { NewEvent } from '../store/invoice-reports.ts'
import type { Candidates } from './candidates.ts'
import { clockSlackMs, isNamedBy, isNamedByGateway, sameMomentMs } from './match.ts'

export type Linker = ReturnType<typeof createLinker>

const maxAffected = 100
const maxOfOneAddress = 1000
/** Maximum number of comments of unlinked payments that are compared with a new invoice. */
const maxComments = 100
/** Moving a link may move other links. Beyond this number the rest waits for the next change. */
const maxLinked = 3000
const forever = Number.MAX_SAFE_INTEGER

export function createLinker(
  store: Pick<InvoiceStore, 'payments' | 'figures'>,
  book: AccountBook,
  candidates: Candidates,
  addEvent: (key: number, event: NewEvent) => void,
) {
  const { payments, figures } = store
  const parsed = new LimitedMap<number, PaymentComment>(maxComments)
  function commentOf({ key, comment }: StoredPayment): PaymentComment {
    const read = parsed.get(key) ?? readPaymentComment(comment)
    parsed.set(key, read)
    return read
  }

  /** Returns payments from before the invoice was known whose words may mean it. */
  function describing(invoice: StoredInvoice, [from, to]: readonly [number, number]) {
    const { network, payTo: account, currency } = invoice
    return payments
      .withComment({ network, account, currency }, from, to, maxComments)
      .filter((payment) => commentOf(payment).grade(invoice) !== null)
  }

  function openOf(
    { network, payTo: account, currency, amount }: StoredInvoice,
    [from, to]: readonly [number, number],
    payer: string | null = null,
  ): StoredPayment[] {
    const like = { network, account, currency, amount, from, to, payer }
    return payments.openByAmount(like, maxAffected)
  }

  function outdoneIn(invoice: StoredInvoice): StoredPayment[] {
    if (candidates.isOwn(invoice) && invoice.comment === null) return []
    return payments
      .ofInvoice(invoice.key)
      .filter((payment) => payment.linkedBy === 'rule' && !isNamedBy(invoice, payment))
  }

  /** Finds the payments whose link may change with an invoice. */
  function affectedBy(invoice: StoredInvoice): StoredPayment[] {
    const { network, payTo: account, id, createdAt, changedAt, comment, overpayment } = invoice
    const end = Math.max(invoice.expiresAt, changedAt) + sameMomentMs
    const paid = [changedAt - sameMomentMs, changedAt + sameMomentMs] as const
    const open = openOf(invoice, paid, invoice.paidBy)
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

  /**
   * A payment that the gateway does not count causes no payment event, but belongs to the invoice's
   * history.
   */
  function noteUncounted(payment: StoredPayment, namedKey: number | null): void {
    const [meant = candidates.owning(payment)[0]?.key ?? null] = namedKey === null ? [] : [namedKey]
    const isNew = payment.evidence.length === 0 || namedKey !== payment.namedKey
    if (meant === null || !isNew || isDust(payment)) return
    const { amount, currency, at, hash: transaction } = payment
    const text = `${formatMoney(amount, currency)} arrived for this invoice, but the gateway does not count it.`
    addEvent(meant, { at, source: 'chain', transaction, kind: 'note', detail: { text } })
  }

  /** @returns the invoices that lost or got the payment */
  function link(payment: StoredPayment): number[] {
    if (payment.linkedBy === 'person') return []
    const { invoiceKey, certainty, evidence, namedKey } = candidates.matchOf(payment)
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
  }

  return {
    affectedBy,
    /** Links repeatedly: an invoice that gets a payment may lose another one with weaker evidence. */
    linkAll(found: readonly StoredPayment[]): LinkChanges {
      const changes = { invoices: new Set<number>(), payments: new Set<number>() }
      const gainedBy = new Map<number, number>()
      let turn = distinctRows(found)
      let left = maxLinked
      while (turn.length > 0 && left > 0) {
        const gained = new Set<number>()
        const freed = new Set<number>()
        for (const { network, key } of turn.sort(namedFirst)) {
          left -= 1
          const payment = payments.get(network, key)
          if (payment === null) continue
          const touched = link(payment)
          if (touched.length > 0 || payment.invoiceKey === null) changes.payments.add(key)
          for (const invoice of touched) {
            changes.invoices.add(invoice)
            if (invoice !== payment.invoiceKey) {
              gainedBy.set(invoice, key)
              gained.add(invoice)
            } else if ([undefined, key].includes(gainedBy.get(invoice))) {
              gainedBy.delete(invoice)
              freed.add(invoice)
            }
          }
        }
        turn = distinctRows([
          ...figures.byKeys([...gained]).flatMap(outdoneIn),
          ...figures.byKeys([...freed]).flatMap(affectedBy),
        ])
      }
      return changes
    },
  }
}

type LinkChanges = {
  readonly invoices: ReadonlySet<number>
  /** Payments whose link has changed, and payments without a link. */
  readonly payments: ReadonlySet<number>
}

function mayTake(invoice: StoredInvoice, payment: StoredPayment): boolean {
  if (isNamedByGateway(payment, invoice)) return true
  if (invoice.comment !== null) return false
  return !payment.evidence.some(({ kind, fits }) => kind === 'payer' && fits)
}

/** Payments with a comment come first, because they decide most; then by time. */
function namedFirst(a: StoredPayment, b: StoredPayment): number {
  const isNamed = (payment: StoredPayment) => Number(payment.commentKey !== null)
  if (isNamed(a) !== isNamed(b)) return isNamed(b) - isNamed(a)
  if (a.at !== b.at) return a.at - b.at
  return a.lt < b.lt ? -1 : 1
}
