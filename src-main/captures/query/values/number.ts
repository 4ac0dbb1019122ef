import type { Piece } from '../split-query.ts'
import type { Range } from '../../store/index/index-plan.ts'
import { type ReadValue, patternOf } from './text.ts'

/** Both ends are included. */
type Span = { readonly from: bigint; readonly to: bigint }

/**
 * Accepts `5`, `>5`, `>=5`, `<5`, `<=5`, `1..5`, `1..`, `..5`.
 * @param expected a sentence about the expected value, for invalid numbers
 * @param read returns null for an invalid number
 */
export function rangeOf(
  { lead, text }: Piece,
  expected: string,
  read: (text: string) => Span | null,
): Range | string {
  const dots = lead === '' ? text.indexOf('..') : -1
  if (dots === -1) {
    const span = read(text)
    return span === null ? expected : compared(lead, span)
  }
  const [low, high] = [text.slice(0, dots), text.slice(dots + 2)]
  const from = low === '' ? null : read(low)
  const to = high === '' ? null : read(high)
  if (from === null && to === null) return expected
  if ((low !== '' && from === null) || (high !== '' && to === null)) return expected
  if (from !== null && to !== null && from.from > to.to)
    return 'The end of the range is before its start.'
  return { low: from?.from ?? null, high: to?.to ?? null }
}

const readRange =
  (read: (text: string) => Span | null, expected: string): ReadValue =>
  (piece) => {
    const range = rangeOf(piece, expected, read)
    return typeof range === 'string' ? range : [{ is: 'range', ...range }]
  }

function compared(lead: string, { from, to }: Span): Range {
  switch (lead) {
    case '>':
      return { low: to + 1n, high: null }
    case '>=':
      return { low: from, high: null }
    case '<':
      return { low: null, high: from - 1n }
    case '<=':
      return { low: null, high: to }
    default:
      return { low: from, high: to }
  }
}

const integer = /^-?\d{1,20}$/

function wholeNumber(text: string): Span | null {
  if (!integer.test(text)) return null
  const value = BigInt(text)
  return { from: value, to: value }
}

export const readInteger = readRange(wholeNumber, 'A whole number: 5, >5, <=5 or 1..5.')

export const readExitCode = readRange(wholeNumber, 'An exit code: 0, 35, -14, >0.')

const byStatus = readRange(wholeNumber, 'A status: 500, 5xx, >=400, 400..499, or none.')

/** Accepts a number, a class such as `5xx`, or `none` for no response. */
export const readStatus: ReadValue = (piece, context) => {
  const text = piece.text.toLowerCase()
  if (text === 'none') return [{ is: 'text', pattern: ['none'] }]
  const hundreds = /^([1-9])xx$/.exec(text)?.[1]
  if (hundreds === undefined) {
    return piece.cut.length > 1
      ? [{ is: 'text', pattern: patternOf(piece) }]
      : byStatus(piece, context)
  }
  const from = BigInt(hundreds) * 100n
  return [{ is: 'range', ...compared(piece.lead, { from, to: from + 99n }) }]
}

/** A Map, because an object would also have `constructor`. */
type Units = ReadonlyMap<string, bigint>

function measure(
  text: string,
  units: Units,
  usual: string,
): { value: bigint; unit: bigint } | null {
  const match = /^(\d{1,15})(?:\.(\d{1,9}))?([a-zµ]*)$/i.exec(text)
  if (match === null) return null
  const [, whole = '', fraction = '', name = ''] = match
  const unit = units.get(name.toLowerCase() || usual)
  if (unit === undefined) return null
  const scale = 10n ** BigInt(fraction.length)
  return { value: (BigInt(whole + fraction) * unit) / scale, unit }
}

const bytes: Units = new Map([
  ['b', 1n],
  ['k', 1024n],
  ['kb', 1024n],
  ['kib', 1024n],
  ['m', 1_048_576n],
  ['mb', 1_048_576n],
  ['mib', 1_048_576n],
  ['gb', 1_073_741_824n],
  ['gib', 1_073_741_824n],
])

