import { parseDateTime } from '../../src-preload/domain/time-span.ts'
import { z } from 'zod'
import { rawAddress } from '../ton/address.ts'
import { readHash } from '../ton/hash.ts'

/** Go serializes an unset time as year 1. */
const earliest = Date.UTC(1970, 0, 1)
const latest = 8_640_000_000_000_000
/** Larger Unix times are in milliseconds: read as seconds, this number is in the year 5138. */
const maxUnixSeconds = 100_000_000_000

/**
 * Parses a time to milliseconds since the epoch; null if unset or invalid. The format is documented
 * only as date-time, so any number of fraction digits, a missing zone (UTC), a space instead of the
 * T, and Unix times are accepted.
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
  const at = parseDateTime(day, `${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}`, offset)
  return at === null ? null : valid(at)
}

function readUnix(value: number): number | null {
  return value === 0 ? null : valid(value < maxUnixSeconds ? value * 1000 : value)
}

function valid(ms: number): number | null {
  return ms > earliest && ms <= latest ? Math.floor(ms) : null
}

const decimal = z.string().regex(/^-?\d+$/, 'not a whole number')

/** An int64 as decimal string. Input strings are accepted too, because stored responses are parsed again. */
export const int64 = z
  .union([z.int(), z.bigint(), decimal], 'missing or not a whole number')
  .transform((value) => value.toString())

/** Writes an account or a hash in one form, because gateways may use any. Other text stays as it is. */
export const accountText = z.string().transform(rawAddress)
export const hashText = z.string().transform((text) => readHash(text) ?? text)

/** Replaces an absent value and null by another value. */
export const orElse = <S extends z.ZodType, const D>(schema: S, otherwise: D) =>
  schema.nullish().transform((value) => value ?? otherwise)

export const optional = <S extends z.ZodType>(schema: S) => orElse(schema, null)

/** Replaces an absent or unreadable value by null. */
export const tolerant = <S extends z.ZodType>(schema: S) => schema.nullish().catch(null)

/** Reads a response of which only one field is used. */
export const only = <S extends z.ZodType>(name: string, schema: S) =>
  z.object({ [name]: schema }).transform((response) => response[name] as z.output<S>)

/** Services written in Go send null for an empty list. */
export const list = <S extends z.ZodType>(schema: S) =>
  z
    .array(schema)
    .nullish()
    .transform((items) => items ?? [])

/** Absent, null and empty texts mean the same. */
export const textOrEmpty = orElse(z.string(), '')

/** Renames the fields of a service's object: `{ ours: ['theirs', schema] }`. */
export function renamed<
  const Fields extends Readonly<Record<string, readonly [theirs: string, schema: z.ZodType]>>,
>(fields: Fields) {
  type Renamed = { [Name in keyof Fields]: z.output<Fields[Name][1]> }
  return z.object(Object.fromEntries(Object.values(fields))).transform((response) => {
    const entries = Object.entries(fields).map(([ours, [theirs]]) => [ours, response[theirs]])
    return Object.fromEntries(entries) as Renamed
  })
}
