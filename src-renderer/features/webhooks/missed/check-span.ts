/** Which time a check looks at, as it is chosen. */
export const spanNames = ['1h', '24h', '7d', '30d', 'free'] as const
type SpanName = (typeof spanNames)[number]

export const spanLabels: Record<SpanName, string> = {
  '1h': 'Last hour',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  free: 'From … to …',
}

const hour = 3_600_000
const lengths: Record<Exclude<SpanName, 'free'>, number> = {
  '1h': hour,
  '24h': 24 * hour,
  '7d': 7 * 24 * hour,
  '30d': 30 * 24 * hour,
}

export type ChosenSpan = {
  readonly name: SpanName
  /** As a `datetime-local` field has them; an empty `to` is now. */
  readonly from: string
  readonly to: string
}

/** `to` null: until now. Milliseconds. */
type Span = { readonly from: number; readonly to: number | null }

/** What was chosen as a span, or what is wrong with it as a sentence. */
export function readSpan({ name, from, to }: ChosenSpan, now: number): Span | string {
  if (name !== 'free') return { from: now - lengths[name], to: null }
  const first = readLocal(from)
  const last = to === '' ? null : readLocal(to)
  if (first === null) return 'Say from when on.'
  if (to !== '' && last === null) return 'Say until when, or leave it empty for now.'
  if (first >= now) return 'It begins in the future.'
  if (last !== null && last <= first) return 'It ends before it begins.'
  return { from: first, to: last }
}

/** A local time as a `datetime-local` field writes it, in milliseconds; null when it is none. */
export function readLocal(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)) return null
  const at = new Date(text).getTime()
  return Number.isFinite(at) ? at : null
}

/** As a `datetime-local` field takes it, to the minute. */
export function printLocal(ms: number): string {
  const date = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}
