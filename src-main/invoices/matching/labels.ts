import { invoiceStatuses } from '../../../src-preload/domain/invoice-values.ts'

const units = [
  { name: 'day', ms: 86_400_000, plural: 'days' },
  { name: 'h', ms: 3_600_000, plural: 'h' },
  { name: 'min', ms: 60_000, plural: 'min' },
  { name: 's', ms: 1000, plural: 's' },
] as const

/** Formats the two largest units, such as `6 min`, `2 h 5 min` or `3 days`, rounded down. */
export function duration(ms: number): string {
  const first = units.findIndex((unit) => ms >= unit.ms)
  const [large, small] = [units[first], units[first + 1]]
  if (large === undefined) return 'less than a second'
  const whole = Math.floor(ms / large.ms)
  const rest = small === undefined || whole >= 10 ? 0 : Math.floor((ms % large.ms) / small.ms)
  const words = (n: number, unit: (typeof units)[number]) =>
    `${n} ${n === 1 ? unit.name : unit.plural}`
  return rest === 0 || small === undefined
    ? words(whole, large)
    : `${words(whole, large)} ${words(rest, small)}`
}

export const formatStatus = (status: string): string =>
  invoiceStatuses.some((each) => each === status) ? status : `“${status}”`
