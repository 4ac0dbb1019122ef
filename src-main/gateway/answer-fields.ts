import { z } from 'zod'

/** Go prints a moment that was never set as the first of the year 1. */
const neverBefore = Date.UTC(1970, 0, 1)
/** No `Date` goes beyond. */
const furthest = 8_640_000_000_000_000
/** Seconds until here, milliseconds above: in seconds it is the year 5138. */
const largestSeconds = 100_000_000_000

/**
 * A moment of an answer, in milliseconds since the epoch; null where it was never set, or is nothing
 * that can be read. The form is documented as date-time only: any number of fraction digits, a zone
 * or none (then UTC), a space for the T, and Unix time are all taken.
 */
export const dateTime = z.union([z.string(), z.number(), z.bigint()]).transform(readDateTime)

export function readDateTime(value: string | number | bigint): number | null {
  if (typeof value !== 'string') return readUnix(Number(value))
  const text = value.trim()
  if (/^\d{1,16}(\.\d+)?$/.test(text)) return readUnix(Number(text))
  const parts =
    /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d+))?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?$/.exec(
      text,
    )
  if (parts === null) return null
  const [, day = '', time = '', fraction = '', zone = 'Z'] = parts
  const digits = zone.replace(':', '')
  const offset = /^[+-]/.test(zone)
    ? `${digits.slice(0, 3)}:${digits.slice(3).padEnd(2, '0')}`
    : 'Z'
  const seconds = time.length === 5 ? `${time}:00` : time
  return valid(Date.parse(`${day}T${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${offset}`))
}

function readUnix(value: number): number | null {
  return value === 0 ? null : valid(value < largestSeconds ? value * 1000 : value)
}

function valid(ms: number): number | null {
  return ms > neverBefore && ms <= furthest ? Math.floor(ms) : null
}

const decimal = z.string().regex(/^-?\d+$/, 'not a whole number')

/**
 * An int64 of an answer, as the decimal string that the bridge carries. Taken as such a string too:
 * what was read once can be stored and read again.
 */
export const int64 = z.union([z.int(), z.bigint(), decimal]).transform((value) => value.toString())
