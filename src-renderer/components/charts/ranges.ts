export const minute = 60e6
export const hour = 60 * minute
export const day = 24 * hour

/** A time span that ends now, and how a chart divides it. */
export type Range<Name extends string = string> = {
  readonly name: Name
  readonly label: string
  /** Width of one bar in microseconds. */
  readonly step: number
  readonly buckets: number
  /** The distance of two labels on the axis, in microseconds; a multiple of the steps. */
  readonly tickStep: number
  /** The period of one bar, which is the chart's unit. */
  readonly unit: string
}

export function findRange<Name extends string>(
  ranges: readonly Range<Name>[],
  name: Name,
): Range<Name> {
  const range = ranges.find((each) => each.name === name)
  if (range === undefined) throw new Error(`no range ${name}`)
  return range
}

/**
 * The bounds of a range that ends now, on whole steps of local time, so that a bar is a whole local
 * minute or day. `offsetUs` is how far local time is ahead of UTC.
 */
export function boundsOf(
  range: Range,
  now: number,
  offsetUs: number,
): { from: number; to: number } {
  const to = Math.floor((now + offsetUs) / range.step) * range.step - offsetUs + range.step
  return { from: to - range.step * range.buckets, to }
}
