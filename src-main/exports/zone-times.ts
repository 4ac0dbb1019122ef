/** Formats millions of times in a time zone: it looks up the zone's offset twice per day, not for each row. */

export type ZoneTimes = ReturnType<typeof createZoneTimes>

import { AppError } from '../../src-preload/domain/app-error.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs
const quarterMs = 15 * minuteMs
const dayMs = 24 * 60 * minuteMs
/** The largest time value of `Date`. */
const furthestMs = 8.64e15
/** The limit of cached days exists because imported times may be any. */
const maxDays = 20_000

const pad = (value: number) => value.toString().padStart(2, '0')
const minutes = Array.from(
  { length: 24 * 60 },
  (_, minute) => `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}:`,
)
const seconds = Array.from({ length: 60 }, (_, second) => pad(second))

/** @throws AppError with `code` for an unknown zone */
export function zoneTimesOf(zone: string, code: string): ZoneTimes {
  try {
    return createZoneTimes(zone)
  } catch (cause) {
    const message = `"${zone}" is not a time zone. Enter a name such as Europe/Berlin, or UTC.`
    throw new AppError(code, message, { cause })
  }
}

/** @throws RangeError for an unknown zone */
export function createZoneTimes(zone: string) {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  const isUtc = format.resolvedOptions().timeZone === 'UTC'
  /** Offsets by UTC day; null for a day on which the offset changes. */
  const byDay = new Map<number, number | null>()
  const byQuarter = new Map<number, number>()
  const days = new Map<number, string>()

  function ask(ms: number): number {
    const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const match = /([+\-\u2212])(\d{2}):(\d{2})/.exec(name)
    if (match === null) return 0
    const size = (Number(match[2]) * 60 + Number(match[3])) * minuteMs
    return match[1] === '+' ? size : -size
  }

  function ofDay(day: number): number | null {
    const first = ask(day * dayMs)
    return ask((day + 1) * dayMs - 1) === first ? first : null
  }

  function offsetAt(ms: number): number {
    if (isUtc) return 0
    const day = Math.floor(ms / dayMs)
    const known = byDay.get(day)
    const offset = known === undefined ? remember(byDay, day, ofDay(day)) : known
    if (offset !== null) return offset
    // In all current zones, offsets change only at quarters of an hour.
    const quarter = Math.floor(ms / quarterMs)
    return byQuarter.get(quarter) ?? remember(byQuarter, quarter, ask(quarter * quarterMs))
  }

  return {
    /** The zone's offset from UTC in milliseconds. */
    offsetAt,
    /** Formats ISO 8601 with the zone's offset, `Z` for UTC; milliseconds are omitted if they are 0. */
    print(ms: number): string {
      if (Math.abs(ms) > furthestMs - dayMs) return ms.toString()
      const offset = offsetAt(ms)
      const local = ms + offset
      const day = Math.floor(local / dayMs)
      const date = days.get(day) ?? remember(days, day, formatDate(day))
      const inDay = local - day * dayMs
      const minute = minutes[Math.floor(inDay / minuteMs)] ?? ''
      const second = seconds[Math.floor((inDay % minuteMs) / secondMs)] ?? ''
      const rest = inDay % secondMs
      const fraction = rest === 0 ? '' : `.${rest.toString().padStart(3, '0')}`
      return date + minute + second + fraction + (isUtc ? 'Z' : formatOffset(offset))
    },
  }
}

function remember<T>(map: Map<number, T>, key: number, value: T): T {
  if (map.size >= maxDays) map.clear()
  map.set(key, value)
  return value
}

function formatDate(day: number): string {
  const text = new Date(day * dayMs).toISOString()
  return text.slice(0, text.indexOf('T') + 1)
}

function formatOffset(offset: number): string {
  const size = Math.abs(offset) / minuteMs
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`
}
