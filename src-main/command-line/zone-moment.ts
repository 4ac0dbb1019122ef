/** Moments as a person types them, by the clocks of a zone. Pure. */
import { createZoneTimes } from '../exports/zone-times.ts'
import { usageError } from './command.ts'

const dayMs = 86_400_000
const typed =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(Z|[+-]\d{2}:\d{2})?)?$/

/**
 * `2026-01-31`, `2026-01-31T14:00`, or with seconds, and with an offset that the zone gives way to.
 * @param end a day stands for its end, then, and not for its beginning
 * @returns milliseconds
 * @throws AppError USAGE
 */
export function readMoment(text: string, zone: string, option: string, end: boolean): number {
  const match = typed.exec(text)
  const [, year, month, day, hour, minute, second, fraction, offset] = match ?? []
  const numbers = [year, month, day, hour, minute, second].map((part) => Number(part ?? 0))
  const [y = 0, m = 0, d = 0, h = 0, min = 0, s = 0] = numbers
  const local = Date.UTC(y, m - 1, d, h, min, s, Number((fraction ?? '').padEnd(3, '0')))
  const date = new Date(local)
  const isReal =
    date.getUTCMonth() === m - 1 && date.getUTCDate() === d && h < 24 && min < 60 && s < 60
  if (match === null || !isReal) {
    throw usageError(
      `--${option} takes a day such as 2026-01-31, or 2026-01-31T14:00, not "${text}".`,
    )
  }
  if (offset !== undefined) return Date.parse(`${date.toISOString().slice(0, -1)}${offset}`)
  return atClock(end && hour === undefined ? local + dayMs : local, zone)
}

/** When the clocks of the zone first show this; what they leave out is when they are turned. */
function atClock(local: number, zone: string): number {
  const times = createZoneTimes(zone)
  const before = times.offsetAt(local - dayMs)
  const shown = [before, times.offsetAt(local + dayMs)]
    .map((offset) => local - offset)
    .filter((moment) => moment + times.offsetAt(moment) === local)
  return shown.length === 0 ? local - before : Math.min(...shown)
}

/** @throws AppError USAGE */
export function readZone(text: string): string {
  try {
    createZoneTimes(text)
    return text
  } catch {
    throw usageError(`--zone takes a name such as Europe/Berlin, or UTC, not "${text}".`)
  }
}

const units = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** `90m`, `12h`, `7d`, or seconds. @throws AppError USAGE */
export function readSeconds(text: string, option: string): number {
  const match = /^(\d{1,9})([smhd]?)$/.exec(text)
  if (match === null) {
    throw usageError(`--${option} takes a length of time such as 30m, 12h or 7d, not "${text}".`)
  }
  return Number(match[1]) * units[(match[2] === '' ? 's' : match[2]) as keyof typeof units]
}
