/** How far back “everything since” goes; moments are microseconds. */
export type Since =
  | { readonly kind: 'minutes'; readonly minutes: number }
  | { readonly kind: 'today' }
  | { readonly kind: 'typed'; readonly text: string }

export const spans: readonly {
  readonly value: string
  readonly label: string
  readonly since: Since
}[] = [
  { value: '5', label: '5 minutes', since: { kind: 'minutes', minutes: 5 } },
  { value: '15', label: '15 minutes', since: { kind: 'minutes', minutes: 15 } },
  { value: '60', label: '1 hour', since: { kind: 'minutes', minutes: 60 } },
  { value: 'today', label: 'today', since: { kind: 'today' } },
  { value: 'typed', label: 'a moment…', since: { kind: 'typed', text: '' } },
]

/** @returns null for what is no moment, or is still to come. `nowMs` is in milliseconds */
export function readSince(since: Since, nowMs: number): number | null {
  switch (since.kind) {
    case 'minutes':
      return (nowMs - since.minutes * 60_000) * 1000
    case 'today':
      return new Date(nowMs).setHours(0, 0, 0, 0) * 1000
    case 'typed': {
      const ms = Date.parse(since.text)
      return Number.isNaN(ms) || ms > nowMs ? null : ms * 1000
    }
  }
}

/** For a field of the kind `datetime-local`: local, to the second. */
export function printLocal(ms: number): string {
  const date = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}
