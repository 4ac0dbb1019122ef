import type { Context } from 'hono'
import { AddressError, parseAddress } from '../../ton/address.ts'
import { HttpProblem } from '../http.ts'
import { type InvoiceFilter, type InvoiceOrder, invoiceOrders } from '../store/invoices.ts'
import { type Currency, type InvoiceApp, currencies } from './invoice.ts'
import { invoiceStatuses } from '../../../src-preload/domain/invoice-words.ts'

type Fields = Readonly<Record<string, unknown>>

/** Own properties only: every object inherits "constructor". @throws HttpProblem 400, as do all of these */
function readFields(body: unknown): Fields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new HttpProblem(400, `the body must be a JSON object, not ${kindOf(body)}`, true)
  }
  return Object.assign(Object.create(null) as Fields, body)
}

export function wrong(field: string, why: string): HttpProblem {
  return new HttpProblem(400, `${field} ${why}`, true)
}

function required(fields: Fields, name: string): unknown {
  if (fields[name] === undefined) throw wrong(name, 'is required')
  return fields[name]
}

/** Of the field, if there is one. */
function optional<Name extends string, T>(
  fields: Fields,
  field: string,
  name: Name,
  read: (value: unknown, field: string) => T,
): Partial<Record<Name, T>> {
  const value = fields[field]
  return value === undefined ? {} : ({ [name]: read(value, field) } as Record<Name, T>)
}

function asText(
  value: unknown,
  name: string,
  bounds: { readonly least?: number; readonly most: number },
): string {
  if (typeof value !== 'string') throw wrong(name, `must be a string, not ${kindOf(value)}`)
  const { least = 0, most: max } = bounds
  const length = Array.from(value.slice(0, max * 2 + 1)).length
  if (length < least || length > max) {
    throw wrong(name, `must have ${least > 0 ? `${least} to` : 'at most'} ${max} characters`)
  }
  return value
}

function asBoolean(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw wrong(name, `must be true or false, not ${kindOf(value)}`)
  return value
}

/** Integers beyond 2^53 arrive as bigint. */
function asInteger(value: unknown, name: string): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value !== 'number') throw wrong(name, `must be a number, not ${kindOf(value)}`)
  if (!Number.isSafeInteger(value)) throw wrong(name, 'must be a whole number')
  return BigInt(value)
}

function asOneOf<const T extends string>(value: unknown, name: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value)
  if (found === undefined) throw wrong(name, `must be one of ${choices.join(', ')}`)
  return found
}

