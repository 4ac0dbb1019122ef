import { formatDuration, formatNumber, fromMs } from '../../ui/format.ts'

export type Series = {
  readonly key: string
  readonly name: string
  /** The number of a `--series` color. */
  readonly colour: 1 | 2 | 3 | 4 | 5 | 6 | 7
  /** `ghost`: a dashed line behind the others, such as the previous period. `table`: only in the table. */
  readonly shown?: 'ghost' | 'table'
  /**
   * The bars of one stack are on top of each other, and stacks are next to each other; if absent,
   * all bars form one stack.
   */
  readonly stack?: string
  /** The key whose values of the previous period this series shows; the tooltip shows both together. */
  readonly before?: string
}

export const isDrawn = ({ shown }: Series) => shown !== 'table'
/** A solid series is drawn as a part of the step itself. */
export const isSolid = ({ shown }: Series) => shown === undefined

/** One step of a chart. Null means no data, which differs from zero. */
export type Point = {
  /** The time in microseconds, or the number of a bucket. */
  readonly startsAt: number
  /** Known where steps were joined. */
  readonly endsAt?: number
  readonly values: Readonly<Record<string, number | null>>
  /** Exact numbers, because a float is only good enough for a height. */
  readonly texts?: Readonly<Record<string, string>>
}

/** Defines how numbers are formatted, and which of them are on the axis. */
export type Measure = {
  readonly print: (value: number) => string
  /** Returns null to let the chart choose. */
  readonly ticks: (limit: number) => readonly number[] | null
}

/** Returns a few round numbers from 0 that cover the largest value and are at least `least` apart. */
export function roundTicks(limit: number, least = 1): number[] {
  const wanted = Math.max(least, limit / 4)
  const size = 10 ** Math.floor(Math.log10(wanted))
  const step = [size, 2 * size, 5 * size].find((each) => each >= wanted) ?? 10 * size
  const steps = Math.max(1, Math.ceil(limit / step))
  return Array.from({ length: steps + 1 }, (_, index) => index * step)
}

export const count: Measure = { print: formatNumber, ticks: (limit) => roundTicks(limit) }

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

/** Measures time spans in milliseconds. */
export const duration: Measure = {
  print: (value) => (value === 0 ? '0 s' : formatDuration(fromMs(value))),
  ticks: (limit) => {
    const step = roundSpans.find((each) => limit <= each * 4) ?? Math.ceil(limit / 4)
    const count = Math.max(1, Math.ceil(limit / step))
    return Array.from({ length: count + 1 }, (_, index) => index * step)
  },
}

export const noValue = 'no data'

export function formatValue(
  measure: Measure,
  value: number | null | undefined,
  absent = noValue,
): string {
  return value === null || value === undefined ? absent : measure.print(value)
}

/** Formats a number of a point, exactly if its exact text is known. */
export const formatPoint = (measure: Measure, point: Point, key: string, absent?: string): string =>
  point.texts?.[key] ?? formatValue(measure, point.values[key], absent)

/** Returns the series of each stack, in the order of the series. */
export const stacksOf = (series: readonly Series[]): Series[][] => [
  ...Map.groupBy(series, ({ stack = '' }) => stack).values(),
]

/** Returns the largest value, with stacked values added up. */
export function maxOf(points: readonly Point[], series: readonly Series[], isStacked: boolean) {
  const solid = series.filter(isSolid)
  const stacks = isStacked ? stacksOf(solid) : solid.map((each) => [each])
  const all = [...stacks, ...series.filter(({ shown }) => shown === 'ghost').map((each) => [each])]
  const sizes = points.flatMap(({ values }) =>
    all.map((stack) => stack.reduce((sum, { key }) => sum + (values[key] ?? 0), 0)),
  )
  return Math.max(0, ...sizes)
}

/** The share of a step's width that its bars leave free. */
export const barGap = 0.22

/** True if a point has no data before and after it, so that a line would not show it. */
export function isSinglePoint(points: readonly Point[], index: number, key: string): boolean {
  const at = (each: number) => points[each]?.values[key] ?? null
  return at(index) !== null && at(index - 1) === null && at(index + 1) === null
}
