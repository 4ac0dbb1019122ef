import { Address, beginCell, contractAddress } from '@ton/core'
import { type Invoice, type InvoiceApp, commentOf, overpaymentOf } from './invoice.ts'

/** JSON of the API and webhooks: amounts are strings, moments seconds. */
export type InvoiceJson = ReturnType<typeof invoiceJson>

export function invoiceJson(invoice: Invoice, usdtMaster: string) {
  return { ...createdJson(invoice, usdtMaster), date_change: invoice.dateChange }
}

/** The creation response has no `date_change` (specification section 4.3). */
export function createdJson(invoice: Invoice, usdtMaster: string) {
  const { description, paidBy, refunded, refundAmount } = invoice
  const overpayment = overpaymentOf(invoice)
  return {
    id: invoice.id,
    status: invoice.status,
    amount: invoice.amount.toString(),
    currency: invoice.currency,
    ...(description === null ? {} : { description }),
    date_create: invoice.dateCreate,
    date_expire: invoice.dateExpire,
    payment_link: paymentLink(invoice, usdtMaster),
    pay_to_address: invoice.payTo,
    ...(paidBy === null ? {} : { paid_by_address: paidBy }),
    ...(overpayment === 0n ? {} : { overpayment: overpayment.toString() }),
    ...(refunded === null && refundAmount === null
      ? {}
      : {
          info: {
            ...(refunded === null ? {} : { refunded }),
            ...(refundAmount === null ? {} : { refund_amount: refundAmount }),
          },
        }),
  }
}

export function appJson(app: InvoiceApp) {
  return {
    app: {
      id: app.id,
      project_id: app.projectId,
      name: app.name,
      description: app.description,
      recipient_address: app.recipient,
      date_create: app.dateCreate,
      webhooks: app.webhooks.map(({ id, url }) => ({ id: String(id), webhook: url })),
    },
  }
}

/** Tonkeeper payment link (gateway-facts 3.7). @param usdtMaster raw */
export function paymentLink(
  invoice: Pick<Invoice, 'id' | 'rule' | 'payTo' | 'amount' | 'currency' | 'dateExpire'>,
  usdtMaster: string,
): string {
  const recipient = Address.parseRaw(invoice.payTo).toString({ bounceable: false })
  const query = new URLSearchParams({ amount: invoice.amount.toString() })
  const comment = commentOf(invoice)
  if (comment !== null) query.set('text', comment)
  if (invoice.currency === 'USDT') query.set('jetton', Address.parseRaw(usdtMaster).toString())
  query.set('exp', String(invoice.dateExpire))
  return `https://app.tonkeeper.com/transfer/${recipient}?${query.toString()}`
}

/** Address of an undeployed contract without a key: play money may stay there. @returns raw */
export function addressOf(invoiceId: string): string {
  const code = beginCell()
    .storeStringTail('Tondesk sandbox: an address to pay an invoice at')
    .endCell()
  const data = beginCell().storeStringTail(invoiceId).endCell()
  return contractAddress(0, { code, data }).toRawString()
}

const columns = [
  'id',
  'status',
  'amount',
  'currency',
  'description',
  'date_create',
  'date_expire',
  'date_change',
  'pay_to_address',
  'paid_by_address',
  'overpayment',
  'payment_link',
] as const

/** RFC 4180; amounts in minimal units, moments in seconds. */
export function invoicesCsv(invoices: readonly Invoice[], usdtMaster: string): string {
  const lines = invoices.map((invoice) => {
    const fields: Readonly<Record<string, unknown>> = invoiceJson(invoice, usdtMaster)
    return columns.map((name) => cell(fields[name]))
  })
  return [columns, ...lines].map((line) => `${line.join(',')}\r\n`).join('')
}

function cell(value: unknown): string {
  if (typeof value === 'number') return String(value)
  const text = harmless(typeof value === 'string' ? value : '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Spreadsheets run such cells as formulas. */
function harmless(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}
