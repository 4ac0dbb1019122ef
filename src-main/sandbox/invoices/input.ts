import { decimalsOf, parseAmount } from '../../../src-preload/domain/amount.ts'
import type { Context } from 'hono'
import { z } from 'zod'
import { AddressError, parseAddress } from '../../ton/address.ts'
import { HttpProblem, parseInput } from '../http.ts'
import { type InvoiceFilter, type InvoiceOrder, invoiceOrders } from '../store/invoices.ts'
import { type Currency, currencies } from './invoice.ts'
import { invoiceStatuses, issueLimits } from '../../../src-preload/domain/invoice-values.ts'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

export const wrong = (field: string, why: string): HttpProblem =>
  new HttpProblem(400, `${field} ${why}`, true)

/** @throws HttpProblem 400 */
export function parseFields<T>(schema: z.ZodType<T>, value: unknown): T {
  // Only own properties count, because every object inherits "constructor".
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return parseInput(
    schema,
    isObject ? { ...value } : value,
    (path, problem) => `${path.length === 0 ? 'the body' : z.core.toDotPath(path)} ${problem}`,
    describeIssue,
  )
}

const describeIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return 'is required'
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  if (issue.code !== 'invalid_type') return undefined
  const expected = typeNames[issue.expected] ?? issue.expected
  return `must be ${expected}, not ${kindOf(issue.input)}`
}

const typeNames: Readonly<Record<string, string>> = lookupTable({
  string: 'a string',
  boolean: 'true or false',
  bigint: 'a number',
  array: 'an array of URLs',
  object: 'a JSON object',
})

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`
}

const characters = (least: number, max: number) =>
  z.string().refine(
    (text) => {
      const { length } = Array.from(text.slice(0, max * 2 + 1))
      return length >= least && length <= max
    },
    `must have ${least > 0 ? `${least} to` : 'at most'} ${max} characters`,
  )

/** Integers beyond 2^53 arrive as bigint. */
const integer = z.preprocess(
  (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : value),
  z.bigint({
    error: ({ input }) => (typeof input === 'number' ? 'must be a whole number' : undefined),
  }),
)

const endpoint = characters(0, 2048).refine(
  (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
  'must be a URL that begins with http:// or https://',
)

const recipient = characters(0, 128).transform((text, context) => {
  try {
    const { raw, isTestOnly } = parseAddress(text)
    if (!isTestOnly) return raw
    context.addIssue(`${text} is for test networks; invoices are on Mainnet`)
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    context.addIssue(`is not an address: ${error.message}`)
  }
  return z.NEVER
})

export const maxWebhooks = 20

const webhooks = z
  .array(endpoint)
  .max(maxWebhooks, `must have at most ${maxWebhooks} URLs`)
  .refine((urls) => new Set(urls).size === urls.length, 'must not contain duplicate URLs')

const name = characters(3, 64)
const description = characters(0, 255)

export const appForm = z
  .object({
    name,
    description: description.default(''),
    recipient_address: recipient,
    webhooks: webhooks.default([]),
  })
  .transform(({ recipient_address, ...form }) => ({ ...form, recipient: recipient_address }))

export type AppForm = z.infer<typeof appForm>

export const appChange = z
  .object({ name, description, recipient_address: recipient })
  .partial()
  .refine(
    (change) => Object.keys(change).length > 0,
    'must have name, description or recipient_address',
  )
  .transform(({ recipient_address, ...change }) => ({ ...change, recipient: recipient_address }))

export const webhookForm = z.object({ webhook: endpoint })

/** The input of the control API for the application. */
export const applicationFields = z.object({ recipient, webhooks }).partial()

export const invoiceForm = z
  .object({
    currency: z.enum(currencies),
    amount: z
      .string({
        error: ({ input }) =>
          input === undefined
            ? 'is required'
            : 'must be a string: minimal units as decimal digits, such as "1000000000"',
      })
      .regex(/^(0|[1-9]\d*)$/, 'must be a whole number of minimal units in decimal digits'),
    life_time: integer.refine(
      (seconds) => seconds > 0n && seconds <= issueLimits.longestSeconds,
      `must be 1 to ${issueLimits.longestSeconds} seconds (90 days)`,
    ),
    description: description.optional(),
  })
  .transform(({ currency, amount: digits, life_time, description = null }, context) => {
    const unit = parseAmount('1', decimalsOf[currency])
    const least = parseAmount(issueLimits.least, decimalsOf[currency])
    const max = parseAmount(issueLimits.most, decimalsOf[currency])
    // The length is checked first, because parsing a megabyte of digits is slow.
    const amount = digits.length > 30 ? max + 1n : BigInt(digits)
    if (amount < least || amount > max) {
      context.addIssue({
        code: 'custom',
        path: ['amount'],
        message: `must be ${least} to ${max} minimal units (0.001 to 100,000 ${currency}): 1 ${currency} is ${unit}`,
      })
    }
    return { currency, amount, lifeTime: Number(life_time), description }
  })

export const refundNote = z
  .object({
    refunded: z.boolean(),
    refund_amount: integer.refine(
      (amount) => amount >= 0n && amount < 2n ** 63n,
      'must be an int64 of minimal units, 0 or more',
    ),
  })
  .partial()
  .refine(
    (note) => Object.keys(note).length > 0,
    'must have refunded or refund_amount: no other field can be changed',
  )

const wholeNumber = z
  .string()
  .regex(/^-?\d{1,19}$/, 'must be a whole number in decimal digits')
  .transform(BigInt)
  .refine((value) => BigInt.asIntN(64, value) === value, 'is beyond 64 bits')

const maxAtOnce = 1000n

const listQuery = z.object({
  search_id: characters(1, 64).optional(),
  filter_status: z.array(z.enum(invoiceStatuses)),
  currency: z.enum(currencies).optional(),
  overpayment: z.enum(['true', 'false']).optional(),
  start: wholeNumber.optional(),
  end: wholeNumber.optional(),
  field_order: z
    .enum(Object.keys(invoiceOrders) as (keyof typeof invoiceOrders)[])
    .default('date_create'),
  type_order: z.enum(['asc', 'desc']).default('desc'),
  limit: wholeNumber
    .refine((limit) => limit >= 0n && limit <= maxAtOnce, `must be 0 to ${maxAtOnce}`)
    .default(100n),
  offset: wholeNumber.refine((offset) => offset >= 0n, 'must be 0 or more').default(0n),
})

/** Parses the filters of gateway-facts 3.4. @throws HttpProblem 400 */
export function readList({ req }: Context, appId: number) {
  // The parameter may be repeated or separated by commas, because the service's array format is not public.
  const filter_status = (req.queries('filter_status') ?? []).flatMap((part) => part.split(','))
  const query = parseInput(
    listQuery,
    { ...req.query(), filter_status },
    ([field], problem) => `${String(field)} ${problem}`,
    describeIssue,
  )
  const filter: InvoiceFilter = {
    appId,
    idPrefix: query.search_id,
    statuses: query.filter_status,
    currency: query.currency,
    overpaidOnly: query.overpayment === 'true',
    from: query.start,
    to: query.end,
  }
  const order: InvoiceOrder = { by: query.field_order, direction: query.type_order }
  return { filter, order, page: { limit: query.limit, offset: query.offset } }
}

export const readCurrency = ({ req }: Context): Currency | undefined =>
  parseFields(listQuery.pick({ currency: true }), req.query()).currency

export function readInteger({ req }: Context, name: string): bigint | undefined {
  const text = req.query(name)
  return text === undefined
    ? undefined
    : parseInput(wholeNumber, text, (_path, problem) => `${name} ${problem}`)
}
