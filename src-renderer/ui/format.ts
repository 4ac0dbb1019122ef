/**
 * Formats every number and time of the window. Times are microseconds since the epoch, as in
 * captures; `fromMs` converts milliseconds. Integers of any length may be decimal strings, which
 * never become floats.
 */

type DisplayFormat = {
  /** The style of times in lists. */
  readonly time: 'relative' | 'absolute'
  readonly timeZone: 'local' | 'utc'
  readonly clock: '24h' | '12h'
  /** The sign between groups of three digits and the decimal mark. */
  readonly numbers: 'space-point' | 'comma-point' | 'point-comma' | 'space-comma' | 'none-point'
}

const groups = { space: '\u202f', comma: ',', point: '.', none: '' } as const
const marks = { point: '.', comma: ',' } as const

let display: DisplayFormat = {
  time: 'relative',
  timeZone: 'local',
  clock: '24h',
  numbers: 'space-point',
}
let group: string = groups.space
let mark: string = marks.point
let times = createTimeFormats(display)

/** Sets how this window shows numbers and times. Fields and exports keep their own format. */
export function setDisplayFormat(next: DisplayFormat): void {
  const [grouping, decimal] = next.numbers.split('-') as [keyof typeof groups, keyof typeof marks]
  display = next
  group = groups[grouping]
  mark = marks[decimal]
  times = createTimeFormats(next)
}

/** The mark between the whole number and its fraction. */
export const decimalMark = (): string => mark

const localize = (text: string): string =>
  text.replaceAll(/[,.]/g, (sign) => (sign === ',' ? group : mark))

function createTimeFormats({ timeZone, clock }: DisplayFormat) {
  const zone = timeZone === 'utc' ? { timeZone: 'UTC' } : {}
  const day = { day: 'numeric', month: 'short', ...zone } as const
  const hour =
    clock === '12h' ? ({ hour: 'numeric', hour12: true } as const) : ({ hour: '2-digit' } as const)
  const minute = { ...hour, minute: '2-digit', ...zone } as const
  const of = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', options)
  return {
    day: of(day),
    dayOfYear: of({ ...day, year: 'numeric' }),
    minute: of(minute),
    second: of({ ...minute, second: '2-digit' }),
  }
}

const integers = new Intl.NumberFormat('en', { maximumFractionDigits: 20 })
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export const fromMs = (ms: number): number => ms * 1000

/**
 * Formats a number that may be a hash, a key or the account part of an address, as 64 hexadecimal digits.
 * @returns null below 193 bits, where hashes practically never occur but amounts do, and beyond 256 bits
 */
export function formatHash(value: string): string | null {
  if (!/^\d{58,78}$/.test(value)) return null
  const digits = BigInt(value).toString(16)
  return digits.length > 48 && digits.length <= 64 ? digits.padStart(64, '0') : null
}

/**
 * Formats `1204318` as `1 204 318` with narrow non-breaking spaces, or as the user has chosen.
 * Strings stay exact.
 */
export function formatNumber(value: number | bigint | string): string {
  const text = integers.format(value as number | Intl.StringNumericLiteral)
  return localize(text).replace('-', '−')
}

/** Splits a formatted number before the trailing zeros of its fraction: `12.500` becomes `12.5` and `00`. */
export function splitZeros(number: string): readonly [kept: string, zeros: string] {
  const at = number.lastIndexOf(mark)
  if (at === -1) return [number, '']
  const kept = number.replace(/0+$/, '')
  const end = kept.length === at + 1 ? at : kept.length
  return [number.slice(0, end), number.slice(end)]
}

/** Formats `12.500000000` as `12.5`. */
export const trimZeros = (number: string): string => splitZeros(number)[0]

/** Formats a number with a noun: `1 capture`, `2 captures`. */
export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

/** Formats `81.4 %`; 0 and 100 only if exact. Null if the whole is zero. */
export function formatShare(part: bigint, whole: bigint): string | null {
  const share = thousandths(part, whole)
  return share === null ? null : `${oneDecimal(share)} %`
}

/** Returns the share in whole thousandths. */
export function thousandths(part: bigint, whole: bigint): bigint | null {
  if (whole <= 0n) return null
  const rounded = (part * 2000n + whole) / (whole * 2n)
  if (rounded === 0n && part > 0n) return 1n
  return rounded === 1000n && part < whole ? 999n : rounded
}

