import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { InvoiceDetail, MatterKind } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { foldId, namesId } from '../../../src-preload/domain/payment-comment.ts'
import { pagesOf } from '../../database/pages.ts'
import { type AccountBook, marginMs } from '../chain/accounts.ts'
import type { Changes } from '../changes.ts'
import type { DiscrepancySubject, StoredDiscrepancy } from '../store/discrepancies.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { OutgoingTransfer } from '../store/invoice-accounts.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import { advise } from './advice.ts'
import {
  updateDiscrepancy,
  type Draft,
  isWaiting,
  discrepanciesOf,
  overpaidBy,
  refundedInvoice,
  refundsAmong,
  endOf,
  tallyOf,
  unmatchedDiscrepancy,
} from './discrepancies.ts'
import type { GatewayClock } from './gateway-clock.ts'
import type { Linker } from './linker.ts'
import { clockSlackMs } from './match.ts'
import type { PaymentView, UncountedPayments } from './uncounted.ts'

/** A link that moves may move another one. Beyond this number the rest waits for the next change. */
const maxLinked = 3000
const maxOfOneAddress = 1000
const slice = 100
const maxUnread = 5000
/** An invoice that ended longer ago than this when first seen is history: its address is read on demand. */
const lateMs = 24 * 3_600_000
const maxFitting = 20

export type Reconciler = ReturnType<typeof createReconciler>

