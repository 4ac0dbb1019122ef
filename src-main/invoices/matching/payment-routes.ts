import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { currencyName } from '../../../src-preload/domain/amount.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError, invoiceCodes, paymentCodes } from '../../../src-preload/domain/app-error.ts'
import type { InvoicesRoom } from '../invoices-room.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { StoredPayment } from '../store/payments.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import { readListText } from '../../ton/list-text.ts'

type Routes = Pick<Handlers, Extract<keyof Handlers, `payment.${string}`>>

type Place = { readonly at: number; readonly key: number }

const searchedAtOnce = 5000
const countedAtOnce = 50_000

export function createPaymentRoutes(
  store: InvoiceStore,
  {
    candidates,
    clock,
    ledger,
    reconciler,
    view,
  }: Pick<InvoicesRoom, 'candidates' | 'clock' | 'ledger' | 'reconciler' | 'view'>,
): Routes {
  const { payments } = store

  function get(network: NetworkId, key: number): StoredPayment {
    const found = payments.get(network, key)
    if (found !== null) return found
    throw new AppError(
      paymentCodes.unknown,
      'This payment is not stored on this computer. If the payment is on the chain, sync again.',
    )
  }

  function one(network: NetworkId, key: number) {
    const [shown] = view(network, [get(network, key)])
    if (shown === undefined) throw new Error('a payment has no view')
    return shown
  }

  /** Links a payment on the user's behalf; the rules keep such a link. */
  function linkByHand(payment: StoredPayment, invoice: StoredInvoice | null): void {
    const { network, key, at, hash: transaction, amount, currency, payer } = payment
    const [before, after] = [payment.invoiceKey, invoice?.key ?? null]
    if (before === after && payment.linkedBy === 'person') return
    const detail = { amount: amount.toString(), currency, payer }
    const byHand = { at: clock.now(network), source: 'person', detail, transaction } as const
    const text =
      invoice === null
        ? 'You unlinked the payment from its invoice.'
        : 'You linked the payment by hand.'
    store.transaction(() => {
      payments.link(key, {
        invoiceKey: after,
        certainty: invoice === null ? null : 'certain',
        linkedBy: 'person',
        namedKey: payment.namedKey,
        evidence: [
          { kind: 'person', fits: invoice !== null, text },
          ...(invoice === null ? [] : candidates.evidence(payment, invoice)),
        ],
      })
      if (before !== null && before !== after) {
        ledger.addEvent(before, { ...byHand, kind: 'unlinked' })
      }
      if (after !== null) ledger.addEvent(after, { ...byHand, kind: 'linked' })
      if (after !== null && before !== after) {
        const event = { at, source: 'chain', kind: 'payment', transaction } as const
        ledger.addEvent(after, { ...event, detail: { ...detail, certainty: 'certain' } })
      }
      reconciler.relinked(
        network,
        key,
        [before, after].filter((each) => each !== null),
      )
    })
  }

  return {
    async 'payment.page'({ network, filter: { text, ...filter }, offset, limit }) {
      const requested = { network, ...filter }
      if (text.trim() === '') {
        const counts = await readSlices((after) =>
          payments.countSome(requested, after, countedAtOnce),
        )
        const total = counts.reduce((sum, { count }) => sum + count, 0)
        return { total, payments: view(network, payments.page(requested, { offset, limit })) }
      }
      const sought = readListText(text.trim())
      const slices = await readSlices((before) =>
        payments.search(requested, sought, before, searchedAtOnce),
      )
      const keys = slices.flatMap(({ found }) => found)
      const rows = payments.some(keys.slice(offset, offset + limit))
      return { total: keys.length, payments: view(network, rows) }
    },
    'payment.candidates'({ network, key }) {
      const payment = get(network, key)
      return candidates.list(payment).map((invoice) => {
        const { id, description, status, amount, currency } = invoice
        return {
          invoice: id,
          description,
          status,
          currency,
          amount: amount.toString(),
          canLink: currency === payment.currency,
          evidence: candidates.evidence(payment, invoice),
        }
      })
    },
    'payment.link'({ network, key, invoice: id }) {
      const payment = get(network, key)
      const invoice = ledger.find(network, id)
      if (invoice === null || invoice.confirmedAt === null) {
        throw new AppError(
          invoiceCodes.unknown,
          `Invoice ${id} is not in the local ledger, or the gateway has not confirmed it yet.`,
        )
      }
      if (invoice.currency !== payment.currency) {
        throw new AppError(
          paymentCodes.otherCurrency,
          `The payment is in ${currencyName(payment.currency)} but invoice ${id} requests ${currencyName(invoice.currency)}, so they cannot be linked. Refund the payment instead.`,
        )
      }
      linkByHand(payment, invoice)
      return one(network, key)
    },
    'payment.unlink'({ network, key }) {
      linkByHand(get(network, key), null)
      return one(network, key)
    },
  }
}

async function readSlices<S extends { readonly next: Place | null }>(
  read: (from: Place | null) => S,
): Promise<S[]> {
  const slices: S[] = []
  let from: Place | null = null
  for (;;) {
    const slice = read(from)
    slices.push(slice)
    from = slice.next
    if (from === null) return slices
    await yieldToEventLoop()
  }
}
