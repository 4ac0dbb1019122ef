import type { Context } from 'hono'
import { type InvoiceFilter, type InvoiceOrder, invoiceOrders } from '../store/invoices.ts'
import { asOneOf, asText, wrong } from './fields.ts'
import { type Currency, currencies } from './invoice.ts'
import { invoiceStatuses } from './invoice-state.ts'

const defaultLimit = 100
const maxAtOnce = 1000

const orders = Object.keys(invoiceOrders) as (keyof typeof invoiceOrders)[]

/** Which invoices are wanted (gateway-facts 3.4). @throws HttpProblem 400, as do all of these */
export function readFilter(context: Context, appId: number): InvoiceFilter {
  const idPrefix = context.req.query('search_id')
  return {
    appId,
    idPrefix:
      idPrefix === undefined ? undefined : asText(idPrefix, 'search_id', { least: 1, most: 64 }),
    statuses: readStatuses(context),
    currency: readCurrency(context),
    overpaidOnly: readFlag(context, 'overpayment'),
    from: readInteger(context, 'start'),
    to: readInteger(context, 'end'),
  }
}

export function readOrder(context: Context): InvoiceOrder {
  const by = context.req.query('field_order')
  const direction = context.req.query('type_order')
  return {
    by: by === undefined ? 'date_create' : asOneOf(by, 'field_order', orders),
    direction: direction === undefined ? 'desc' : asOneOf(direction, 'type_order', ['asc', 'desc']),
  }
}

export function readPage(context: Context): { limit: number; offset: bigint } {
  const limit = readInteger(context, 'limit') ?? BigInt(defaultLimit)
  const offset = readInteger(context, 'offset') ?? 0n
  if (limit < 0n || limit > maxAtOnce) throw wrong('limit', `must be 0 to ${maxAtOnce}`)
  if (offset < 0n) throw wrong('offset', 'must be 0 or more')
  return { limit: Number(limit), offset }
}

export function readCurrency(context: Context): Currency | undefined {
  const currency = context.req.query('currency')
  return currency === undefined ? undefined : asOneOf(currency, 'currency', currencies)
}

/** A decimal int64 of the query. */
export function readInteger(context: Context, name: string): bigint | undefined {
  const text = context.req.query(name)
  if (text === undefined) return undefined
  if (!/^-?\d{1,19}$/.test(text)) throw wrong(name, 'must be a whole number in decimal digits')
  const value = BigInt(text)
  if (BigInt.asIntN(64, value) !== value) throw wrong(name, 'is beyond 64 bits')
  return value
}

/** Given several times, or with commas: what array parameters look like is not public. */
function readStatuses(context: Context) {
  const given = context.req.queries('filter_status') ?? []
  return given
    .flatMap((part) => part.split(','))
    .map((status) => asOneOf(status, 'filter_status', invoiceStatuses))
}

function readFlag(context: Context, name: string): boolean {
  const text = context.req.query(name)
  return text === undefined ? false : asOneOf(text, name, ['true', 'false']) === 'true'
}
