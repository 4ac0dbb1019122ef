import { z } from 'zod'
import { formatJson } from '../ton/lossless-json.ts'
import { int64 } from './answer-fields.ts'

const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((v) => v ?? null)

/** SQLite's largest integer, which no amount of any coin exceeds. */
const largest = 2n ** 63n - 1n
const units = z
  .union([z.string().regex(/^\d{1,30}$/, 'no whole number of minimal units'), z.int(), z.bigint()])
  .transform((value) => BigInt(value))
  .refine((value) => value >= 0n && value <= largest, 'beyond 64 bits')

/** The API sends seconds, but the public document's examples have milliseconds; the size tells them apart. */
const moment = z
  .int()
  .nonnegative()
  .transform((value) => (value > 99_999_999_999 ? value : value * 1000))

const fields = z.object({
  id: z.string().min(1).max(100),
  /** An undocumented status is kept unchanged. */
  status: z.string().min(1).max(40),
  amount: units,
  currency: z.enum(['TON', 'USDT']).default('TON'),
  description: optional(z.string()),
  date_create: moment,
  date_expire: moment,
  date_change: optional(moment),
  payment_link: z.string().default(''),
  pay_to_address: z.string(),
  paid_by_address: optional(z.string()),
  overpayment: optional(units),
})

export type InvoiceEntry = {
  readonly id: string
  readonly status: string
  readonly amount: bigint
  readonly currency: 'TON' | 'USDT'
  readonly description: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly changedAt: number | null
  readonly paymentLink: string
  readonly payTo: string
  readonly paidBy: string | null
  readonly overpayment: bigint
  readonly raw: string
}

export const invoiceEntry = z.unknown().transform((value, context): InvoiceEntry => {
  const read = fields.safeParse(value)
  if (!read.success) {
    context.addIssue({ code: 'custom', message: z.prettifyError(read.error) })
    return z.NEVER
  }
  const { data } = read
  return {
    id: data.id,
    status: data.status,
    amount: data.amount,
    currency: data.currency,
    description: data.description ?? '',
    createdAt: data.date_create,
    expiresAt: data.date_expire,
    changedAt: data.date_change,
    paymentLink: data.payment_link,
    payTo: data.pay_to_address,
    paidBy: data.paid_by_address,
    overpayment: data.overpayment ?? 0n,
    raw: formatJson(value),
  }
})

/** An invoice that cannot be parsed does not invalidate the list; `unread` describes it. */
export const invoiceList = z
  .object({ items: optional(z.array(z.unknown())), count: optional(z.int()) })
  .transform(({ items: told, count }) => {
    const items = told ?? []
    const read = items.map((item) => invoiceEntry.safeParse(item))
    return {
      invoices: read.flatMap(({ data }) => data ?? []),
      unread: read.flatMap(({ error }, index) => (error ? [wordsOf(items[index], error)] : [])),
      count,
    }
  })
export type InvoiceList = z.output<typeof invoiceList>

function wordsOf(item: unknown, error: z.ZodError): string {
  const id = z.object({ id: z.string() }).safeParse(item).data?.id.slice(0, 100) ?? 'without an id'
  return `Invoice ${id} could not be read: ${error.issues[0]?.message ?? 'it is no invoice'}`
}

const appFields = z.object({
  id: int64,
  project_id: optional(int64),
  name: z.string(),
  description: optional(z.string()),
  recipient_address: z.string(),
  date_create: optional(moment),
  webhooks: optional(z.array(z.object({ id: z.union([z.string(), int64]), webhook: z.string() }))),
})

export const applicationAnswer = z.object({ app: appFields }).transform(({ app }) => ({
  id: app.id,
  projectId: app.project_id,
  name: app.name,
  description: app.description ?? '',
  recipient: app.recipient_address,
  createdAt: app.date_create ?? 0,
  webhooks: (app.webhooks ?? []).map(({ id, webhook }) => ({ id, url: webhook })),
}))
export type ApplicationAnswer = z.output<typeof applicationAnswer>

export const statsAnswer = z
  .object({
    stats: z.object({
      total: units,
      success_total: units,
      success_in_week: units,
      invoices_in_progress: units,
      total_amount_pending: units,
      currency: z.enum(['TON', 'USDT']).catch('TON'),
    }),
  })
  .transform(({ stats }) => ({
    total: Number(stats.total),
    pending: Number(stats.invoices_in_progress),
    paidAmount: stats.success_total,
    paidInWeekAmount: stats.success_in_week,
    pendingAmount: stats.total_amount_pending,
    currency: stats.currency,
  }))
/** `total` and `pending` are counts, the rest minimal units (gateway-facts 3.2). */
export type StatsAnswer = z.output<typeof statsAnswer>
