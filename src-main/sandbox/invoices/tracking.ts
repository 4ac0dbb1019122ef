import type { Cell, Slice } from '@ton/core'
import { formatJson } from '../../ton/lossless-json.ts'
import { opcodes } from '../../ton/opcodes.ts'
import { readComment, readCommentSlice } from '../../ton/payload.ts'
import type { ExecutedBlock, ExecutedTransaction } from '../chain/chain.ts'
import type { Delivery, DeliveryQueue } from '../deliver/delivery-queue.ts'
import type { InvoiceAppStore } from '../store/invoices-app.ts'
import type { InvoiceStore } from '../store/invoices.ts'
import { invoiceJson } from './invoice-json.ts'
import { type Invoice, type InvoiceEvent, type Payment, afterEvent, isReported } from './invoice.ts'

/** Target of the deliveries to one of the application's webhooks. */
export function targetOf(webhookId: number): string {
  return `invoices:${webhookId}`
}

/**
 * Lets events happen to invoices, writes what comes of it and queues what webhooks are to be told.
 * All of it belongs inside one transaction; the queue is woken by whoever commits.
 */
export type Tracking = {
  readonly apply: (invoice: Invoice, event: InvoiceEvent) => Invoice
  /** Ends the time of all whose last second is before `at`. */
  readonly expire: (at: number) => void
  /** Payments of a block, judged by the block's time. */
  readonly observe: (executed: ExecutedBlock) => void
}

type TrackingDeps = {
  readonly invoices: InvoiceStore
  readonly apps: InvoiceAppStore
  readonly queue: Pick<DeliveryQueue, 'add'>
  readonly usdtMaster: string
  readonly usdtWalletOf: PaymentDeps['usdtWalletOf']
}

export function createTracking(deps: TrackingDeps): Tracking {
  const { invoices, apps, queue, usdtMaster } = deps
  const paymentDeps: PaymentDeps = {
    isWatched: (address) => invoices.isWatched(address),
    usdtWalletOf: deps.usdtWalletOf,
    usdtMaster,
  }

  function apply(invoice: Invoice, event: InvoiceEvent): Invoice {
    const after = { ...invoice, ...afterEvent(invoice, event) }
    invoices.update(after)
    if (isReported(invoice, after)) queue.add(deliveriesOf(after))
    return after
  }

  function deliveriesOf(invoice: Invoice): Delivery[] {
    const app = apps.app()
    if (app?.id !== invoice.appId) return []
    const body = formatJson(invoiceJson(invoice, usdtMaster))
    return app.webhooks.map(({ id }) => ({
      target: targetOf(id),
      lane: invoice.id,
      eventType: 'invoice',
      accountId: null,
      lt: null,
      body,
    }))
  }

  function expire(at: number): void {
    for (const invoice of invoices.pendingEndedBefore(at)) apply(invoice, { kind: 'time', at })
  }

  function observe({ block, transactions }: ExecutedBlock): void {
    const at = block.utime
    // Their time has ended, whether or not anybody has come round to saying so: what this block
    // brings them is late.
    expire(at)
    for (const executed of transactions) {
      const payment = paymentOf(executed, paymentDeps)
      if (payment === null) continue
      const invoice = matchPayment(payment, invoices)
      if (invoice === null || !invoices.addPayment(payment, invoice.id, at)) continue
      const { amount, payer } = payment
      apply(invoice, { kind: 'payment', amount, payer, at })
    }
  }

  return { apply, expire, observe }
}

type PaymentDeps = {
  /** True for accounts that invoices name; asked before anything costly. */
  readonly isWatched: (address: string) => boolean
  /** Raw address of an owner's genuine USDT wallet. Anyone can send a notification, only this one counts. */
  readonly usdtWalletOf: (owner: string) => string
  /** Raw; the payer of USDT that was minted to an invoice, which has no sender. */
  readonly usdtMaster: string
}

/**
 * The transfer that a transaction received. TON counts when it came as a plain transfer (no body, a
 * comment, an encrypted comment) and stayed; USDT when the recipient's own USDT wallet says so. The
 * TON that comes with a notification, and what contracts send back, are no payments.
 */
export function paymentOf(executed: ExecutedTransaction, deps: PaymentDeps): Payment | null {
  const { inMessage, description } = executed.transaction
  if (inMessage?.info.type !== 'internal' || inMessage.info.bounced) return null
  const opcode = opcodeOf(inMessage.body)
  if (opcode !== null && !counted.includes(opcode)) return null
  if (!deps.isWatched(executed.account)) return null
  if (description.type === 'generic' && description.bouncePhase?.type === 'ok') return null

  const { value, src } = inMessage.info
  const arrived = { hash: executed.hash, payTo: executed.account }
  if (opcode === opcodes.jettonNotify) {
    if (src.toRawString() !== deps.usdtWalletOf(executed.account)) return null
    const told = readNotification(inMessage.body, deps.usdtMaster)
    return told !== null && told.amount > 0n ? { ...arrived, currency: 'USDT', ...told } : null
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
  opcodes.encryptedComment,
  opcodes.jettonNotify,
]

/** Null where the body is too short to begin with one. */
function opcodeOf(body: Cell): number | null {
  return body.isExotic || body.bits.length < 32 ? null : body.beginParse().loadUint(32)
}

/** TEP-74: opcode, query id, amount, sender, forward payload. Null when it is not made so. */
function readNotification(body: Cell, minter: string) {
  try {
    const slice = body.beginParse().skip(32 + 64)
    const amount = slice.loadCoins()
    const payer = slice.loadMaybeAddress()?.toRawString() ?? minter
    return { amount, payer, comment: commentOr(() => forwardedComment(slice)) }
  } catch {
    return null
  }
}

/** In place, or in a cell of its own; a comment has 32 zero bits before it here too. */
function forwardedComment(slice: Slice): string | null {
  // Some jettons leave an empty payload out altogether.
  if (slice.remainingBits === 0) return null
  return readCommentSlice(slice.loadBit() ? slice.loadRef().beginParse() : slice)
}

/** Null for what is no comment or a broken one: a payment it remains. */
function commentOr(read: () => string | null): string | null {
  try {
    return read()
  } catch {
    return null
  }
}

const invoiceId = /^[0-9a-f]{8}$/

/**
 * The invoice a payment is for, by the rule each invoice was made under. Null when it names none, or
 * one of another asset or recipient: to an invoice nothing happens then.
 */
function matchPayment(payment: Payment, store: InvoiceStore): Invoice | null {
  const { payTo, currency, amount } = payment
  const named = payment.comment?.trim().toLowerCase() ?? ''
  if (invoiceId.test(named)) {
    const invoice = store.find(named)
    if (invoice?.rule === 'comment' && invoice.payTo === payTo && invoice.currency === currency) {
      return invoice
    }
  }
  const own = store.byOwnAddress(payTo)
  if (own !== null) return own.currency === currency ? own : null
  return store.byAmount(payTo, currency, amount)
}
