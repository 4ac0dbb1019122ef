/** Moments as files have them: ISO 8601 in UTC, with the microseconds that captures are kept with. */

export function formatMoment(microseconds: number): string {
  const ms = Math.floor(microseconds / 1000)
  const rest = microseconds - ms * 1000
  return new Date(ms).toISOString().replace('Z', `${rest.toString().padStart(3, '0')}Z`)
}

const iso = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/i

/** Null for what is no moment of the years 1970 to 2200. */
export function readMoment(text: string): number | null {
  const match = iso.exec(text.trim())
  if (match === null) return null
  const [, seconds = '', fraction = '', zone = 'Z'] = match
  const ms = Date.parse(seconds + zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2'))
  const at = ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
  return isMoment(at) ? at : null
}

const latest = Date.UTC(2200, 0, 1) * 1000

export function isMoment(microseconds: unknown): microseconds is number {
  return (
    Number.isInteger(microseconds) &&
    (microseconds as number) >= 0 &&
    (microseconds as number) < latest
  )
}
