/** Spans of time as the user types and reads them: `5 s`, `15 min`, `1 h`. */
import { parseSpan } from '../../src-preload/domain/time-span.ts'

const spans = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const

/** In the largest unit that holds it whole: 90 s stay `90 s`. */
export function formatTimeSpan(ms: number): string {
  const [unit, size] = spans.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1]
  return `${ms / size} ${unit}`
}

/** Several, between commas; null when one of them is none. */
export function readSpans(text: string): number[] | null {
  const read = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseSpan)
  return read.includes(null) || read.length === 0 ? null : (read as number[])
}
