/** Formats a time span in words, in the largest unit of which it has at least two: “119 minutes”, “2 hours”. */
export function describeSpan(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 120) return countOf(minutes, 'minute')
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? countOf(hours, 'hour') : countOf(Math.floor(hours / 24), 'day')
}

export const countOf = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

const unitWords: Readonly<Record<number, string>> = {
  1: 'ms',
  1000: 's sec secs second seconds',
  60_000: 'm min mins minute minutes',
  3_600_000: 'h hr hrs hour hours',
  86_400_000: 'd day days',
  604_800_000: 'w week weeks',
  31_536_000_000: 'y year years',
}
const millisecondsOf = new Map(
  Object.entries(unitWords).flatMap(([ms, words]) =>
    words.split(' ').map((word) => [word, Number(ms)] as const),
  ),
)
const number = String.raw`\d{1,40}(?:\.\d{1,3})?`
const seconds = new RegExp(`^${number}$`)
const parts = new RegExp(`^(?:${number}\\s*[a-z]+\\s*)+$`)
const part = new RegExp(`(${number})\\s*([a-z]+)`, 'g')

/**
 * Parses a time span as users enter it to milliseconds: `90`, `90s`, `1.5 h`, `1h 30m`, `2 weeks`.
 * A number alone means seconds. Null for other text.
 */
export function parseSpan(text: string): number | null {
  const plain = text.trim().toLowerCase()
  if (seconds.test(plain)) return bounded(Number(plain) * 1000)
  if (!parts.test(plain)) return null
  let ms = 0
  for (const [, count = '', word = ''] of plain.matchAll(part)) {
    const unit = millisecondsOf.get(word)
    if (unit === undefined) return null
    ms += Number(count) * unit
  }
  return bounded(ms)
}

/** A number of milliseconds that is higher than every limit and exact as a number. */
const longest = 1e15

const bounded = (ms: number): number => Math.min(Math.round(ms), longest)

/** The pause after this number of failures in a row, which doubles with each failure up to a limit. */
export const doubledPause = (failures: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(30, failures - 1))

/**
 * Parses a day and a time of day in ISO 8601 to milliseconds; local time if there is no offset. Null for a day
 * or time that does not exist, because `Date.parse` reads February 30 as March 2, and 24:00 as the next day.
 */
export function parseDateTime(day: string, time: string, offset = ''): number | null {
  const utc = Date.parse(`${day}T${time}Z`)
  const isReal = !Number.isNaN(utc) && new Date(utc).toISOString().startsWith(day)
  const at = isReal ? Date.parse(`${day}T${time}${offset}`) : Number.NaN
  return Number.isNaN(at) ? null : at
}
