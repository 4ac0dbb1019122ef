/** Formats and parses time spans for the user, such as `5 s`, `15 min` or `1 h`. */
import { parseSpan } from '../../src-preload/domain/time-span.ts'

const spans = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const

/** Formats a span in the largest unit without a fraction, so 90 s stay `90 s`. */
export function formatTimeSpan(ms: number): string {
  const [unit, size] = spans.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1]
  return `${ms / size} ${unit}`
}

/** Parses several spans between commas; null if one of them is invalid. */
export function readSpans(text: string): number[] | null {
  const read = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseSpan)
  return read.includes(null) || read.length === 0 ? null : (read as number[])
}
