import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { invoiceCodes, paymentCodes } from '../../../src-preload/domain/error-codes.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { PaymentsAsked, StoredPayment } from '../store/payments.ts'
import { readListText } from '../../ton/list-text.ts'
import type { GatewayClock } from './gateway-clock.ts'
import type { LocalReconciler } from './reconciler.ts'
import type { Ledger } from '../parts.ts'
import type { Linker } from './linker.ts'
import type { PaymentView } from './uncounted.ts'

type PaymentRoutesDeps = {
  readonly store: Pick<InvoiceStore, 'transaction' | 'payments' | 'figures'>
  readonly ledger: Pick<Ledger, 'find' | 'addEvent'>
  readonly linker: Linker
  readonly reconciler: Pick<LocalReconciler, 'relinked'>
  readonly view: PaymentView
  readonly clock: GatewayClock
}

type Routes = Pick<Handlers, Extract<keyof Handlers, `payment.${string}`>>

const slice = 5000
const countedAtOnce = 50_000

export function createPaymentRoutes(deps: PaymentRoutesDeps): Routes {
  const { store, ledger, linker, reconciler, view, clock } = deps
  const { payments } = store

  function get(network: NetworkId, key: number): StoredPayment {
    const found = payments.get(network, key)
    if (found !== null) return found
    throw new AppError(paymentCodes.unknown, 'This payment is not known here any more.')
  }

  function one(network: NetworkId, key: number) {
    const [shown] = view(network, [get(network, key)])
    if (shown === undefined) throw new Error('a payment has no view')
    return shown
  }

  async function search(asked: PaymentsAsked, words: string): Promise<number[]> {
    const text = readListText(words)
    const keys: number[] = []
    let before: Parameters<typeof payments.search>[2] = null
    for (;;) {
      const { found, next } = payments.search(asked, text, before, slice)
      keys.push(...found)
      if (next === null) return keys
      before = next
      await breathe()
    }
  }

  async function count(asked: PaymentsAsked): Promise<number> {
    let total = 0
    let after: Parameters<typeof payments.countSome>[1] = null
    for (;;) {
      const { count: some, next } = payments.countSome(asked, after, countedAtOnce)
      total += some
      if (next === null) return total
      after = next
      await breathe()
    }
  }

  /** Links by hand; the rules keep such a link from now on. */
  function say(payment: StoredPayment, invoiceId: string | null): void {
    const { network, key, at, hash, amount, currency, payer } = payment
    const invoice = invoiceId === null ? null : ledger.find(network, invoiceId)
    const detail = { amount: amount.toString(), currency, payer }
    const about = { at: clock.now(network), source: 'person', detail, transaction: hash } as const
    const words = invoice === null ? 'You took it from its invoice.' : 'You linked it by hand.'
    const evidence = [
      { kind: 'person', fits: invoice !== null, text: words } as const,
      ...(invoice === null ? [] : linker.evidence(payment, invoice)),
    ]
    payments.link(key, {
      invoiceKey: invoice?.key ?? null,
      certainty: invoice === null ? null : 'certain',
      linkedBy: 'person',
      evidence,
    })
    const before = payment.invoiceKey
    const isMoved = before !== (invoice?.key ?? null)
    if (before !== null && isMoved) ledger.addEvent(before, { ...about, kind: 'unlinked' })
    if (invoice !== null) ledger.addEvent(invoice.key, { ...about, kind: 'linked' })
    if (invoice !== null && isMoved) {
      ledger.addEvent(invoice.key, {
        ...about,
        at,
        source: 'chain',
        kind: 'payment',
        detail: { ...detail, certainty: 'certain' },
      })
    }
    const touched = [before, invoice?.key ?? null].filter((each) => each !== null)
    reconciler.relinked(network, key, touched)
  }

  return {
    async 'payment.page'({ network, filter, offset, limit }) {
      const { text, ...asked } = filter
      const about = { network, ...asked }
      const words = text.trim()
      if (words === '') {
        const total = await count(about)
        return { total, payments: view(network, payments.page(about, { offset, limit })) }
      }
      const keys = await search(about, words)
      const rows = payments.some(keys.slice(offset, offset + limit))
      return { total: keys.length, payments: view(network, rows) }
    },
    'payment.candidates'({ network, key }) {
      const payment = get(network, key)
      return linker.candidates(payment).map((invoice) => ({
        invoice: invoice.id,
        description: invoice.description,
        status: invoice.status,
        amount: invoice.amount.toString(),
        currency: invoice.currency,
        canLink: invoice.currency === payment.currency,
        evidence: linker.evidence(payment, invoice),
      }))
    },
    'payment.link'({ network, key, invoice: id }) {
      const payment = get(network, key)
      const invoice = ledger.find(network, id)
      if (invoice === null || invoice.confirmedAt === null) {
        throw new AppError(
          invoiceCodes.unknown,
          `The ledger has no invoice ${id} that the gateway has confirmed.`,
        )
      }
      if (invoice.currency !== payment.currency) {
        throw new AppError(
          paymentCodes.otherCurrency,
          `The payment is in ${payment.currency} and invoice ${id} asks for ${invoice.currency}: it cannot pay it. Return it instead.`,
        )
      }
      if (payment.invoiceKey !== invoice.key || payment.linkedBy !== 'person') {
        store.transaction(() => say(payment, id))
      }
      return one(network, key)
    },
    'payment.unlink'({ network, key }) {
      const payment = get(network, key)
      if (payment.invoiceKey !== null || payment.linkedBy !== 'person') {
        store.transaction(() => say(payment, null))
      }
      return one(network, key)
    },
  }
}