/** Formats thousandths with one decimal place. */
export const oneDecimal = (perMille: bigint): string =>
  `${formatNumber(perMille / 10n)}${mark}${perMille % 10n}`

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Formats `193 B`, `1.5 KiB`, `2 GiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  // The limit avoids rounding 1023.96 KiB to "1024 KiB".
  while (value >= 1023.95 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  const text = unit === 0 ? formatNumber(value) : localize(short.format(value))
  return `${text} ${units[unit] ?? 'B'}`
}

/** Formats a time span in microseconds: `0.3 ms`, `18 ms`, `2.9 s`, `3 min 12 s`, `2 h 5 min`, `4 d 1 h`. */
export function formatDuration(us: number): string {
  const ms = us / 1000
  if (ms < 10) return `${localize(short.format(ms))} ms`
  if (ms < 1000) return `${Math.min(999, Math.round(ms))} ms`
  const seconds = ms / 1000
  if (seconds < 59.95) return `${localize(short.format(seconds))} s`
  const whole = Math.round(seconds)
  if (whole < 3600) return pair(whole, 60, 'min', 's')
  if (whole < 86_400) return pair(Math.floor(whole / 60), 60, 'h', 'min')
  return pair(Math.floor(whole / 3600), 24, 'd', 'h')
}

function pair(value: number, base: number, large: string, small: string): string {
  const rest = value % base
  const head = `${formatNumber(Math.floor(value / base))} ${large}`
  return rest === 0 ? head : `${head} ${rest} ${small}`
}

/** Always local time, for the exact time in a tooltip. */
const localTimes = createTimeFormats({ ...display, timeZone: 'local', clock: '24h' })

const toDate = (us: number): Date => new Date(Math.floor(us / 1000))

/** Formats the time of day to the millisecond for dense lists: `14:32:07.412`, `2:32:07.412 pm`. */
export function formatClock(us: number): string {
  const date = toDate(us)
  const [time = '', half] = times.second.format(date).split(/\s/)
  const exact = `${time}.${String(date.getMilliseconds()).padStart(3, '0')}`
  return half === undefined ? exact : `${exact} ${half}`
}

/** Formats a time for lists of several days: only the time today, with the day before it otherwise. */
export const formatRowTime = (us: number, now: number): string =>
  sameDay(us, now) ? formatClock(us) : `${formatDay(us, now)} ${formatMinute(us)}`

/** Formats `14:32`. */
export const formatMinute = (us: number): string => times.minute.format(toDate(us))

/** Formats `14:32:07`. */
export const formatSecond = (us: number): string => times.second.format(toDate(us))

/** Formats the value of a `datetime-local` field: local time to the minute or to the second. */
export function formatLocal(us: number, unit: 'minute' | 'second'): string {
  const date = toDate(us)
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, unit === 'minute' ? 16 : 19)
}

/** Formats `20 Nov`, with the year if it is not the present one. */
export function formatDay(us: number, now: number): string {
  const isThisYear = yearOf(us) === yearOf(now)
  return (isThisYear ? times.day : times.dayOfYear).format(toDate(us))
}

/** Formats the local day of a time in milliseconds for a date field: `2026-11-20`; empty for none. */
export function formatDateField(ms: number | null): string {
  if (ms === null) return ''
  const date = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** Parses a date field to the first or the last millisecond of its local day; null for other text. */
export function parseDateField(text: string, edge: 'begin' | 'end'): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const at = new Date(`${text}T${edge === 'begin' ? '00:00:00.000' : '23:59:59.999'}`).getTime()
  // `Date` would read February 30 as March 2.
  return at >= 0 && formatDateField(at) === text ? at : null
}

function sameDay(us: number, now: number): boolean {
  const [a, b] = [toDate(us), toDate(now)]
  return display.timeZone === 'utc'
    ? a.toISOString().slice(0, 10) === b.toISOString().slice(0, 10)
    : a.toDateString() === b.toDateString()
}

const yearOf = (us: number): number =>
  display.timeZone === 'utc' ? toDate(us).getUTCFullYear() : toDate(us).getFullYear()

/** Returns how far the displayed time is ahead of UTC at a moment, in microseconds. */
export const displayOffset = (us: number): number =>
  display.timeZone === 'utc' ? 0 : -toDate(us).getTimezoneOffset() * 60_000_000

/**
 * Formats a time as relative within a day, else as absolute: `just now`, `12 min ago`, `3 h ago`,
 * `18 Nov 14:32`. The user can choose absolute times only.
 */
export function formatMoment(us: number, now: number): string {
  if (display.time === 'absolute') return formatAbsolute(us, now)
  const seconds = Math.floor((now - us) / 1e6)
  // Clocks may differ by seconds; a later time is formatted as absolute.
  if (seconds >= -5 && seconds < 10) return 'just now'
  if (seconds < 0 || seconds >= 86_400) return `${formatDay(us, now)} ${formatMinute(us)}`
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  return `${Math.floor(seconds / 3600)} h ago`
}

/** Formats an absolute time: `today 14:32`, `18 Nov 14:32`, `18 Nov 14:32 UTC`. */
export function formatAbsolute(us: number, now: number, withSeconds = false): string {
  const day = sameDay(us, now) ? 'today' : formatDay(us, now)
  const zone = display.timeZone === 'utc' ? ' UTC' : ''
  return `${day} ${withSeconds ? formatSecond(us) : formatMinute(us)}${zone}`
}

/** Formats a time for use after “since”: `14:32:07`, with the day before it if it is not today. */
export const formatSince = (us: number, now: number): string =>
  sameDay(us, now) ? formatSecond(us) : `${formatDay(us, now)} ${formatMinute(us)}`

/** Formats local time with its offset, and UTC, both to the microsecond, for tooltips. */
export function formatExact(us: number): string {
  const date = toDate(us)
  const micros = fraction(us)
  const local = `${localTimes.dayOfYear.format(date)}, ${localTimes.second.format(date)}.${micros}`
  return `${local} (${offset(date)})\n${formatUtc(us)}`
}

/** Formats ISO 8601 in UTC to the microsecond. */
export const formatUtc = (us: number): string =>
  toDate(us)
    .toISOString()
    .replace(/\.\d+Z$/, `.${fraction(us)}Z`)

const fraction = (us: number): string => String(us % 1e6).padStart(6, '0')

function offset(date: Date): string {
  const minutes = -date.getTimezoneOffset()
  const size = Math.abs(minutes)
  const two = (value: number) => String(value).padStart(2, '0')
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

/** Returns the beginning and the end of an address or a hash: `EQCx…_sDs`. Short texts stay complete. */
export const shorten = (text: string, head = 6, tail = 4): string =>
  text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`

/** Shortens a receiver's URL without its scheme and most of its token: `127.0.0.1:4801/hook/9f3c…e1`. */
export function shortenReceiverUrl(url: string): string {
  return url
    .replace(/^https?:\/\//, '')
    .replace(/(\/hook\/)([^/]+)/, (_, hook: string, token: string) => hook + shorten(token, 4, 2))
}
