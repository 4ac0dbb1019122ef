import { formatDuration, formatNumber, fromMs } from '../../format.ts'

export type Series = {
  readonly key: string
  readonly name: string
  /** One of the `--series` colours. */
  readonly colour: 1 | 2 | 3 | 4 | 5 | 6 | 7
}

/** One step of a chart. Null: nothing is known of it, which is not the same as zero. */
export type Point = {
  /** In microseconds. */
  readonly startsAt: number
  readonly values: Readonly<Record<string, number | null>>
}

/** How figures are written, and which of them stand beside the axis. */
export type Measure = {
  readonly print: (value: number) => string
  /** Null leaves it to the chart. */
  readonly ticks: (most: number) => readonly number[] | null
}

export const count: Measure = { print: formatNumber, ticks: () => null }

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const roundSpans = [
  ...[1, 2, 5, 10, 15, 30].map((each) => each * second),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * minute),
  ...[1, 2, 3, 6, 12].map((each) => each * hour),
  ...[1, 2, 5, 10, 30, 100].map((each) => each * day),
]

/** Spans of time in milliseconds. */
export const duration: Measure = {
  print: (value) => (value === 0 ? '0 s' : formatDuration(fromMs(value))),
  ticks: (most) => {
    const step = roundSpans.find((each) => most <= each * 4) ?? Math.ceil(most / 4)
    const count = Math.max(1, Math.ceil(most / step))
    return Array.from({ length: count + 1 }, (_, index) => index * step)
  },
}

export function printValue(measure: Measure, value: number | null | undefined): string {
  return value === null || value === undefined ? 'no reading' : measure.print(value)
}

/** The largest value there is, stacked ones together. */
export function mostOf(points: readonly Point[], series: readonly Series[], isStacked: boolean) {
  const sizes = points.map(({ values }) => {
    const each = series.map(({ key }) => values[key] ?? 0)
    return isStacked ? each.reduce((sum, value) => sum + value, 0) : Math.max(...each)
  })
  return Math.max(0, ...sizes)
}

export type Gap = { readonly from: number; readonly to: number }

/** Runs of steps of which no series knows anything, by their first and last beginning. */
export function gapsOf(points: readonly Point[], series: readonly Series[]): Gap[] {
  const gaps: { from: number; to: number }[] = []
  let isOpen = false
  for (const { startsAt, values } of points) {
    const isGap = series.every(({ key }) => (values[key] ?? null) === null)
    const last = gaps.at(-1)
    if (isGap && isOpen && last !== undefined) last.to = startsAt
    else if (isGap) gaps.push({ from: startsAt, to: startsAt })
    isOpen = isGap
  }
  return gaps
}

/** Nothing is known before nor after it: a line would not show it. */
export function standsAlone(points: readonly Point[], index: number, key: string): boolean {
  const at = (each: number) => points[each]?.values[key] ?? null
  return at(index) !== null && at(index - 1) === null && at(index + 1) === null
}
