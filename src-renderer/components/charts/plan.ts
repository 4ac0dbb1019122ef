/** Decides what a chart shows: its range, its interval and its form. */
import { displayOffset } from '../../ui/format.ts'
import { type Point, type Series, barGap, isSolid, stacksOf } from './series.ts'

export const minute = 60e6
export const hour = 60 * minute
export const day = 24 * hour

/** A span of time that ends now, and how a chart divides it. */
export type Range<Name extends string = string> = {
  readonly name: Name
  readonly label: string
  /** Width of one bar, in microseconds. */
  readonly step: number
  readonly buckets: number
}

/**
 * From and to of a range that ends now, on whole steps of local time, so that a bar is a whole
 * minute or a whole day here. `offsetUs` is how far local time is ahead of UTC.
 */
export function boundsOf(
  { step, buckets }: Pick<Range, 'step' | 'buckets'>,
  now: number,
  offsetUs: number,
): { from: number; to: number } {
  const to = Math.floor((now + offsetUs) / step) * step - offsetUs + step
  return { from: to - step * buckets, to }
}

/** In pixels. */
const minBarWidth = 6
export const maxBarWidth = 40
/** Between the stacks of one step. */
export const stackGap = 2
/** Fewer values are drawn as points with their numbers. */
export const minBars = 5
/** An empty beginning is cut off, but so much time stays that the values have a past. */
const minSteps = 6

/** As many steps are joined as make round times of minutes, hours and days. */
const multiples = [1, 2, 3, 6, 12, 24, 48, 96, 240, 720] as const

export type ChartKind = 'bars' | 'lines'

type Plan = {
  readonly points: readonly Point[]
  /** Length of a step, in microseconds; null where the steps are those of the data. */
  readonly step: number | null
  readonly form: ChartKind | 'points'
}

/** Points of which a series has something to draw: of bars a size, of lines a value. */
export function filledOf(
  points: readonly Point[],
  series: readonly Series[],
  kind: ChartKind,
): readonly Point[] {
  const isFilled = (value: number | null) => (kind === 'bars' ? (value ?? 0) > 0 : value !== null)
  return points.filter(({ values }) =>
    series.some(({ key, shown }) => shown !== 'table' && isFilled(values[key] ?? null)),
  )
}

/**
 * @param options.width of the plot, in pixels
 * @param options.step length of the given steps, in microseconds; null where steps cannot be joined
 * @param options.fits the range is the chart's own choice: its empty beginning is left out
 */
export function planChart(
  all: readonly Point[],
  series: readonly Series[],
  options: {
    readonly kind: ChartKind
    readonly width: number
    readonly step: number | null
    readonly fits: boolean
  },
): Plan {
  const { kind, width, step, fits } = options
  const first = all.indexOf(filledOf(all, series, kind)[0] ?? (all[0] as Point))
  const start = fits ? Math.max(0, Math.min(first, all.length - minSteps)) : 0
  const shown = start === 0 ? all : all.slice(start)
  const beside = stacksOf(series.filter(isSolid)).length
  const least = minBarWidth * beside + stackGap * (beside - 1)
  const most = Math.max(1, Math.floor((width * (1 - barGap)) / least))
  const plan = multiples
    .map((count) => ({
      points: count === 1 || step === null ? shown : joinSteps(shown, step * count),
      step: step && step * count,
    }))
    .find(({ points }) => kind === 'lines' || step === null || points.length <= most)
  const { points, step: length } = plan ?? { points: shown, step }
  const isSparse = filledOf(points, series, kind).length < minBars
  return { points, step: length, form: isSparse ? 'points' : kind }
}

/** Steps added up in longer ones, which begin at whole multiples of local time. */
function joinSteps(points: readonly Point[], step: number): Point[] {
  const groups = Map.groupBy(points, ({ startsAt }) =>
    Math.floor((startsAt + displayOffset(startsAt)) / step),
  )
  return [...groups.values()].map((group): Point => {
    const values: Record<string, number | null> = {}
    for (const each of group) {
      for (const [key, value] of Object.entries(each.values)) {
        const sum = values[key] ?? null
        values[key] = value === null ? sum : (sum ?? 0) + value
      }
    }
    return { startsAt: group[0]?.startsAt ?? 0, endsAt: (group[0]?.startsAt ?? 0) + step, values }
  })
}
