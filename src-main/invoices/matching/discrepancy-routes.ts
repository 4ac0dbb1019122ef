import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { formatMoney } from '../../../src-preload/domain/amount.ts'
import type { Invoice } from '../../../src-preload/contract/invoice.ts'
import type { Discrepancy } from '../../../src-preload/contract/discrepancy.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError, discrepancyCodes } from '../../../src-preload/domain/app-error.ts'
import { slicesOf } from '../../database/pages.ts'
import type { InvoicesRoom } from '../invoices-room.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredDiscrepancy } from '../store/discrepancies.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import { readListText } from '../../ton/list-text.ts'
import { describeDiscrepancy, adviseOn, adviseUncounted, adviseUnmatched } from './advice.ts'
import { transfersToPayers } from './discrepancy-writer.ts'
import { refundsAmong } from './discrepancies.ts'

type Routes = Pick<Handlers, Extract<keyof Handlers, `discrepancy.${string}`>>

const slice = 100

export function createDiscrepancyRoutes(
  store: InvoiceStore,
  parts: Pick<InvoicesRoom, 'changes' | 'clock' | 'ledger' | 'reconciler'>,
  view: DiscrepancyView,
): Routes {
  const { changes, clock, ledger, reconciler } = parts
  const { matters } = store

  function write(discrepancy: StoredDiscrepancy, isHandled: boolean): boolean {
    if (discrepancy.closedAt !== null || (discrepancy.handled !== null) === isHandled) return false
    const { network, key, amount, state, kind, invoiceKey, note } = discrepancy
    const at = clock.now(network)
    matters.update(key, { ...discrepancy, handled: isHandled ? { at, amount, state } : null })
    if (invoiceKey === null) return true
    const detail = { matter: describeDiscrepancy(kind), note: note === '' ? null : note }
    const event = isHandled ? 'handled' : 'reopened'
    ledger.addEvent(invoiceKey, { at, source: 'person', kind: event, detail })
    return true
  }

  async function writeAll(
    network: NetworkId,
    keys: readonly number[],
    isHandled: boolean,
  ): Promise<number> {
    let written = 0
    for (const some of slicesOf([...new Set(keys)], slice)) {
      store.transaction(() => {
        const changed = some
          .flatMap((key) => matters.get(network, key) ?? [])
          .filter((discrepancy) => write(discrepancy, isHandled))
        written += changed.length
        reconciler.handled(network, changed)
      })
      await yieldToEventLoop()
    }
    return written
  }

  function one(discrepancy: StoredDiscrepancy): Discrepancy {
    const [shown] = view.all(discrepancy.network, [discrepancy])
    if (shown === undefined) throw unknownDiscrepancy()
    return shown
  }

  return {
    'discrepancy.page'({ network, kind, handled, text, offset, limit }) {
      const sought = text.trim() === '' ? null : readListText(text)
      const requested = { network, kind, handled, text: sought }
      return {
        total: matters.count(requested),
        byKind: matters.byKind(network),
        matters: view.all(network, matters.page(requested, { offset, limit })),
      }
    },
    'discrepancy.get': ({ network, key }) => one(view.get(network, key)),
    'discrepancy.setNote'({ network, key, note }) {
      const found = view.get(network, key)
      matters.setNote(key, note.trim())
      changes.matters(network)
      return one({ ...found, note: note.trim() })
    },
    'discrepancy.handle': async ({ network, keys }) => ({
      handled: await writeAll(network, keys, true),
    }),
    'discrepancy.reopen': async ({ network, keys }) => ({
      reopened: await writeAll(network, keys, false),
    }),
  }
}

const unknownDiscrepancy = (): AppError =>
  new AppError(discrepancyCodes.unknown, 'This discrepancy is already resolved.')

/** A discrepancy belongs to an invoice with its payments (oldest first), or to a payment. */
export type DiscrepancySubjects = {
  readonly invoice: StoredInvoice | null
  /** The invoice with the amounts of all that count together with it. */
  readonly whole: StoredInvoice | null
  readonly payment: StoredPayment | null
  readonly payments: readonly StoredPayment[]
  readonly together: Invoice['together']
  /** The invoice that the payment names; the payment does not count for it. */
  readonly named: StoredInvoice | null
}

