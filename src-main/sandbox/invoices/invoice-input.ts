import { type Currency, currencies } from './invoice.ts'
import {
  type Fields,
  asBoolean,
  asInteger,
  asOneOf,
  asText,
  optional,
  readFields,
  required,
  wrong,
} from './fields.ts'

export type InvoiceOrderForm = {
  readonly amount: bigint
  readonly currency: Currency
  /** Seconds. */
  readonly lifeTime: number
  readonly description: string | null
}

const longestDescription = 255

/** Digits after the point of a whole unit. */
const decimals: Readonly<Record<Currency, number>> = { TON: 9, USDT: 6 }

/** What the console's form allows; the service's own bounds are not public. */
const leastThousandths = 1n
const maxUnits = 100_000n
const longestLife = 90n * 24n * 60n * 60n

/** The body of a creation request. @throws HttpProblem 400 */
export function readInvoiceForm(body: unknown): InvoiceOrderForm {
  const fields = readFields(body)
  const currency = asOneOf(required(fields, 'currency'), 'currency', currencies)
  return {
    amount: readAmount(required(fields, 'amount'), currency),
    currency,
    lifeTime: readLifeTime(required(fields, 'life_time')),
    description: readDescription(fields),
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
  // Its length first: reading a megabyte of digits takes its time.
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

function readDescription(fields: Fields): string | null {
  const value = optional(fields, 'description')
  return value === undefined ? null : asText(value, 'description', { most: longestDescription })
}

type RefundNote = {
  readonly refunded?: boolean
  readonly refundAmount?: bigint
}

/** What a PATCH of an invoice writes down. @throws HttpProblem 400 */
export function readRefundNote(body: unknown): RefundNote {
  const fields = readFields(body)
  const refunded = optional(fields, 'refunded')
  const amount = optional(fields, 'refund_amount')
  if (refunded === undefined && amount === undefined) {
    throw wrong('the body', 'must have refunded or refund_amount: nothing else can be changed')
  }
  return {
    ...(refunded === undefined ? {} : { refunded: asBoolean(refunded, 'refunded') }),
    ...(amount === undefined ? {} : { refundAmount: readRefundAmount(amount) }),
  }
}

function readRefundAmount(value: unknown): bigint {
  const amount = asInteger(value, 'refund_amount')
  if (amount < 0n || amount > 2n ** 63n - 1n) {
    throw wrong('refund_amount', 'must be an int64 of minimal units, 0 or more')
  }
  return amount
}