function asEndpoint(value: unknown, name: string): string {
  const text = asText(value, name, { most: 2048 })
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw wrong(name, 'must be a URL that begins with http:// or https://')
  }
  return text
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`
}

type AppText = Pick<InvoiceApp, 'name' | 'description' | 'recipient'>

export type AppForm = AppText & { readonly webhooks: readonly string[] }

export const maxWebhooks = 20

export function readAppForm(body: unknown): AppForm {
  const fields = readFields(body)
  return {
    name: readName(required(fields, 'name')),
    description: '',
    ...optional(fields, 'description', 'description', readAppDescription),
    recipient: readRecipient(required(fields, 'recipient_address'), 'recipient_address'),
    webhooks: [],
    ...optional(fields, 'webhooks', 'webhooks', readWebhooks),
  }
}

export function readAppChange(body: unknown): Partial<AppText> {
  const fields = readFields(body)
  const change = {
    ...optional(fields, 'name', 'name', readName),
    ...optional(fields, 'description', 'description', readAppDescription),
    ...optional(fields, 'recipient_address', 'recipient', readRecipient),
  }
  if (Object.keys(change).length > 0) return change
  throw wrong('the body', 'must have name, description or recipient_address')
}

export function readWebhook(body: unknown): string {
  return asEndpoint(required(readFields(body), 'webhook'), 'webhook')
}

export function readWebhooks(value: unknown, name: string): readonly string[] {
  if (!Array.isArray(value)) throw wrong(name, 'must be an array of URLs')
  if (value.length > maxWebhooks) throw wrong(name, `must have at most ${maxWebhooks} URLs`)
  const urls = value.map((url, index) => asEndpoint(url, `${name}[${index}]`))
  if (new Set(urls).size < urls.length) throw wrong(name, 'must not have a URL twice')
  return urls
}

export function readRecipient(value: unknown, name: string): string {
  const text = asText(value, name, { most: 128 })
  try {
    const { raw, isTestOnly } = parseAddress(text)
    if (isTestOnly) throw wrong(name, `${text} is of a test network; invoices are of the main one`)
    return raw
  } catch (error) {
    if (error instanceof AddressError) throw wrong(name, `is no address: ${error.message}`)
    throw error
  }
}

function readName(value: unknown): string {
  return asText(value, 'name', { least: 3, most: 64 })
}

function readAppDescription(value: unknown): string {
  return asText(value, 'description', { most: 255 })
}

export type InvoiceOrderForm = {
  readonly amount: bigint
  readonly currency: Currency
  readonly lifeTime: number
  readonly description: string | null
}

const decimals: Readonly<Record<Currency, number>> = { TON: 9, USDT: 6 }

/** Limits of the console's form; the service's are not public. */
const leastThousandths = 1n
const maxUnits = 100_000n
const longestLife = 90n * 24n * 60n * 60n

export function readInvoiceForm(body: unknown): InvoiceOrderForm {
  const fields = readFields(body)
  const currency = asOneOf(required(fields, 'currency'), 'currency', currencies)
  return {
    amount: readAmount(required(fields, 'amount'), currency),
    currency,
    lifeTime: readLifeTime(required(fields, 'life_time')),
    description: null,
    ...optional(fields, 'description', 'description', readAppDescription),
  }
}

function readAmount(value: unknown, currency: Currency): bigint {
  if (typeof value !== 'string') {
    throw wrong('amount', 'must be a string: minimal units as decimal digits, such as "1000000000"')
  }
  if (!/^(0|[1-9]\d*)$/.test(value)) {
    throw wrong('amount', 'must be a whole number of minimal units in decimal digits')
  }
  const unit = 10n ** BigInt(decimals[currency])
  const least = (unit * leastThousandths) / 1000n
  const max = unit * maxUnits
  // Checks the length first: parsing a megabyte of digits is slow.
  const amount = value.length > 30 ? max + 1n : BigInt(value)
  if (amount < least || amount > max) {
    throw wrong(
      'amount',
      `must be ${least} to ${max} minimal units (0.001 to 100,000 ${currency}): 1 ${currency} is ${unit}`,
    )
  }
  return amount
}

function readLifeTime(value: unknown): number {
  const seconds = asInteger(value, 'life_time')
  if (seconds <= 0n || seconds > longestLife) {
    throw wrong('life_time', `must be 1 to ${longestLife} seconds (90 days)`)
  }
  return Number(seconds)
}

export function readRefundNote(body: unknown): { refunded?: boolean; refundAmount?: bigint } {
  const fields = readFields(body)
  const note = {
    ...optional(fields, 'refunded', 'refunded', asBoolean),
    ...optional(fields, 'refund_amount', 'refundAmount', readRefundAmount),
  }
  if (Object.keys(note).length > 0) return note
  throw wrong('the body', 'must have refunded or refund_amount: nothing else can be changed')
}

function readRefundAmount(value: unknown): bigint {
  const amount = asInteger(value, 'refund_amount')
  if (amount < 0n || amount > 2n ** 63n - 1n) {
    throw wrong('refund_amount', 'must be an int64 of minimal units, 0 or more')
  }
  return amount
}

const defaultLimit = 100
const maxAtOnce = 1000

const orders = Object.keys(invoiceOrders) as (keyof typeof invoiceOrders)[]

/** Filters of gateway-facts 3.4. @throws HttpProblem 400 */
export function readFilter({ req }: Context, appId: number): InvoiceFilter {
  const idPrefix = req.query('search_id')
  const overpaid = req.query('overpayment') ?? 'false'
  // Repeated or comma-separated; the service's array format is not public.
  const statuses = (req.queries('filter_status') ?? []).flatMap((part) => part.split(','))
  return {
    appId,
    idPrefix:
      idPrefix === undefined ? undefined : asText(idPrefix, 'search_id', { least: 1, most: 64 }),
    statuses: statuses.map((status) => asOneOf(status, 'filter_status', invoiceStatuses)),
    currency: readCurrency({ req }),
    overpaidOnly: asOneOf(overpaid, 'overpayment', ['true', 'false']) === 'true',
    from: readInteger({ req }, 'start'),
    to: readInteger({ req }, 'end'),
  }
}

export function readOrder({ req }: Context): InvoiceOrder {
  return {
    by: asOneOf(req.query('field_order') ?? 'date_create', 'field_order', orders),
    direction: asOneOf(req.query('type_order') ?? 'desc', 'type_order', ['asc', 'desc']),
  }
}

export function readPage(context: Context): { limit: number; offset: bigint } {
  const limit = readInteger(context, 'limit') ?? BigInt(defaultLimit)
  const offset = readInteger(context, 'offset') ?? 0n
  if (limit < 0n || limit > maxAtOnce) throw wrong('limit', `must be 0 to ${maxAtOnce}`)
  if (offset < 0n) throw wrong('offset', 'must be 0 or more')
  return { limit: Number(limit), offset }
}

export function readCurrency({ req }: Pick<Context, 'req'>): Currency | undefined {
  const currency = req.query('currency')
  return currency === undefined ? undefined : asOneOf(currency, 'currency', currencies)
}

export function readInteger({ req }: Pick<Context, 'req'>, name: string): bigint | undefined {
  const text = req.query(name)
  if (text === undefined) return undefined
  if (!/^-?\d{1,19}$/.test(text)) throw wrong(name, 'must be a whole number in decimal digits')
  const value = BigInt(text)
  if (BigInt.asIntN(64, value) !== value) throw wrong(name, 'is beyond 64 bits')
  return value
}
