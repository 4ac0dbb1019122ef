import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { Matter } from '../../../src-preload/contract/matter.ts'
import { matterCodes } from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredDiscrepancy } from '../store/discrepancies.ts'
import { readListText } from '../../ton/list-text.ts'
import { describeDiscrepancy, adviseOn, onUncounted, onUnmatched } from './advice.ts'
import type { GatewayClock } from './gateway-clock.ts'
import type { LocalReconciler } from './reconciler.ts'
import type { Ledger } from '../parts.ts'
import type { OutgoingTransfer } from '../store/invoice-accounts.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import type { PaymentView, UncountedPayments } from './uncounted.ts'
import { money } from './words.ts'

type DiscrepancyRoutesDeps = {
  readonly store: Pick<InvoiceStore, 'transaction' | 'matters'>
  readonly ledger: Pick<Ledger, 'addEvent'>
  readonly reconciler: Pick<LocalReconciler, 'weigh'>
  readonly view: DiscrepancyView
  readonly clock: GatewayClock
  readonly onChanged: (network: NetworkId) => void
}

type Routes = Pick<Handlers, Extract<keyof Handlers, `matter.${string}`>>

const slice = 100

export function createDiscrepancyRoutes(deps: DiscrepancyRoutesDeps): Routes {
  const { store, ledger, reconciler, view, clock } = deps
  const { matters } = store

  function write(discrepancy: StoredDiscrepancy, isHandled: boolean): boolean {
    if (discrepancy.closedAt !== null || (discrepancy.handled !== null) === isHandled) return false
    const { network, key, amount, state, kind, invoiceKey, note } = discrepancy
    const at = clock.now(network)
    const handled = isHandled ? { at, amount, state } : null
    matters.update(key, { ...discrepancy, handled })
    if (invoiceKey !== null) {
      ledger.addEvent(invoiceKey, {
        at,
        source: 'person',
        kind: isHandled ? 'handled' : 'reopened',
        detail: { matter: describeDiscrepancy(kind), note: note === '' ? null : note },
      })
    }
    return true
  }

  async function writeAll(
    network: NetworkId,
    keys: readonly number[],
    isHandled: boolean,
  ): Promise<number> {
    let written = 0
    const distinct = [...new Set(keys)]
    for (let start = 0; start < distinct.length; start += slice) {
      store.transaction(() => {
        const changed = distinct
          .slice(start, start + slice)
          .flatMap((key) => matters.get(network, key) ?? [])
          .filter((discrepancy) => write(discrepancy, isHandled))
        written += changed.length
        reconciler.weigh(network, changed)
      })
      await breathe()
    }
    if (written > 0) deps.onChanged(network)
    return written
  }

  function one(discrepancy: StoredDiscrepancy): Matter {
    const [shown] = view.all(discrepancy.network, [discrepancy])
    if (shown === undefined) throw unknownDiscrepancy()
    return shown
  }

  return {
    'matter.page'({ network, kind, handled, text, offset, limit }) {
      const sought = text.trim() === '' ? null : readListText(text)
      const asked = { network, kind, handled, text: sought }
      return {
        total: matters.count(asked),
        byKind: matters.byKind(network),
        matters: view.all(network, matters.page(asked, { offset, limit })),
      }
    },
    'matter.get': ({ network, key }) => one(getDiscrepancy(matters, network, key)),
    'matter.setNote'({ network, key, note }) {
      const found = getDiscrepancy(matters, network, key)
      matters.setNote(key, note.trim())
      deps.onChanged(network)
      return one({ ...found, note: note.trim() })
    },
    async 'matter.handle'({ network, keys }) {
      return { handled: await writeAll(network, keys, true) }
    },
    async 'matter.reopen'({ network, keys }) {
      return { reopened: await writeAll(network, keys, false) }
    },
  }
}

/** @throws AppError MATTER_UNKNOWN */
export function getDiscrepancy(
  matters: InvoiceStore['matters'],
  network: NetworkId,
  key: number,
): StoredDiscrepancy {
  const found = matters.get(network, key)
  if (found === null) throw unknownDiscrepancy()
  return found
}

function unknownDiscrepancy(): AppError {
  return new AppError(matterCodes.unknown, 'This is not among what needs attention any more.')
}

type RefundLook = {
  readonly amount: bigint | null
  /** Appears in the comment of a prepared refund: an invoice's id, or the start of a payment's hash. */
  readonly id: string | null
}

const refundOfOne = /^\s*refund of (?:invoice|payment) \S/i

/**
 * A transfer that names another discrepancy, or has another amount, does not refund this one.
 * @param transfers newest first, since the discrepancy began, to a payer, in its currency
 */