export function createReconciler(
  store: InvoiceStore,
  parts: {
    readonly book: AccountBook
    readonly changes: Changes
    readonly clock: GatewayClock
    readonly linker: Linker
    readonly uncounted: UncountedPayments
    readonly view: PaymentView
    readonly nudge: (network: NetworkId, accounts: readonly string[]) => void
  },
) {
  const { book, changes, clock, linker, uncounted, view, nudge } = parts
  const { payments, figures, matters } = store
  /** Invoices whose received sum is unknown until the chain was read that far; the window is notified then. */
  const unread = new Map<NetworkId, Set<number>>()

  const emit = (network: NetworkId, invoices: readonly StoredInvoice[]) =>
    changes.invoices(
      network,
      invoices.map(({ id }) => id),
    )

  function chainOf(invoice: StoredInvoice) {
    const { network, payTo } = invoice
    const readTo = book.isRead(invoice) ? (book.of(network, payTo)?.readTo ?? null) : null
    return { readTo, now: clock.now(network) }
  }

  function emitRead(network: NetworkId): void {
    const waiting = figures.byKeys([...(unread.get(network) ?? [])])
    const left = waiting.filter((invoice) => !book.isRead(invoice))
    unread.set(network, new Set(left.map(({ key }) => key)))
    emit(network, waiting.filter(book.isRead))
  }

  function writeDiscrepancies(
    network: NetworkId,
    subject: DiscrepancySubject,
    drafts: readonly Draft[],
  ): MatterKind[] {
    const stored = matters.of(subject)
    const added = drafts.filter((draft) => !stored.some(({ kind }) => kind === draft.kind))
    for (const draft of added) matters.add(network, subject, draft)
    const open = added.map(({ kind }) => kind)
    let isChanged = added.length > 0
    for (const discrepancy of stored) {
      const draft = drafts.find(({ kind }) => kind === discrepancy.kind)
      const update = updateDiscrepancy(discrepancy, draft, clock.now(network))
      if (update !== null) {
        matters.update(discrepancy.key, update)
        isChanged = true
      }
      if (isOpen(update ?? discrepancy)) open.push(discrepancy.kind)
    }
    if (isChanged) changes.matters(network)
    return open
  }

  function weigh(invoice: StoredInvoice): void {
    const { network, key } = invoice
    const own = payments.ofInvoice(key)
    const differing = store.reports.withOutcome(network, invoice.id, 'differs')
    const tally = tallyOf(invoice, own)
    const circumstances = {
      ...chainOf(invoice),
      differsSince:
        differing.length === 0 ? null : Math.min(...differing.map((each) => each.receivedAt)),
    }
    const drafts = discrepanciesOf(invoice, own, circumstances)
    const open = writeDiscrepancies(network, { invoiceKey: key }, drafts)
    // A payment that names the invoice without counting is its discrepancy too, so that filters find it.
    if (uncountedOf(invoice).some(({ isHandled }) => !isHandled)) open.push('unmatched')
    const refunded = refundedFor(invoice, own, overpaidBy(invoice, tally))
    figures.set(key, { received: tally.received, refunded, paidAt: tally.paidAt, matters: open })
    // An invoice with an address of its own is reconciled whenever that address was read.
    const isOwn = invoice.status === 'paid' && book.of(network, invoice.payTo)?.isShared === false
    figures.setWaiting(network, key, !isOwn && isWaiting(invoice, tally, circumstances))
    if (book.isRead(invoice)) return
    const keys = unread.get(network) ?? new Set()
    if (keys.size < maxUnread) keys.add(key)
    unread.set(network, keys)
  }

  /** Assigns transfers to the invoice that they refund. @returns the sum of all that refund it */
  function refundedFor(
    invoice: StoredInvoice,
    own: readonly StoredPayment[],
    over: bigint,
  ): bigint {
    const { network, key, id, payTo, currency, createdAt, paidBy } = invoice
    if (over > 0n) {
      const payers = new Set([...own.map(({ payer }) => payer), paidBy ?? []].flat())
      const since = own.at(0)?.at ?? createdAt
      const transfers = [...payers]
        .flatMap((payer) => store.outgoing.to(network, payTo, payer, currency, since))
        .filter(({ invoiceKey }) => invoiceKey === null)
      const amount = store.outgoing.refunds(key).length === 0 ? over : null
      for (const transfer of refundsAmong(transfers, { amount, id })) {
        store.outgoing.assign(network, payTo, transfer, key)
      }
    }
    return store.outgoing.refunds(key).reduce((sum, { amount }) => sum + amount, 0n)
  }

  function uncountedOf(invoice: StoredInvoice) {
    const named = uncounted.of(invoice.network, [invoice]).get(invoice.key) ?? []
    return named.map((payment) => ({
      ...payment,
      isHandled: !matters.of({ paymentKey: payment.key }).some(isOpen),
    }))
  }

  function namedBy(network: NetworkId, key: number): number[] {
    const payment = payments.get(network, key)
    if (payment === null) return []
    const invoice = uncounted.invoiceOf(payment)
    const account = book.of(network, payment.account)
    // A payment that now names another invoice was listed at the owner of its address before.
    const owner = account === null || account.isShared ? [] : [account.firstInvoice]
    return invoice === null ? owner : [invoice.key, ...owner]
  }

  function weighAll(keys: Iterable<number>): StoredInvoice[] {
    const invoices = figures.byKeys([...keys])
    for (const invoice of invoices) weigh(invoice)
    return invoices
  }

  function weighAgain(network: NetworkId, keys: readonly number[]): void {
    const shown = ({ matters: open, refunded }: StoredInvoice) => `${open.join()} ${refunded}`
    const before = new Map(figures.byKeys(keys).map((each) => [each.key, shown(each)]))
    store.transaction(() => weighAll(keys))
    const after = figures.byKeys(keys)
    emit(
      network,
      after.filter((each) => before.get(each.key) !== shown(each)),
    )
  }

  function weighPayment(network: NetworkId, key: number): void {
    const payment = payments.get(network, key)
    if (payment === null) return
    const since = book.of(network, payment.account)?.since ?? 0
    const draft = unmatchedDiscrepancy(payment, since + marginMs)
    writeDiscrepancies(network, { paymentKey: key }, draft === null ? [] : [draft])
  }

  /**
   * Linking can cascade: an invoice that gets a payment may lose one with weaker evidence, and the
   * reverse.
   * @returns invoices whose payments have changed
   */
  function linkAll(network: NetworkId, found: readonly StoredPayment[]): Set<number> {
    const changed = new Set<number>()
    const moved = new Set<number>()
    const gainedBy = new Map<number, number>()
    let turn = distinct(found)
    let left = maxLinked
    while (turn.length > 0 && left > 0) {
      const gained = new Set<number>()
      const freed = new Set<number>()
      for (const { key } of turn.sort(namedFirst)) {
        left -= 1
        const payment = payments.get(network, key)
        if (payment === null) continue
        const touched = linker.link(payment)
        if (touched.length > 0 || payment.invoiceKey === null) moved.add(key)
        for (const invoice of touched) {
          changed.add(invoice)
          if (invoice !== payment.invoiceKey) {
            gainedBy.set(invoice, key)
            gained.add(invoice)
          } else if ([undefined, key].includes(gainedBy.get(invoice))) {
            gainedBy.delete(invoice)
            freed.add(invoice)
          }
        }
      }
      turn = distinct([
        ...figures.byKeys([...gained]).flatMap((invoice) => linker.outdoneIn(invoice)),
        ...figures.byKeys([...freed]).flatMap((invoice) => linker.affectedBy(invoice)),
      ])
    }
    for (const key of moved) {
      weighPayment(network, key)
      for (const named of namedBy(network, key)) changed.add(named)
    }
    if (moved.size > 0) changes.payments(network)
    return changed
  }

  /** Whether the gateway reports more than was read of the chain: reading the address again may find it. */
  function isBehind(invoice: StoredInvoice): boolean {
    const { network, status, changedAt, amount, overpayment, firstSeenAt, confirmedAt } = invoice
    const isNew = (confirmedAt ?? 0) <= firstSeenAt
    if (isNew && clock.now(network) - changedAt > lateMs) return false
    const { received } = tallyOf(invoice, payments.ofInvoice(invoice.key))
    const isShort = status === 'paid' && received < amount
    const byChain = overpaidBy({ ...invoice, overpayment: 0n }, { received })
    return isShort || overpayment > byChain
  }

  function link(network: NetworkId, found: readonly StoredPayment[]): void {
    emit(network, weighAll(linkAll(network, found)))
  }

  return {
    isRead: book.isRead,
    uncounted: uncounted.of,
    linked: payments.ofInvoices,
    /**
     * Links payments to these rows and writes `received`, `paidAt` and discrepancies, within the
     * transaction that wrote the rows. Rows that only a delivery reported (confirmedAt null) must match
     * nothing, because anybody could have sent them.
     */
    reconcile(network: NetworkId, keys: readonly number[]): void {
      store.transaction(() => {
        const written = figures.byKeys(keys)
        const formerOwners: number[] = []
        const found = written.flatMap((invoice) => {
          const isNoLongerOwn = book.note(invoice)
          const { payTo } = invoice
          if (isNoLongerOwn) formerOwners.push(book.of(network, payTo)?.firstInvoice ?? invoice.key)
          return [
            ...(isNoLongerOwn ? payments.ofAccount(network, payTo, maxOfOneAddress) : []),
            ...linker.affectedBy(invoice),
          ]
        })
        const changed = linkAll(network, found)
        // A former owner loses the payments that were its own by their address only.
        for (const owner of formerOwners) changed.add(owner)
        weighAll(new Set([...keys, ...changed]))
        emit(network, figures.byKeys([...changed].filter((key) => !keys.includes(key))))
        const behind = written.filter(isBehind).map(({ payTo }) => payTo)
        if (behind.length > 0) nudge(network, [...new Set(behind)])
      })
    },
    link,
    /** Weighs the invoices that these new transfers from an address may refund. */
    sent(network: NetworkId, account: string, transfers: readonly OutgoingTransfer[]): void {
      const payees = [...new Set(transfers.map(({ payee }) => payee))]
      const keys = new Set(figures.withMatterOf(network, account, payees))
      for (const transfer of transfers) {
        const id = refundedInvoice(transfer)
        const found = id === null ? [] : figures.byIds(network, [foldId(id)], [])
        const invoice = found.find(
          ({ payTo, currency }) => payTo === account && currency === transfer.currency,
        )
        if (invoice === undefined) continue
        store.outgoing.assign(network, account, transfer, invoice.key)
        keys.add(invoice.key)
      }
      emit(network, weighAll(keys))
      changes.matters(network)
    },
    linkAccount: (network: NetworkId, account: string) =>
      link(network, payments.ofAccount(network, account, maxOfOneAddress)),
    /** Reconciles the only invoice of an address that was just read: a missing payment shows now. */
    weighOwn(network: NetworkId, account: string): void {
      const own = book.of(network, account)
      if (own !== null && !own.isShared) weighAgain(network, [own.firstInvoice])
    },
    relinked(network: NetworkId, payment: number, invoices: readonly number[]): void {
      weighPayment(network, payment)
      const freed = figures.byKeys(invoices).flatMap((invoice) => linker.affectedBy(invoice))
      const changed = linkAll(network, freed)
      const named = namedBy(network, payment)
      emit(network, weighAll(new Set([...invoices, ...changed, ...named])))
      changes.payments(network)
    },
    weigh(
      network: NetworkId,
      handled: readonly Pick<StoredDiscrepancy, 'invoiceKey' | 'paymentKey'>[],
    ): void {
      const keys = handled.flatMap(({ invoiceKey, paymentKey }) =>
        paymentKey === null ? (invoiceKey ?? []) : namedBy(network, paymentKey),
      )
      emit(
        network,
        store.transaction(() => weighAll(new Set(keys))),
      )
      changes.matters(network)
    },
    /** Reconciles the invoices whose discrepancies depend on time or on more of the chain. */
    async settle(network: NetworkId, signal: AbortSignal): Promise<void> {
      emitRead(network)
      for (;;) {
        signal.throwIfAborted()
        const older = payments.notCompared(network, slice)
        if (older.length === 0) break
        store.transaction(() => link(network, older))
        await yieldToEventLoop()
      }
      const pages = pagesOf<number>((last = 0) => {
        signal.throwIfAborted()
        return figures.waiting(network, last, slice)
      })
      for await (const keys of pages) weighAgain(network, keys)
    },
    adviceInput: (invoice: StoredInvoice) => ({
      ...chainOf(invoice),
      uncounted: uncountedOf(invoice),
    }),
    describe(invoice: StoredInvoice): Pick<InvoiceDetail, 'payments' | 'unlinked' | 'advice'> {
      const { id, key, network, payTo: account, currency, amount, createdAt, changedAt } = invoice
      const readTo = book.of(network, account)?.readTo ?? 0
      if (!book.isRead(invoice) || readTo < changedAt) nudge(network, [account])
      const own = payments.ofInvoice(key)
      const [from, to] = [createdAt - clockSlackMs, endOf(invoice)]
      const like = { network, account, currency, amount, from, to, payer: null }
      const fitting = distinct([
        ...payments.mentioning(network, foldId(id), from),
        ...payments.openByAmount(like, maxFitting),
      ])
        .filter((payment) => payment.invoiceKey === null && uncounted.invoiceOf(payment) === null)
        .map((payment) => ({ ...payment, isNaming: namesId(payment.comment, id) }))
      const named = uncountedOf(invoice)
      const shown = matters
        .of({ invoiceKey: key })
        .filter(({ closedAt }) => closedAt === null)
        .map(({ kind, handled }) => ({ kind, isHandled: handled !== null }))
      const input = { ...chainOf(invoice), uncounted: named, fitting }
      return {
        payments: view(network, own),
        unlinked: view(network, [...named, ...fitting]),
        advice: advise(invoice, own, shown, input),
      }
    },
  }
}

function isOpen({ handled, closedAt }: Pick<StoredDiscrepancy, 'handled' | 'closedAt'>): boolean {
  return handled === null && closedAt === null
}

function distinct(found: readonly StoredPayment[]): StoredPayment[] {
  return [...new Map(found.map((each) => [each.key, each])).values()]
}

/** Payments with a comment come first, because they decide most; then by time. */
function namedFirst(a: StoredPayment, b: StoredPayment): number {
  const isNamed = (payment: StoredPayment) => Number(payment.commentKey !== null)
  if (isNamed(a) !== isNamed(b)) return isNamed(b) - isNamed(a)
  if (a.at !== b.at) return a.at - b.at
  return a.lt < b.lt ? -1 : 1
}