export const readSize = readRange((text) => {
  const size = measure(text, bytes, 'b')
  return size === null ? null : { from: size.value, to: size.value }
}, 'A size: 512, >10KB, 1MB..2MB.')

const durations: Units = new Map([
  ['us', 1n],
  ['µs', 1n],
  ['ms', 1000n],
  ['s', 1_000_000n],
  ['m', 60_000_000n],
])

/** Parses durations: `5ms` matches from 5 to below 6 milliseconds. */
export const readDuration = readRange((text) => {
  const took = measure(text, durations, 'ms')
  return took === null ? null : { from: took.value, to: took.value + took.unit - 1n }
}, 'A time: >100ms, 2s, 500us..1ms.')

const expected =
  'A time: today, yesterday, 2026-11-01, 2026-11-01T14:30, >-1h, or a range of two of these with “..”.'

const moment = /^(\d{4})-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?)?$/i
const zone = /(?:Z|[+-]\d{2}:\d{2})$/i
const back = /^-(\d{1,6})([smhdw])$/i
const microseconds = /^\d{16}$/

const milliseconds = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * Parses times. Days and times without a zone are local. A less precise time means its whole day,
 * minute or second. `-1h` alone means since an hour ago.
 */
export const readTime: ReadValue = (piece, context) => {
  const since = piece.lead === '' && back.test(piece.text)
  const requested = since ? { ...piece, lead: '>=' } : piece
  return readRange((text) => spanOf(text, context.now), expected)(requested, context)
}

function spanOf(text: string, now: number): Span | null {
  const word = text.toLowerCase()
  if (word === 'now') return point(now * 1000)
  if (word === 'today') return day(now, 0)
  if (word === 'yesterday') return day(now, -1)
  if (microseconds.test(text)) return point(Number(text))
  const ago = back.exec(text)
  if (ago !== null) {
    const unit = (ago[2] ?? 's').toLowerCase() as keyof typeof milliseconds
    return point((now - Number(ago[1]) * milliseconds[unit]) * 1000)
  }
  return dated(text)
}

const point = (at: number): Span => ({ from: BigInt(Math.round(at)), to: BigInt(Math.round(at)) })

function between(from: number, to: number): Span | null {
  if (!Number.isFinite(from) || !Number.isFinite(to)) return null
  return { from: BigInt(from) * 1000n, to: BigInt(to) * 1000n - 1n }
}

function day(now: number, offset: number): Span | null {
  const date = new Date(now)
  const start = (days: number) =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate() + offset + days).getTime()
  return between(start(0), start(1))
}

function dated(text: string): Span | null {
  // The month in `2026-11` would look like a zone.
  const offset = text.length > 10 ? (zone.exec(text)?.[0] ?? '') : ''
  const match = moment.exec(text.slice(0, text.length - offset.length))
  // A zone belongs to a time; a day alone is that of this computer.
  if (match === null || (offset !== '' && match[4] === undefined)) return null
  const [, year = '', month = '', date, hour, minute = '', second, fraction = ''] = match
  const [y, m, d] = [Number(year), Number(month) - 1, Number(date ?? '1')]
  const local = new Date(y, m, d)
  // Date would turn 31 June into 1 July.
  if (local.getMonth() !== m || local.getDate() !== d) return null
  if (date === undefined) return between(local.getTime(), new Date(y, m + 1, 1).getTime())
  if (hour === undefined) return between(local.getTime(), new Date(y, m, d + 1).getTime())
  const exact = `${year}-${month}-${date}T${hour}:${minute}:${second ?? '00'}${offset.toUpperCase()}`
  const start = new Date(exact).getTime()
  if (!Number.isFinite(start)) return null
  if (second === undefined) return between(start, start + 60_000)
  if (fraction === '') return between(start, start + 1000)
  const from = BigInt(start) * 1000n + BigInt(fraction.padEnd(6, '0'))
  return { from, to: from + 10n ** BigInt(6 - fraction.length) - 1n }
}
