import type { SandboxAccess, SandboxMatching } from '../../../src-preload/contract/sandbox.ts'
import type { invoiceStatuses } from '../../../src-preload/domain/invoice-values.ts'
import { usdtMaster } from '../chain/contracts.ts'
import { toServiceFields } from '../http.ts'
import { Address, beginCell, contractAddress } from '@ton/core'

export const currencies = ['TON', 'USDT'] as const
export type Currency = (typeof currencies)[number]

/** How payments are matched to invoices; see docs/sandbox.md. */
export type MatchingRule = SandboxMatching

/** Amounts are minimal units, times are seconds since the epoch, addresses are raw. */
export type Invoice = InvoiceState & {
  readonly id: string
  readonly appId: number
  readonly currency: Currency
  readonly description: string | null
  readonly lifeTime: number
  readonly dateCreate: number
  readonly rule: MatchingRule
  readonly payToAddress: string
  /** Only recorded, without moving money. Null until recorded. */
  readonly refunded: boolean | null
  readonly refundAmount: bigint | null
}

/** The comment that a payment must have; null unless the rule is `comment`. */
export const commentOf = ({ rule, id }: Pick<Invoice, 'rule' | 'id'>): string | null =>
  rule === 'comment' ? id : null

export type InvoiceApp = {
  readonly id: number
  readonly projectId: number
  readonly name: string
  readonly description: string
  /** The raw address, which is `payToAddress` of new invoices. */
  readonly recipient: string
  readonly dateCreate: number
  readonly webhooks: readonly AppWebhook[]
}

export type AppWebhook = {
  readonly id: number
  readonly url: string
  readonly failedAttempts: number
  readonly failedAt: number | null
  readonly lastError: string | null
}

/** The states of specification section 1; only `granted` opens the API. */
export type AccessState = SandboxAccess

export type Payment = {
  readonly hash: string
  readonly payToAddress: string
  readonly currency: Currency
  readonly amount: bigint
  /** The raw address; for USDT the owner of the sending jetton wallet. */
  readonly payer: string
  readonly comment: string | null
}

/**
 * The life of an invoice as pure functions (specification sections 2 and 3). Payments are one sum;
 * its applied and overpaid parts follow from the status, so they always add up.
 */

export type InvoiceStatus = (typeof invoiceStatuses)[number]

/** Amounts are minimal units, times are seconds since the epoch, addresses are raw. */
export type InvoiceState = {
  readonly status: InvoiceStatus
  readonly amount: bigint
  /** The sum of all payments, in time or late. */
  readonly received: bigint
  /** The last second in which a payment is in time. */
  readonly dateExpire: number
  readonly dateChange: number
  readonly paidByAddress: string | null
}

export type InvoiceEvent =
  | {
      readonly kind: 'payment'
      readonly amount: bigint
      readonly payer: string
      readonly at: number
    }
  | { readonly kind: 'cancel'; readonly at: number }
  | { readonly kind: 'time'; readonly at: number }

export function afterEvent(state: InvoiceState, event: InvoiceEvent): InvoiceState {
  const current = afterTime(state, event.at)
  const isPending = current.status === 'pending'
  if (event.kind === 'cancel' && isPending) {
    return { ...current, status: 'cancelled', dateChange: event.at }
  }
  if (event.kind !== 'payment' || event.amount <= 0n) return current
  const { payer, at } = event
  const received = current.received + event.amount
  return isPending && received >= current.amount
    ? { ...current, received, status: 'paid', paidByAddress: payer, dateChange: at }
    : { ...current, received }
}

/** A payment at `dateExpire` itself is still in time. */
export const expiresAt = ({ dateExpire }: Pick<InvoiceState, 'dateExpire'>): number =>
  dateExpire + 1

function afterTime(state: InvoiceState, at: number): InvoiceState {
  const expires = expiresAt(state)
  return state.status === 'pending' && at >= expires
    ? { ...state, status: 'expired', dateChange: expires }
    : state
}

/** The part of the payments that pays the invoice; 0 if it ended unpaid. */
export function appliedOf({ status, amount, received }: InvoiceState): bigint {
  if (status === 'paid') return amount
  return status === 'pending' ? received : 0n
}

export const overpaymentOf = (state: InvoiceState): bigint => state.received - appliedOf(state)

/** Partial payments of a pending invoice are not reported. */
export const isReported = (before: InvoiceState, after: InvoiceState): boolean =>
  before.status !== after.status || overpaymentOf(before) !== overpaymentOf(after)

/** The JSON of the API and webhooks, in which amounts are strings and times are seconds. */
export type InvoiceJson = ReturnType<typeof invoiceJson>

export const invoiceJson = (invoice: Invoice) => ({
  ...createdJson(invoice),
  date_change: invoice.dateChange,
})

/** The creation response has no `date_change` (specification section 4.3). */
export function createdJson(invoice: Invoice) {
  const { refunded, refundAmount } = invoice
  const overpayment = overpaymentOf(invoice)
  const info = { refunded: refunded ?? undefined, refund_amount: refundAmount ?? undefined }
  return {
    id: invoice.id,
    status: invoice.status,
    amount: invoice.amount.toString(),
    currency: invoice.currency,
    description: invoice.description ?? undefined,
    date_create: invoice.dateCreate,
    date_expire: invoice.dateExpire,
    payment_link: paymentLink(invoice),
    pay_to_address: invoice.payToAddress,
    paid_by_address: invoice.paidByAddress ?? undefined,
    overpayment: overpayment === 0n ? undefined : overpayment.toString(),
    info: refunded === null && refundAmount === null ? undefined : info,
  }
}

export const appJson = ({ recipient, webhooks, ...app }: InvoiceApp) => ({
  app: {
    ...toServiceFields(app),
    recipient_address: recipient,
    webhooks: webhooks.map(({ id, url }) => ({ id: String(id), webhook: url })),
  },
})

/** Formats a Tonkeeper payment link (gateway-facts 3.7). */
export function paymentLink(invoice: Invoice): string {
  const recipient = Address.parseRaw(invoice.payToAddress).toString({ bounceable: false })
  const query = new URLSearchParams({ amount: invoice.amount.toString() })
  const comment = commentOf(invoice)
  if (comment !== null) query.set('text', comment)
  if (invoice.currency === 'USDT') query.set('jetton', usdtMaster.toString())
  query.set('exp', String(invoice.dateExpire))
  return `https://app.tonkeeper.com/transfer/${recipient}?${query.toString()}`
}

/** The address of an undeployed contract without a key, where play money may stay. @returns the raw address */
export function addressOf(invoiceId: string): string {
  const code = beginCell()
    .storeStringTail('Tondesk sandbox: an address to pay an invoice at')
    .endCell()
  const data = beginCell().storeStringTail(invoiceId).endCell()
  return contractAddress(0, { code, data }).toRawString()
}

const columns =
  'id status amount currency description date_create date_expire date_change pay_to_address paid_by_address overpayment payment_link'.split(
    ' ',
  )

/** Formats CSV as in RFC 4180, with amounts in minimal units and times in seconds. */
export function invoicesCsv(invoices: readonly Invoice[]): string {
  const lines = invoices.map((invoice) => {
    const fields: Readonly<Record<string, unknown>> = invoiceJson(invoice)
    return columns.map((name) => cell(fields[name]))
  })
  return [columns, ...lines].map((line) => `${line.join(',')}\r\n`).join('')
}

function cell(value: unknown): string {
  if (typeof value === 'number') return String(value)
  const text = harmless(typeof value === 'string' ? value : '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Guards a cell that spreadsheets would run as a formula. */
const harmless = (text: string): string => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text)
