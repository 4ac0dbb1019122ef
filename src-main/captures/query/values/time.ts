import { type Span, readRange } from './number.ts'
import type { ReadValue } from './read-value.ts'

const expected =
  'A time: today, yesterday, 2026-11-01, 2026-11-01T14:30, >-1h, or one of these .. another.'

const moment = /^(\d{4})-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?)?$/i
const zone = /(?:Z|[+-]\d{2}:\d{2})$/i
const back = /^-(\d{1,6})([smhdw])$/i
const microseconds = /^\d{16}$/

const milliseconds = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * Days are this computer's, as are moments without a zone. What is written less exactly stands for all
 * of it: a day, a minute, a second. `-1h` by itself is since an hour ago.
 */
export const readTime: ReadValue = (piece, context) => {
  const since = piece.lead === '' && back.test(piece.text)
  const asked = since ? { ...piece, lead: '>=' } : piece
  return readRange((text) => spanOf(text, context.now), expected)(asked, context)
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

function point(at: number): Span {
  return { from: BigInt(Math.round(at)), to: BigInt(Math.round(at)) }
}

/** From the first of two moments, in milliseconds, up to the second. */
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
  // A month ends like a zone: `2026-11`.
  const offset = text.length > 10 ? (zone.exec(text)?.[0] ?? '') : ''
  const match = moment.exec(text.slice(0, text.length - offset.length))
  if (match === null) return null
  const [, year = '', month = '', date, hour, minute = '', second, fraction = ''] = match
  const [y, m, d] = [Number(year), Number(month) - 1, Number(date ?? '1')]
  const local = new Date(y, m, d)
  // There is no 31st of June, nor a 25th hour.
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
