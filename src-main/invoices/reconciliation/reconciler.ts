import { setImmediate as breathe } from 'node:timers/promises'
import type { MatterKind } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { DiscrepancySubject, StoredDiscrepancy } from '../store/discrepancies.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import { type AccountBook, marginMs } from '../chain/accounts.ts'
import type { Linker } from './linker.ts'
import type { PaymentView, UncountedPayments } from './uncounted.ts'
import type { Reconciler, Ledger } from '../parts.ts'
import { clockSlackMs } from './match.ts'
import { type Known, type UncountedPayment, advise } from './advice.ts'
import type { GatewayClock } from './gateway-clock.ts'
import {
  updateDiscrepancy,
  type Draft,
  isWaiting,
  discrepanciesOf,
  overpaidBy,
  endOf,
  tallyOf,
  unmatchedDiscrepancy,
} from './discrepancies.ts'

type ReconcilerDeps = {
  readonly store: Pick<
    InvoiceStore,
    'transaction' | 'payments' | 'figures' | 'matters' | 'reports' | 'accounts'
  >
  readonly book: AccountBook
  readonly linker: Linker
  readonly uncounted: UncountedPayments
  readonly view: PaymentView
  readonly clock: GatewayClock
  readonly tell: Ledger['tell']
  readonly nudge: (network: NetworkId, accounts: readonly string[]) => void
  readonly onChanged: (network: NetworkId, what: 'payments' | 'matters') => void
}

export type LocalReconciler = Reconciler & {
  place(network: NetworkId, payments: readonly number[]): void
  placeAgain(network: NetworkId, account: string): void
  /** Reconciles the only invoice of an address that was just read: a missing payment shows now. */
  weighOwn(network: NetworkId, account: string): void
  relinked(network: NetworkId, payment: number, invoices: readonly number[]): void
  /** Reconciles the invoices whose discrepancies depend on time or on more of the chain. */
  settle(network: NetworkId, signal: AbortSignal): Promise<void>
  weigh(
    network: NetworkId,
    matters: readonly Pick<StoredDiscrepancy, 'invoiceKey' | 'paymentKey'>[],
  ): void
  known(invoice: StoredInvoice): Known
}

/** A link that moves may move another one. Beyond this number the rest waits for the next change. */
const maxLinked = 3000
const maxOfOneAddress = 1000
const slice = 100
const maxUnread = 5000
const maxNamed = 200
/** An invoice that ended longer ago than this when first seen is history: its address is read on demand. */
const lateMs = 24 * 3_600_000
const maxFitting = 20

