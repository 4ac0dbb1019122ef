/** Spans of time as the user types and reads them: `5 s`, `15 min`, `1 h`. */
import { lookupTable } from '../../src-preload/domain/lookup-table.ts'

const spans = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const

const names: Readonly<Record<string, number>> = lookupTable({
  ms: 1,
  s: 1000,
  sec: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
})

/** In the largest unit that holds it whole: 90 s stay `90 s`. */
export function printSpan(ms: number): string {
  const [unit, size] = spans.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1]
  return `${ms / size} ${unit}`
}

/** Milliseconds; null when it is no span. A number alone is seconds. */
export function readSpan(text: string): number | null {
  const [, amount = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]*)$/i.exec(text.trim()) ?? []
  const name = unit === '' ? 's' : unit.toLowerCase()
  if (amount === '' || !Object.hasOwn(names, name)) return null
  return Math.round(Number(amount) * (names[name] ?? 0))
}

/** Several, between commas; null when one of them is none. */
export function readSpans(text: string): number[] | null {
  const read = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(readSpan)
  return read.includes(null) || read.length === 0 ? null : (read as number[])
}
