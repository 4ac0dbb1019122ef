import type { DiscrepancyKind } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Currency, formatMoney } from '../../../src-preload/domain/amount.ts'
import { type AccountBook, marginMs } from '../chain/accounts.ts'
import type { Changes } from '../changes.ts'
import type { DiscrepancySubject } from '../store/discrepancies.ts'
import { type StoredInvoice, rootOf } from '../store/invoice-rows.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { NewEvent } from '../store/invoice-reports.ts'
import { type StoredPayment, distinctRows } from '../store/payments.ts'
import {
  type Draft,
  compareDiscrepancies,
  discrepanciesOf,
  fixTolerance,
  isOpen,
  isWaiting,
  overpaidBy,
  refundsAmong,
  tallyOf,
  unmatchedDiscrepancy,
} from './discrepancies.ts'
import type { GatewayClock } from './gateway-clock.ts'
import { describeGroup, sortPayments, uniteInvoices } from './together.ts'
import type { UncountedPayments } from './uncounted.ts'

const maxUnread = 5000

export type DiscrepancyWriter = ReturnType<typeof createDiscrepancyWriter>

/** Writes the discrepancies of invoices and payments, and the sums of the payments of an invoice. */
export function createDiscrepancyWriter(
  { figures, matters, outgoing, payments, reports, waiting }: InvoiceStore,
  parts: {
    readonly book: AccountBook
    readonly changes: Pick<Changes, 'matters'>
    readonly clock: GatewayClock
    readonly uncounted: UncountedPayments
    /** The part that the settings let be missing; null for none. */
    readonly tolerance: (network: NetworkId, currency: Currency) => bigint | null
    readonly addEvent: (key: number, event: NewEvent) => void
  },
) {
  const { addEvent, book, changes, clock, uncounted } = parts
  /** Invoices whose received sum is unknown until the chain was read that far; then the window is notified. */
  const unread = new Map<NetworkId, Set<number>>()

  function chainOf(invoice: StoredInvoice) {
    const { network, payTo } = invoice
    const readTo = book.isRead(invoice) ? (book.of(network, payTo)?.readTo ?? null) : null
    return { readTo, now: clock.now(network) }
  }

  function uncountedOf(invoice: StoredInvoice) {
    const named = uncounted.of(invoice.network, [invoice]).get(invoice.key) ?? []
    return named.map((payment) => ({
      ...payment,
      isHandled: !matters.of({ paymentKey: payment.key }).some(isOpen),
    }))
  }

  function write(
    network: NetworkId,
    subject: DiscrepancySubject,
    drafts: readonly Draft[],
  ): DiscrepancyKind[] {
    const now = clock.now(network)
    const { added, updated, open } = compareDiscrepancies(matters.of(subject), drafts, now)
    for (const draft of added) matters.add(network, subject, draft)
    for (const discrepancy of updated) matters.update(discrepancy.key, discrepancy)
    if (added.length + updated.length > 0) changes.matters(network)
    return open
  }

  /** The invoice with all that counts together with it, its payments and those of all. */
  function wholeOf(invoice: StoredInvoice, groups = figures.groups([invoice])) {
    const own = payments.ofInvoice(invoice.key)
    const group = groups.get(rootOf(invoice))
    if (group === undefined) return { whole: invoice, own, all: own, together: null }
    const all = sortPayments(payments.ofInvoices(group.map(({ key }) => key)))
    const united = uniteInvoices(group)
    // A refund leaves from the address that got the last payment.
    const whole = { ...united, payTo: all.at(-1)?.account ?? united.payTo }
    return { whole, own, all, together: describeGroup(group, invoice.id) }
  }

  /** @returns what may be missing from now on */
  function decide(whole: StoredInvoice, all: readonly StoredPayment[]): bigint | null {
    const { key, network, amount, currency } = whole
    const tally = tallyOf(whole, all)
    const fixed = fixTolerance(whole, tally, parts.tolerance(network, currency))
    if (fixed !== null && whole.tolerance === null) {
      const format = (units: bigint) => formatMoney(units, currency)
      const text = `${format(tally.inTime)} of ${format(amount)} arrived. The tolerance of ${format(fixed)} accepts this as paid.`
      const at = all.at(-1)?.at ?? clock.now(network)
      addEvent(key, { at, source: 'chain', kind: 'note', detail: { text } })
    }
    return fixed
  }

  function updateInvoice(invoice: StoredInvoice, groups: ReturnType<typeof figures.groups>): void {
    const { network, key } = invoice
    const { whole: found, own, all, together } = wholeOf(invoice, groups)
    const isLast = found.key === key
    // The part that came before is no news while nothing was paid to the invoice for the rest.
    const isWaitingForRest = together !== null && own.length === 0 && found.status === 'pending'
    const tolerance = isLast ? decide(found, all) : invoice.tolerance
    const whole = { ...found, tolerance }
    const differing = reports.withOutcome(network, invoice.id, 'differs')
    const tally = tallyOf(invoice, own)
    const circumstances = {
      ...chainOf(invoice),
      differsSince:
        differing.length === 0 ? null : Math.min(...differing.map((each) => each.receivedAt)),
    }
    // The last of those that count together has the discrepancies about their money.
    const drafts = discrepanciesOf(whole, all, circumstances).filter(({ kind }) =>
      isLast ? kind !== 'partial' || !isWaitingForRest : kind === 'reported-differs',
    )
    const open = write(network, { invoiceKey: key }, drafts)
    // A payment that names the invoice without counting is listed as its discrepancy, so that
    // filters find the invoice.
    if (uncountedOf(invoice).some(({ isHandled }) => !isHandled)) open.push('unmatched')
    const over = isLast ? overpaidBy(whole, tallyOf(whole, all)) : 0n
    const refunded = refundedFor(outgoing, invoice, all, over)
    const { received, paidAt } = tally
    figures.set(key, { received, refunded, paidAt, tolerance, matters: open })
    // An invoice with its own address is reconciled whenever that address was read.
    const isOwn = invoice.status === 'paid' && book.of(network, invoice.payTo)?.isShared === false
    waiting.set(network, key, !isOwn && isWaiting(invoice, tally, circumstances))
    if (book.isRead(invoice)) return
    const keys = unread.get(network) ?? new Set()
    if (keys.size < maxUnread) keys.add(key)
    unread.set(network, keys)
  }

  return {
    adviceInput: (
      invoice: StoredInvoice,
      { together }: Pick<ReturnType<typeof wholeOf>, 'together'>,
    ) => ({
      ...chainOf(invoice),
      uncounted: uncountedOf(invoice),
      together,
      ownStatus: invoice.status,
    }),
    wholeOf,
    /** @returns these invoices, and those that count together with them */
    updateInvoices(keys: Iterable<number>): StoredInvoice[] {
      const named = figures.byKeys([...keys])
      const groups = figures.groups(named)
      const invoices = distinctRows([...named, ...[...groups.values()].flat()])
      for (const invoice of invoices) updateInvoice(invoice, groups)
      return invoices
    },
    /** @returns the invoices that list the payment although it is linked to no invoice */
    updatePayment(network: NetworkId, key: number): number[] {
      const payment = payments.get(network, key)
      if (payment === null) return []
      const since = book.of(network, payment.account)?.since ?? 0
      const draft = unmatchedDiscrepancy(payment, since + marginMs)
      write(network, { paymentKey: key }, draft === null ? [] : [draft])
      return uncounted.listing(network, key)
    },
    /** @returns the invoices whose addresses were read since the last call */
    takeRead(network: NetworkId): StoredInvoice[] {
      const known = figures.byKeys([...(unread.get(network) ?? [])])
      const left = known.filter((invoice) => !book.isRead(invoice))
      unread.set(network, new Set(left.map(({ key }) => key)))
      return known.filter(book.isRead)
    },
  }
}

