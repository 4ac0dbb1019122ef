import { z } from 'zod'
import { formatJson } from '../ton/lossless-json.ts'
import { accountText, int64, list, optional, renamed, textOrEmpty } from './response-fields.ts'

/** SQLite's largest integer, which no amount of any coin exceeds. */
const largest = 2n ** 63n - 1n
const units = z
  .union([
    z.string().regex(/^\d{1,30}$/, 'not a whole number of minimal units'),
    z.int(),
    z.bigint(),
  ])
  .transform((value) => BigInt(value))
  .refine((value) => value >= 0n && value <= largest, 'beyond 64 bits')

/**
 * The API sends seconds, but the public document's examples have milliseconds; the magnitude
 * distinguishes them.
 */
const moment = z
  .int()
  .nonnegative()
  .transform((value) => (value > 99_999_999_999 ? value : value * 1000))

const fields = renamed({
  id: ['id', z.string().min(1).max(100)],
  /** An undocumented status is stored unchanged. */
  status: ['status', z.string().min(1).max(40)],
  amount: ['amount', units],
  currency: ['currency', optional(z.enum(['TON', 'USDT']))],
  description: ['description', textOrEmpty],
  createdAt: ['date_create', moment],
  expiresAt: ['date_expire', moment],
  changedAt: ['date_change', optional(moment)],
  paymentLink: ['payment_link', z.string().default('')],
  payTo: ['pay_to_address', accountText],
  paidBy: ['paid_by_address', optional(accountText)],
  overpayment: ['overpayment', optional(units).transform((value) => value ?? 0n)],
})

/** An invoice may omit its currency (gateway-service, Invoice). Its link then names the jetton, or none for coins. */
export function currencyOfLink(link: string | null | undefined): 'TON' | 'USDT' | null {
  const query = link ? URL.parse(link)?.searchParams : undefined
  if (query === undefined) return null
  return query.has('jetton') ? 'USDT' : 'TON'
}

/** @param requested the currency of the request that created the invoice */
export const createdInvoice = (requested: 'TON' | 'USDT' | null) =>
  z.unknown().transform((value, context) => {
    const read = fields.safeParse(value)
    const currency = read.data?.currency ?? requested ?? currencyOfLink(read.data?.paymentLink)
    if (read.success && currency !== null) return { ...read.data, currency, raw: formatJson(value) }
    const message = read.success ? 'its currency is missing' : z.prettifyError(read.error)
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
export const invoiceEntry = createdInvoice(null)
export type InvoiceEntry = Readonly<z.output<typeof invoiceEntry>>

/** An invoice that cannot be parsed does not invalidate the list; `unread` describes it. */
export const invoiceList = z
  .object({ items: list(z.unknown()), count: optional(z.int()) })
  .transform(({ items, count }) => {
    const read = items.map((item) => invoiceEntry.safeParse(item))
    return {
      invoices: read.flatMap(({ data }) => data ?? []),
      unread: read.flatMap(({ error }, index) => (error ? [wordsOf(items[index], error)] : [])),
      count,
    }
  })

function wordsOf(item: unknown, error: z.ZodError): string {
  const id = z.object({ id: z.string() }).safeParse(item).data?.id.slice(0, 100) ?? 'without an id'
  return `Invoice ${id} could not be read: ${error.issues[0]?.message ?? 'it is not an invoice'}`
}

const application = renamed({
  id: ['id', int64],
  name: ['name', z.string()],
  description: ['description', textOrEmpty],
  recipient: ['recipient_address', accountText],
  createdAt: ['date_create', optional(moment).transform((value) => value ?? 0)],
  webhooks: [
    'webhooks',
    list(renamed({ id: ['id', z.union([z.string(), int64])], url: ['webhook', z.string()] })),
  ],
})
export const applicationResponse = z.object({ app: application }).transform(({ app }) => app)
export type ApplicationResponse = z.output<typeof applicationResponse>

const stats = renamed({
  total: ['total', units.transform(Number)],
  pending: ['invoices_in_progress', units.transform(Number)],
  paidAmount: ['success_total', units],
  paidInWeekAmount: ['success_in_week', units],
  pendingAmount: ['total_amount_pending', units],
})
/** `total` and `pending` are counts, the rest minimal units (gateway-facts 3.2). */
export const statsResponse = z.object({ stats }).transform((response) => response.stats)
