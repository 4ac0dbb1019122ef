/** Calculations with days of a time zone. Moments are in milliseconds; days have the form of a date field. */
import { useId } from 'react'
import { TextField } from '../../ui/form.tsx'

/** Returns the time zone of this computer. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export function isZone(name: string): boolean {
  try {
    return name !== '' && new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Object
  } catch {
    return false
  }
}

/**
 * Returns the date and time of a zone's clocks in the form of ISO 8601, in which the Swedish locale
 * writes them.
 */
function clockIn(zone: string, at: number): string {
  return new Date(at).toLocaleString('sv', { timeZone: zone }).replace(' ', 'T')
}

/** Returns the day that a moment belongs to, for example `2026-11-20`. */
export const dayIn = (zone: string, at: number): string => clockIn(zone, at).slice(0, 10)

/**
 * Returns the first moment of a day; null if the text is not a day. If the clocks skip midnight,
 * the day begins later.
 */
export function dayBegin(zone: string, day: string): number | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === undefined) return null
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(date))
  if (new Date(midnight).toISOString().slice(0, 10) !== day) return null
  // Clocks may change at this midnight, so both offsets around it are tried.
  const [found] = [midnight - halfDay * 2, midnight + halfDay * 2]
    .map((near) => midnight - offsetIn(zone, near))
    .toSorted((a, b) => a - b)
    .filter((at) => dayIn(zone, at) === day && dayIn(zone, at - 1) < day)
  return found ?? null
}

/** Returns the day that is `count` days later. */
export function addDays(day: string, count: number): string {
  const at = new Date(`${day}T00:00:00Z`)
  at.setUTCDate(at.getUTCDate() + count)
  return at.toISOString().slice(0, 10)
}

/** Returns the first day of the month that is `offset` months later. */
export function monthBegin(day: string, offset = 0): string {
  const at = new Date(`${day.slice(0, 7)}-01T00:00:00Z`)
  at.setUTCMonth(at.getUTCMonth() + offset)
  return at.toISOString().slice(0, 10)
}

const halfDay = 12 * 3_600_000

/** Returns how far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetIn(zone: string, at: number): number {
  return Date.parse(`${clockIn(zone, at)}Z`) - Math.floor(at / 1000) * 1000
}

/** The IANA names of zones, with the most likely ones first. */
const zones = [...new Set([ownZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')])]

/** The field of the time zone: the user types a name or chooses one from a list. */
export function ZoneField({
  zone,
  hideLabel = false,
  onChange,
}: {
  zone: string
  hideLabel?: boolean
  onChange: (zone: string) => void
}) {
  const id = useId()
  return (
    <>
      <TextField
        label="Time zone"
        hideLabel={hideLabel}
        title="Time zone"
        list={id}
        value={zone}
        onChange={onChange}
        error={isZone(zone) ? undefined : 'Unknown time zone. An example is Europe/Berlin.'}
      />
      <datalist id={id}>
        {zones.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  )
}
