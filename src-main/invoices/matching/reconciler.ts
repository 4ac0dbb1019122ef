import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { foldId } from '../../../src-preload/domain/payment-comment.ts'
import { pagesOf } from '../../database/pages.ts'
import type { AccountBook } from '../chain/accounts.ts'
import type { Changes } from '../changes.ts'
import type { StoredDiscrepancy } from '../store/discrepancies.ts'
import type { OutgoingTransfer } from '../store/invoice-accounts.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredPayment } from '../store/payments.ts'
import { overpaidBy, refundedInvoice, tallyOf } from './discrepancies.ts'
import type { DiscrepancyWriter } from './discrepancy-writer.ts'
import type { GatewayClock } from './gateway-clock.ts'
import type { Linker } from './linker.ts'
import type { UncountedPayments } from './uncounted.ts'

const maxOfOneAddress = 1000
const slice = 100
/** If an invoice is first seen this long after its end, its address is read only on demand. */
const lateMs = 24 * 3_600_000

export type Reconciler = ReturnType<typeof createReconciler>

/** Decides what changes when invoices, payments, transfers or decisions of the user arrive. */
export function createReconciler(
  store: InvoiceStore,
  parts: {
    readonly book: AccountBook
    readonly changes: Pick<Changes, 'invoices' | 'matters' | 'payments'>
    readonly clock: GatewayClock
    readonly linker: Linker
    readonly writer: DiscrepancyWriter
    readonly uncounted: Pick<UncountedPayments, 'listing'>
    /** The gateway reports more than was read from the chain, so these addresses are read soon. */
    readonly readChain: (network: NetworkId, accounts: readonly string[]) => void
  },
) {
  const { book, changes, clock, linker, uncounted, writer } = parts
  const { payments, figures } = store

  const emit = (network: NetworkId, invoices: readonly StoredInvoice[]) =>
    changes.invoices(
      network,
      invoices.map(({ id }) => id),
    )

  const update = (network: NetworkId, keys: Iterable<number>) =>
    emit(network, writer.updateInvoices(keys))

  /** @returns invoices whose payments have changed */
  function linkAll(network: NetworkId, found: readonly StoredPayment[]): Set<number> {
    const linked = linker.linkAll(found)
    const listing = [...linked.payments].flatMap((key) => writer.updatePayment(network, key))
    if (linked.payments.size > 0) changes.payments(network)
    return new Set([...linked.invoices, ...listing])
  }

  function link(network: NetworkId, found: readonly StoredPayment[]): void {
    update(network, linkAll(network, found))
  }

  /** Updates discrepancies that depend on time, and reports only those that change. */
  function updateChanged(network: NetworkId, keys: readonly number[]): void {
    const shown = ({ matters: open, refunded }: StoredInvoice) => `${open.join()} ${refunded}`
    const before = new Map(figures.byKeys(keys).map((each) => [each.key, shown(each)]))
    store.transaction(() => writer.updateInvoices(keys))
    const after = figures.byKeys(keys).filter((each) => before.get(each.key) !== shown(each))
    emit(network, after)
  }

  return {
    /**
     * Links payments to these rows and writes `received`, `paidAt` and discrepancies, in the
     * transaction that wrote the rows. A row that only a delivery reported (confirmedAt null) must
     * match nothing, because anyone could have sent the delivery.
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
        // An invoice that no longer owns its address alone loses the payments that were linked only
        // by this address.
        const changed = new Set([...linkAll(network, found), ...formerOwners])
        writer.updateInvoices(new Set([...keys, ...changed]))
        emit(network, figures.byKeys([...changed].filter((key) => !keys.includes(key))))
        const behind = written.filter((each) => isBehind(payments, each, clock.now(network)))
        const accounts = [...new Set(behind.map(({ payTo }) => payTo))]
        if (accounts.length > 0) parts.readChain(network, accounts)
      })
    },
    link,
    /** Updates the invoices that these new transfers from an address may refund. */
    sent(network: NetworkId, account: string, transfers: readonly OutgoingTransfer[]): void {
      const payees = [...new Set(transfers.map(({ payee }) => payee))]
      const keys = new Set(figures.withMatterOf(network, account, payees))
      for (const transfer of transfers) {
        const id = refundedInvoice(transfer)
        const named = id === null ? [] : figures.byIds(network, [foldId(id)], [])
        const { currency } = transfer
        const invoice = named.find((each) => each.payTo === account && each.currency === currency)
        if (invoice === undefined) continue
        store.outgoing.assign(network, account, transfer, invoice.key)
        keys.add(invoice.key)
      }
      update(network, keys)
      changes.matters(network)
    },
    linkAccount: (network: NetworkId, account: string) =>
      link(network, payments.ofAccount(network, account, maxOfOneAddress)),
    /** Reconciles the only invoice of an address that was just read, because a missing payment is known now. */
    updateOwner(network: NetworkId, account: string): void {
      const own = book.of(network, account)
      if (own !== null && !own.isShared) updateChanged(network, [own.firstInvoice])
    },
    relinked(network: NetworkId, payment: number, invoices: readonly number[]): void {
      writer.updatePayment(network, payment)
      const changed = linkAll(network, figures.byKeys(invoices).flatMap(linker.affectedBy))
      const listing = uncounted.listing(network, payment)
      update(network, new Set([...invoices, ...changed, ...listing]))
      changes.payments(network)
    },
    /** Updates the invoices whose discrepancies the user marked as handled or reopened. */
    handled(
      network: NetworkId,
      discrepancies: readonly Pick<StoredDiscrepancy, 'invoiceKey' | 'paymentKey'>[],
    ): void {
      const keys = discrepancies.flatMap(({ invoiceKey, paymentKey }) =>
        paymentKey === null ? (invoiceKey ?? []) : uncounted.listing(network, paymentKey),
      )
      const updated = store.transaction(() => writer.updateInvoices(new Set(keys)))
      emit(network, updated)
      changes.matters(network)
    },
    /** Reconciles the invoices whose discrepancies depend on time or on more of the chain. */
    settle: async (network: NetworkId, signal: AbortSignal): Promise<void> => {
      emit(network, writer.takeRead(network))
      for (;;) {
        signal.throwIfAborted()
        const older = payments.notCompared(network, slice)
        if (older.length === 0) break
        store.transaction(() => link(network, older))
        await yieldToEventLoop()
      }
      const pages = pagesOf<number>((last = 0) => {
        signal.throwIfAborted()
        return store.waiting.keys(network, last, slice)
      })
      for await (const keys of pages) updateChanged(network, keys)
    },
  }
}

/** True if the gateway reports more than was read from the chain, so that the address must be read again. */
function isBehind(
  payments: InvoiceStore['payments'],
  invoice: StoredInvoice,
  now: number,
): boolean {
  const { status, changedAt, amount, overpayment, firstSeenAt, confirmedAt } = invoice
  const isNew = (confirmedAt ?? 0) <= firstSeenAt
  if (isNew && now - changedAt > lateMs) return false
  const { received } = tallyOf(invoice, payments.ofInvoice(invoice.key))
  const isShort = status === 'paid' && received < amount
  const byChain = overpaidBy({ ...invoice, overpayment: 0n, tolerance: null }, { received })
  return isShort || overpayment > byChain
}