export function createReconciler(deps: ReconcilerDeps): LocalReconciler {
  const { store, book, linker, uncounted, clock } = deps
  const { payments, figures, matters } = store

  function known(invoice: StoredInvoice) {
    const { network, payTo } = invoice
    const readTo = isRead(invoice) ? (book.of(network, payTo)?.readTo ?? null) : null
    return { readTo, now: clock.now(network) }
  }

  const isRead = (invoice: Pick<StoredInvoice, 'network' | 'payTo' | 'createdAt'>) =>
    book.isRead(invoice)

  /** Invoices whose received sum is unknown until the chain was read that far; the window is notified then. */
  const unread = new Map<NetworkId, Set<number>>()

  function noteUnread(network: NetworkId, key: number): void {
    const keys = unread.get(network) ?? new Set()
    if (keys.size < maxUnread) keys.add(key)
    unread.set(network, keys)
  }

  function tellRead(network: NetworkId): void {
    const keys = unread.get(network)
    if (keys === undefined) return
    const waiting = figures.byKeys([...keys])
    const now = waiting.filter(isRead)
    keys.clear()
    for (const invoice of waiting) if (!isRead(invoice)) keys.add(invoice.key)
    if (now.length > maxNamed) deps.tell(network, null)
    else tellOf(network, now)
  }

  function keep(
    network: NetworkId,
    subject: DiscrepancySubject,
    drafts: readonly Draft[],
  ): MatterKind[] {
    const kept = matters.of(subject)
    let isChanged = false
    const open: MatterKind[] = []
    for (const draft of drafts) {
      if (kept.some(({ kind }) => kind === draft.kind)) continue
      matters.add(network, subject, draft)
      open.push(draft.kind)
      isChanged = true
    }
    for (const discrepancy of kept) {
      const draft = drafts.find(({ kind }) => kind === discrepancy.kind)
      const after = updateDiscrepancy(discrepancy, draft, clock.now(network))
      if (after !== null) {
        matters.update(discrepancy.key, after)
        isChanged = true
      }
      const now: Pick<StoredDiscrepancy, 'handled' | 'closedAt'> = after ?? discrepancy
      if (now.handled === null && now.closedAt === null) open.push(discrepancy.kind)
    }
    if (isChanged) deps.onChanged(network, 'matters')
    return open
  }

  function weigh(invoice: StoredInvoice): void {
    const { network, key } = invoice
    const own = payments.ofInvoice(key)
    const differing = store.reports.withOutcome(network, invoice.id, 'differs')
    const tally = tallyOf(invoice, own)
    const circumstances = {
      ...known(invoice),
      differsSince: differing.length === 0 ? null : Math.min(...differing.map(receivedAt)),
    }
    const open = keep(network, { invoiceKey: key }, discrepanciesOf(invoice, own, circumstances))
    // A payment that names the invoice without counting is its discrepancy too, so that filters find it.
    if (uncountedOf(invoice).some(({ isHandled }) => !isHandled)) open.push('unmatched')
    figures.set(key, { received: tally.received, paidAt: tally.paidAt, matters: open })
    // An invoice with an address of its own is reconciled whenever that address was read.
    const isOwn = invoice.status === 'paid' && book.of(network, invoice.payTo)?.isShared === false
    figures.setWaiting(network, key, !isOwn && isWaiting(invoice, tally, circumstances))
    if (!isRead(invoice)) noteUnread(network, key)
  }

  function uncountedOf(invoice: StoredInvoice): UncountedPayment[] {
    const named = uncounted.of(invoice.network, [invoice]).get(invoice.key) ?? []
    return named.map((payment) => ({
      ...payment,
      isHandled: !matters
        .of({ paymentKey: payment.key })
        .some(({ handled, closedAt }) => handled === null && closedAt === null),
    }))
  }

  function fittingOf(invoice: StoredInvoice): StoredPayment[] {
    const { network, payTo: account, currency, amount, createdAt } = invoice
    const [from, to] = [createdAt - clockSlackMs, endOf(invoice)]
    const like = { network, account, currency, amount, from, to, payer: null }
    return payments
      .openByAmount(like, maxFitting)
      .filter((payment) => payment.invoiceKey === null && uncounted.invoiceOf(payment) === null)
  }

  function allKnown(invoice: StoredInvoice): Known {
    return { ...known(invoice), uncounted: uncountedOf(invoice) }
  }

  function namedBy(network: NetworkId, payment: number): number[] {
    const known = payments.get(network, payment)
    const key = known === null ? undefined : uncounted.invoiceOf(known)?.key
    return key === undefined ? [] : [key]
  }

  function weighAll(keys: Iterable<number>): StoredInvoice[] {
    const invoices = figures.byKeys([...keys])
    for (const invoice of invoices) weigh(invoice)
    return invoices
  }

  function weighPayment(network: NetworkId, key: number): void {
    const payment = payments.get(network, key)
    if (payment === null) return
    const since = book.of(network, payment.account)?.since ?? 0
    const draft = unmatchedDiscrepancy(payment, since + marginMs)
    keep(network, { paymentKey: key }, draft === null ? [] : [draft])
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
    if (moved.size > 0) deps.onChanged(network, 'payments')
    return changed
  }

  function tellOf(network: NetworkId, invoices: readonly StoredInvoice[]): void {
    if (invoices.length > 0) {
      deps.tell(
        network,
        invoices.map(({ id }) => id),
      )
    }
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

  function reconcile(network: NetworkId, keys: readonly number[]): void {
    const written = figures.byKeys(keys)
    const found: StoredPayment[] = []
    for (const invoice of written) {
      const isNoLongerOwn = book.note(invoice)
      if (isNoLongerOwn) {
        found.push(...payments.ofAccount(network, invoice.payTo, maxOfOneAddress))
      }
      found.push(...linker.affectedBy(invoice))
    }
    const changed = linkAll(network, found)
    weighAll(new Set([...keys, ...changed]))
    const others = [...changed].filter((key) => !keys.includes(key))
    if (others.length > 0) tellOf(network, figures.byKeys(others))
    const behind = written.filter(isBehind).map(({ payTo }) => payTo)
    if (behind.length > 0) deps.nudge(network, [...new Set(behind)])
  }

  function place(network: NetworkId, keys: readonly number[]): void {
    if (keys.length === 0) return
    tellOf(network, weighAll(linkAll(network, payments.some(keys))))
    deps.onChanged(network, 'payments')
  }

  return {
    reconcile: (network, keys) => store.transaction(() => reconcile(network, keys)),
    place,
    placeAgain(network, account) {
      const changed = linkAll(network, payments.ofAccount(network, account, maxOfOneAddress))
      tellOf(network, weighAll(changed))
    },
    weighOwn(network, account) {
      const known = book.of(network, account)
      if (known === null || known.isShared) return
      const [before] = figures.byKeys([known.firstInvoice])
      if (before === undefined) return
      store.transaction(() => weigh(before))
      const [now] = figures.byKeys([known.firstInvoice])
      if (now !== undefined && now.matters.join() !== before.matters.join()) tellOf(network, [now])
    },
    relinked(network, payment, invoices) {
      weighPayment(network, payment)
      const freed = figures.byKeys(invoices).flatMap((invoice) => linker.affectedBy(invoice))
      const changed = linkAll(network, freed)
      const named = namedBy(network, payment)
      tellOf(network, weighAll(new Set([...invoices, ...changed, ...named])))
      deps.onChanged(network, 'payments')
    },
    weigh(network, handled) {
      const keys = handled.flatMap(({ invoiceKey, paymentKey }) =>
        paymentKey === null ? (invoiceKey ?? []) : namedBy(network, paymentKey),
      )
      const now = store.transaction(() => weighAll(new Set(keys)))
      tellOf(network, now)
      deps.onChanged(network, 'matters')
    },
    async settle(network, signal) {
      tellRead(network)
      for (let after = 0; ;) {
        signal.throwIfAborted()
        const keys = figures.waiting(network, after, slice)
        const last = keys.at(-1)
        if (last === undefined) return
        after = last
        const before = new Map(figures.byKeys(keys).map((each) => [each.key, each.matters.join()]))
        const now = store.transaction(() => {
          weighAll(keys)
          return figures.byKeys(keys)
        })
        tellOf(
          network,
          now.filter(({ key, matters: open }) => before.get(key) !== open.join()),
        )
        await breathe()
      }
    },
    payments(invoice) {
      const { network, payTo, changedAt } = invoice
      const readTo = book.of(network, payTo)?.readTo ?? 0
      if (!isRead(invoice) || readTo < changedAt) deps.nudge(network, [payTo])
      return deps.view(network, payments.ofInvoice(invoice.key))
    },
    uncounted: (network, invoices) => uncounted.of(network, invoices),
    unlinked(invoice) {
      const named = uncounted.of(invoice.network, [invoice]).get(invoice.key) ?? []
      return deps.view(invoice.network, [...named, ...fittingOf(invoice)])
    },
    advise(invoice) {
      const kept = matters.of({ invoiceKey: invoice.key })
      const shown = kept.filter(({ closedAt }) => closedAt === null)
      return advise(
        invoice,
        payments.ofInvoice(invoice.key),
        shown.map(({ kind, handled }) => ({ kind, isHandled: handled !== null })),
        { ...allKnown(invoice), fitting: fittingOf(invoice) },
      )
    },
    isRead,
    known: allKnown,
  }
}

function receivedAt({ receivedAt: at }: { readonly receivedAt: number }): number {
  return at
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