export function findRefund(
  transfers: readonly OutgoingTransfer[],
  { amount, id }: RefundLook,
): OutgoingTransfer | null {
  const named = transfers.find(
    ({ comment }) => id !== null && comment?.toLowerCase().includes(id.toLowerCase()),
  )
  if (named !== undefined) return named
  const unnamed = transfers.filter(({ comment }) => !refundOfOne.test(comment ?? ''))
  return unnamed.find((each) => each.amount === amount) ?? null
}

type DiscrepancyViewDeps = {
  readonly store: Pick<InvoiceStore, 'payments' | 'figures' | 'outgoing'>
  readonly ledger: Pick<Ledger, 'view'>
  readonly reconciler: Pick<LocalReconciler, 'known'>
  readonly uncounted: Pick<UncountedPayments, 'invoiceOf'>
  readonly view: PaymentView
}

/** A discrepancy is about an invoice with its payments (oldest first), or about a payment. */
export type Subject = {
  readonly invoice: StoredInvoice | null
  readonly payment: StoredPayment | null
  readonly payments: readonly StoredPayment[]
  readonly named: StoredInvoice | null
}

export type DiscrepancyView = {
  subject(discrepancy: StoredDiscrepancy): Subject
  refundOf(discrepancy: StoredDiscrepancy, subject: Subject): OutgoingTransfer | null
  all(network: NetworkId, matters: readonly StoredDiscrepancy[]): Matter[]
}

export function createDiscrepancyView({
  store,
  ledger,
  reconciler,
  uncounted,
  view,
}: DiscrepancyViewDeps): DiscrepancyView {
  function subject({ network, invoiceKey, paymentKey }: StoredDiscrepancy): Subject {
    if (paymentKey !== null) {
      const payment = store.payments.get(network, paymentKey)
      if (payment === null) return { invoice: null, payment, payments: [], named: null }
      const named = uncounted.invoiceOf(payment)
      return { invoice: null, payment, payments: [payment], named }
    }
    const key = invoiceKey ?? 0
    const [invoice] = store.figures.byKeys([key])
    const payments = store.payments.ofInvoice(key)
    return { invoice: invoice ?? null, payment: null, payments, named: null }
  }

  function refundOf(discrepancy: StoredDiscrepancy, { invoice, payment, payments }: Subject) {
    const account = invoice?.payTo ?? payment?.account
    const currency = invoice?.currency ?? payment?.currency
    if (account === undefined || currency === undefined) return null
    const paidBy = invoice?.paidBy ?? null
    const payers = new Set([...payments.map(({ payer }) => payer), ...(paidBy ? [paidBy] : [])])
    const transfers = [...payers].flatMap((payer) =>
      store.outgoing.to(discrepancy.network, account, payer, currency, discrepancy.since),
    )
    const amount = returnable(discrepancy, invoice, payments)
    return findRefund(transfers, { amount, id: invoice?.id ?? payment?.hash.slice(0, 8) ?? null })
  }

  function adviceOn({ kind }: StoredDiscrepancy, { invoice, payment, payments, named }: Subject) {
    if (invoice !== null) return adviseOn(kind, invoice, payments, reconciler.known(invoice))
    if (payment === null) return onUnmatched('it', [])
    if (named !== null) return onUncounted(payment, named)
    const evidence = payment.evidence.filter(({ fits }) => !fits).map(({ text }) => text)
    return onUnmatched(`the ${money(payment.amount, payment.currency)}`, evidence)
  }

  return {
    subject,
    refundOf,
    all(network, matters) {
      const subjects = matters.map(subject)
      const invoices = ledger.view(
        network,
        subjects.flatMap(({ invoice, named }) => invoice ?? named ?? []),
      )
      const payments = view(
        network,
        subjects.flatMap(({ payment }) => payment ?? []),
      )
      return matters.flatMap((discrepancy, index): Matter[] => {
        const about = subjects[index]
        if (about === undefined) return []
        const { invoice, payment, named } = about
        const currency = invoice?.currency ?? payment?.currency
        if (currency === undefined) return []
        const refund = refundOf(discrepancy, about)
        return [
          {
            key: discrepancy.key,
            network,
            kind: discrepancy.kind,
            invoice: invoices.find(({ id }) => id === (invoice ?? named)?.id) ?? null,
            payment: payments.find(({ key }) => key === payment?.key) ?? null,
            amount: discrepancy.amount?.toString() ?? null,
            currency,
            since: discrepancy.since,
            advice: adviceOn(discrepancy, about),
            note: discrepancy.note,
            handledAt: discrepancy.handled?.at ?? null,
            refund:
              refund === null
                ? null
                : {
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