export type DiscrepancyView = ReturnType<typeof createDiscrepancyView>

export function createDiscrepancyView(
  store: InvoiceStore,
  parts: Pick<InvoicesRoom, 'ledger' | 'uncounted' | 'view' | 'writer'>,
) {
  const { ledger, uncounted, view, writer } = parts

  function subjectOf({ network, invoiceKey, paymentKey }: StoredDiscrepancy): DiscrepancySubjects {
    if (paymentKey === null) {
      const key = invoiceKey ?? 0
      const [invoice = null] = store.figures.byKeys([key])
      const found = invoice && writer.wholeOf(invoice)
      const { whole = null, all: payments = [], together = null } = found ?? {}
      return { invoice, whole, payment: null, payments, together, named: null }
    }
    const payment = store.payments.get(network, paymentKey)
    const named = payment && uncounted.invoiceOf(payment)
    const own = payment === null ? [] : [payment]
    return { invoice: null, whole: null, payment, payments: own, together: null, named }
  }

  function refundOf(
    discrepancy: StoredDiscrepancy,
    { invoice, whole, payment, payments }: DiscrepancySubjects,
  ) {
    const paid = whole ?? (payment && { ...payment, payTo: payment.account })
    if (paid === null) return null
    const transfers = transfersToPayers(store.outgoing, paid, payments, discrepancy.since)
    const amount = returnable(discrepancy, whole, payments)
    const id = invoice?.id ?? payment?.hash.slice(0, 8) ?? null
    const own = transfers.filter(({ invoiceKey }) => [null, invoice?.key].includes(invoiceKey))
    return refundsAmong(own, { amount, id }).at(0) ?? null
  }

  function adviceOn(
    { kind }: StoredDiscrepancy,
    { invoice, whole, payment, payments, together, named }: DiscrepancySubjects,
  ) {
    if (invoice !== null) {
      const about = kind === 'reported-differs' ? invoice : (whole ?? invoice)
      return adviseOn(kind, about, payments, writer.adviceInput(invoice, { together }))
    }
    if (payment === null) return adviseUnmatched('it', [])
    if (named !== null) return adviseUncounted(payment, named)
    return adviseUnmatched(`the ${formatMoney(payment.amount, payment.currency)}`, payment.evidence)
  }

  return {
    /** @throws AppError MATTER_UNKNOWN */
    get(network: NetworkId, key: number): StoredDiscrepancy {
      const found = store.matters.get(network, key)
      if (found === null) throw unknownDiscrepancy()
      return found
    },
    subjectOf,
    refundOf,
    all(network: NetworkId, discrepancies: readonly StoredDiscrepancy[]): Discrepancy[] {
      const subjects = discrepancies.map((each) => ({ ...subjectOf(each), discrepancy: each }))
      const invoices = ledger.view(
        network,
        subjects.flatMap(({ invoice, named }) => invoice ?? named ?? []),
      )
      const payments = view(
        network,
        subjects.flatMap(({ payment }) => payment ?? []),
      )
      return subjects.flatMap(({ discrepancy, ...about }): Discrepancy[] => {
        const { invoice, payment, named } = about
        const currency = invoice?.currency ?? payment?.currency
        if (currency === undefined) return []
        const { invoiceKey, paymentKey, state, closedAt, handled, amount, ...shown } = discrepancy
        const refund = refundOf(discrepancy, about)
        return [
          {
            ...shown,
            currency,
            invoice: invoices.find(({ id }) => id === (invoice ?? named)?.id) ?? null,
            payment: payments.find((each) => each.key === payment?.key) ?? null,
            amount: amount?.toString() ?? null,
            advice: adviceOn(discrepancy, about),
            handledAt: handled?.at ?? null,
            refund: refund && {
              hash: refund.hash,
              at: refund.at,
              amount: refund.amount.toString(),
              currency: refund.currency,
            },
          },
        ]
      })
    },
  }
}

function returnable(
  { kind, amount }: StoredDiscrepancy,
  invoice: StoredInvoice | null,
  payments: readonly StoredPayment[],
): bigint | null {
  if (kind === 'gateway-ahead') return null
  if (kind !== 'partial' || invoice?.status !== 'pending') return amount
  return payments.reduce((sum, payment) => sum + payment.amount, 0n)
}