/**
 * Assigns transfers to the invoice that they refund.
 * @param own the payments of all that count together @returns the sum of all transfers that refund it
 */
function refundedFor(
  outgoing: InvoiceStore['outgoing'],
  invoice: StoredInvoice,
  own: readonly StoredPayment[],
  over: bigint,
): bigint {
  const { network, key, id, createdAt } = invoice
  const accounts =
    over > 0n ? [...new Set([invoice.payTo, ...own.map(({ account }) => account)])] : []
  for (const payTo of accounts) {
    const paid = { ...invoice, payTo }
    const transfers = transfersToPayers(outgoing, paid, own, own.at(0)?.at ?? createdAt)
    const unassigned = transfers.filter(({ invoiceKey }) => invoiceKey === null)
    const amount = outgoing.refunds(key).length === 0 ? over : null
    for (const transfer of refundsAmong(unassigned, { amount, id })) {
      outgoing.assign(network, payTo, transfer, key)
    }
  }
  return outgoing.refunds(key).reduce((sum, { amount }) => sum + amount, 0n)
}

/** Returns transfers since a moment from the paid address to those who paid. */
export function transfersToPayers(
  outgoing: InvoiceStore['outgoing'],
  paid: Pick<StoredInvoice, 'network' | 'payTo' | 'currency'> &
    Partial<Pick<StoredInvoice, 'paidBy'>>,
  payments: readonly Pick<StoredPayment, 'payer'>[],
  since: number,
) {
  const { network, payTo, currency, paidBy = null } = paid
  const payers = new Set([...payments.map(({ payer }) => payer), paidBy ?? []].flat())
  return [...payers].flatMap((payer) => outgoing.to(network, payTo, payer, currency, since))
}
