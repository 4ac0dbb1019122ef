import { type Cell, type Slice, Address } from '@ton/core'
import { commentKey } from '../../../src-preload/domain/payment-comment.ts'
import { usdtMaster, usdtWalletOf } from '../chain/contracts.ts'
import { formatJson } from '../../ton/lossless-json.ts'
import { opcodes } from '../../ton/opcodes.ts'
import { readComment, readCommentSlice } from '../../ton/payload.ts'
import type { ExecutedBlock, ExecutedTransaction } from '../chain/chain.ts'
import type { Delivery } from '../deliver/delivery-queue.ts'
import type { DeliveryQueue } from '../deliver/create-delivery-queue.ts'
import type { InvoiceAppStore, InvoiceStore } from '../store/invoices.ts'
import {
  invoiceJson,
  type Invoice,
  type InvoiceEvent,
  type Payment,
  afterEvent,
  isReported,
} from './invoice.ts'

export const targetOf = (webhookId: number): string => `invoices:${webhookId}`

export type Tracking = ReturnType<typeof createTracking>

/**
 * Applies events to invoices, stores the result and queues webhooks. Call this in a transaction and
 * wake the queue after the commit.
 */
export function createTracking(
  invoices: InvoiceStore,
  apps: InvoiceAppStore,
  queue: Pick<DeliveryQueue, 'add'>,
) {
  function apply(invoice: Invoice, event: InvoiceEvent): Invoice {
    const after = { ...invoice, ...afterEvent(invoice, event) }
    invoices.update(after)
    if (isReported(invoice, after)) queue.add(deliveriesOf(after))
    return after
  }

  function deliveriesOf(invoice: Invoice): Delivery[] {
    const app = apps.app()
    if (app?.id !== invoice.appId) return []
    const body = formatJson(invoiceJson(invoice))
    return app.webhooks.map(({ id }) => ({
      target: targetOf(id),
      lane: invoice.id,
      eventType: 'invoice',
      accountId: null,
      lt: null,
      body,
    }))
  }

  /** Expires invoices whose last second is before `at`. */
  function expire(at: number): void {
    for (const invoice of invoices.pendingEndedBefore(at)) apply(invoice, { kind: 'time', at })
  }

  function observe({ block, transactions }: ExecutedBlock): void {
    const at = block.utime
    // The block's time may expire invoices whose timer has not fired yet.
    expire(at)
    for (const executed of transactions) {
      const payment = paymentOf(executed, invoices.isWatched)
      if (payment === null) continue
      const invoice = matchPayment(payment, invoices)
      if (invoice === null || !invoices.addPayment(payment, invoice.id, at)) continue
      const { amount, payer } = payment
      apply(invoice, { kind: 'payment', amount, payer, at })
    }
  }

  return { apply, expire, observe }
}

/**
 * TON counts if it is a plain transfer that did not bounce, USDT if the recipient's own wallet sends a
 * notification. TON that comes with a notification or that a contract returns does not count.
 */
export function paymentOf(
  executed: ExecutedTransaction,
  isWatched: (address: string) => boolean,
): Payment | null {
  const { inMessage, description } = executed.transaction
  if (inMessage?.info.type !== 'internal' || inMessage.info.bounced) return null
  const opcode = opcodeOf(inMessage.body)
  if (opcode !== null && !counted.includes(opcode)) return null
  if (!isWatched(executed.account)) return null
  if (description.type === 'generic' && description.bouncePhase?.type === 'ok') return null

  const { value, src } = inMessage.info
  const arrived = { hash: executed.hash, payToAddress: executed.account }
  if (opcode === opcodes.jettonNotify) {
    // Only this wallet's notifications count, because anyone can send one.
    if (!src.equals(usdtWalletOf(Address.parseRaw(executed.account)))) return null
    const transfer = readNotification(inMessage.body)
    return transfer !== null && transfer.amount > 0n
      ? { ...arrived, currency: 'USDT', ...transfer }
      : null
  }
  if (value.coins === 0n) return null
  return {
    ...arrived,
    currency: 'TON',
    amount: value.coins,
    payer: src.toRawString(),
    comment: opcode === opcodes.textComment ? commentOr(() => readComment(inMessage.body)) : null,
  }
}

const counted: readonly number[] = [
  opcodes.textComment,
  opcodes.encryptedTextComment,
  opcodes.jettonNotify,
]

const opcodeOf = (body: Cell): number | null =>
  body.isExotic || body.bits.length < 32 ? null : body.beginParse().loadUint(32)

/** Parses TEP-74: opcode, query id, amount, sender, forward payload. */
function readNotification(body: Cell) {
  try {
    const slice = body.beginParse().skip(32 + 64)
    const amount = slice.loadCoins()
    // Minted USDT has no sender.
    const payer = (slice.loadMaybeAddress() ?? usdtMaster).toRawString()
    return { amount, payer, comment: commentOr(() => forwardedComment(slice)) }
  } catch {
    return null
  }
}

/** Reads the payload inline or from a referenced cell. */
function forwardedComment(slice: Slice): string | null {
  if (slice.remainingBits === 0) return null
  return readCommentSlice(slice.loadBit() ? slice.loadRef().beginParse() : slice)
}

function commentOr(read: () => string | null): string | null {
  try {
    return read()
  } catch {
    return null
  }
}

const invoiceId = /^[0-9a-f]{8}$/

function matchPayment(payment: Payment, store: InvoiceStore): Invoice | null {
  const { payToAddress, currency, amount } = payment
  // The gateway compares the whole comment; other interpretations are left to the merchant.
  const named = commentKey(payment.comment) ?? ''
  if (invoiceId.test(named)) {
    const invoice = store.find(named)
    if (
      invoice?.rule === 'comment' &&
      invoice.payToAddress === payToAddress &&
      invoice.currency === currency
    ) {
      return invoice
    }
  }
  const own = store.byOwnAddress(payToAddress)
  if (own !== null) return own.currency === currency ? own : null
  return store.byAmount(payToAddress, currency, amount)
}
