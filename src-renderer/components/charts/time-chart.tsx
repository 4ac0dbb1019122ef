import { type MouseEvent, type SVGProps, memo, useId } from 'react'
import {
  Bar,
  type BarShapeProps,
  CartesianGrid,
  ComposedChart,
  DefaultZIndexes,
  Line,
  type LineProps,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
  ZIndexLayer,
  usePlotArea,
  useYAxisInverseScale,
} from 'recharts'
import {
  type Measure,
  type Point,
  type Series,
  barGap,
  gapsOf,
  isDrawn,
  isSolid,
  maxOf,
  noValue,
  formatPoint,
  seriesAt,
  standsAlone,
} from './series.ts'
import { Swatch } from './swatch.tsx'
import { describeStep, type TimeAxis } from './time-axis.ts'
import { Row, Text } from '../../ui/layout.tsx'
import surface from '../../ui/surface.module.css'
import { classes } from '../../ui/classes.ts'
import styles from './chart.module.css'

export type ChartKind = 'bars' | 'lines'

export type TimeChartProps = {
  /** A sentence that describes the chart for screen readers. */
  name: string
  kind: ChartKind
  points: readonly Point[]
  series: readonly Series[]
  axis: TimeAxis
  measure: Measure
  /** The text for missing data; `no data` by default. */
  absent?: string
  /** The beginning of the step that has not ended yet, which is drawn dashed. */
  running?: number | undefined
  /** Returns the link for a number of a point, which a press on it and its cell in the table open. */
  hrefOf?: ((point: Point, series: string) => string | null) | undefined
}

/**
 * Shows series over time or over buckets as stacked bars or lines. Steps without data are hatched.
 * Tooltips have exact numbers.
 */
export const TimeChart = memo(function TimeChart({
  name,
  kind,
  points,
  series: all,
  axis,
  measure,
  absent = noValue,
  running,
  hrefOf,
}: TimeChartProps) {
  const id = useId()
  const series = all.filter(isDrawn)
  const solid = series.filter(isSolid)
  const yTicks = measure.ticks(maxOf(points, series, kind === 'bars'))
  return (
    <div className={styles['chart']}>
      <ResponsiveContainer width="100%" height="100%">
        <ComposedChart
          data={[...points]}
          margin={{ top: 6, right: 12, bottom: 0, left: 0 }}
          barCategoryGap={`${barGap * 100}%`}
          title={name}
          role="img"
          aria-label={name}
        >
          <Hatch id={id} />
          <CartesianGrid vertical={false} stroke="var(--line)" />
          {gapsOf(points, series).map(({ from, to }) => (
            <ReferenceArea key={from} x1={from} x2={to} fill={`url(#${id})`} fillOpacity={1} />
          ))}
          <XAxis
            dataKey="startsAt"
            scale="band"
            tickFormatter={axis.tick}
            tickLine={false}
            axisLine={{ stroke: 'var(--line)' }}
            ticks={[...axis.ticks]}
            interval={0}
          />
          <YAxis
            width={52}
            tickLine={false}
            axisLine={false}
            allowDecimals={false}
            tickFormatter={measure.print}
            {...(yTicks === null
              ? { tickCount: 4 }
              : { ticks: [...yTicks], domain: [0, yTicks.at(-1) ?? 0] })}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={
              kind === 'bars' ? { fill: 'var(--bg-hover)' } : { stroke: 'var(--line-strong)' }
            }
            content={({ active, label }) => {
              const point = points.find(({ startsAt }) => startsAt === label)
              if (!active || point === undefined) return null
              return (
                <ChartStats
                  title={describeStep(axis, point.startsAt, running)}
                  point={point}
                  series={all}
                  measure={measure}
                  absent={absent}
                  leads={hrefOf !== undefined}
                />
              )
            }}
          />
          {series
            .filter((each) => !isSolid(each))
            .map((each) => (
              <SeriesLine
                key={each.key}
                series={each}
                strokeOpacity={0.75}
                strokeWidth={1.2}
                strokeDasharray="3 4"
                activeDot={false}
              />
            ))}
          {kind === 'bars' ? drawBars(solid, running) : drawLines(solid, points, running)}
          {hrefOf !== undefined && (
            <PressArea points={points} series={solid} isStacked={kind === 'bars'} hrefOf={hrefOf} />
          )}
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  )
})

function drawBars(series: readonly Series[], running: number | undefined) {
  return series.map(({ key, colour, stack = 'all' }) => (
    <Bar
      key={key}
      dataKey={(point: Point) => point.values[key] ?? null}
      name={key}
      stackId={stack}
      fill={`var(--series-${colour})`}
      shape={(bar: BarShapeProps) => <BarShape bar={bar} series={key} running={running} />}
      isAnimationActive={false}
    />
  ))
}

/** The line to the step that has not ended is dashed. */
function drawLines(
  series: readonly Series[],
  points: readonly Point[],
  running: number | undefined,
) {
  const last = points[points.findIndex(({ startsAt }) => startsAt === running) - 1]?.startsAt
  return series.flatMap((each) => {
    const dot = (place: DotProps) => <LoneDot points={points} series={each.key} dot={place} />
    return [
      <SeriesLine
        key={each.key}
        series={each}
        isShown={({ startsAt }) => startsAt !== running}
        dot={dot}
      />,
      running !== undefined && (
        <SeriesLine
          key={`${each.key}-running`}
          series={each}
          isShown={({ startsAt }) => startsAt === running || startsAt === last}
          dot={dot}
          strokeDasharray="3 3"
          activeDot={false}
        />
      ),
    ]
  })
}

function SeriesLine({
  series: { key, colour },
  isShown = () => true,
  ...look
}: {
  series: Series
  isShown?: (point: Point) => boolean
} & Pick<LineProps, 'strokeOpacity' | 'strokeWidth' | 'strokeDasharray' | 'dot' | 'activeDot'>) {
  return (
    <Line
      dataKey={(point: Point) => (isShown(point) ? (point.values[key] ?? null) : null)}
      name={key}
      type="linear"
      stroke={`var(--series-${colour})`}
      strokeWidth={1.6}
      dot={false}
      isAnimationActive={false}
      {...look}
    />
  )
}

/** Covers the whole chart: the position of a press determines the series, however thin a bar is. */
function PressArea({
  points,
  series,
  isStacked,
  hrefOf,
}: {
  points: readonly Point[]
  series: readonly Series[]
  isStacked: boolean
  hrefOf: (point: Point, series: string) => string | null
}) {
  const plot = usePlotArea()
  const valueAt = useYAxisInverseScale()
  if (plot === undefined || points.length === 0) return null
  const press = (event: MouseEvent<SVGRectElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const steps = ((event.clientX - box.left) / box.width) * points.length
    const at = Math.min(points.length - 1, Math.max(0, Math.floor(steps)))
    const point = points[at]
    const height = Number(valueAt?.(plot.y + event.clientY - box.top) ?? 0)
    if (point === undefined) return
    const key = seriesAt(point, series, isStacked, height, steps - at)
    const href = key === null ? null : hrefOf(point, key)
    if (href !== null) window.location.hash = href
  }
  return (
    <ZIndexLayer zIndex={DefaultZIndexes.label}>
      <rect {...plot} fill="transparent" className={styles['press']} data-press onClick={press} />
    </ZIndexLayer>
  )
}

/** Failures are rare, so a bar above zero is always visible. */
const leastBarHeight = 2

function BarShape({
  bar: { x, y, width, height, fill, payload },
  series,
  running,
}: {
  bar: BarShapeProps
  series: string
  running: number | undefined
}) {
  const point = payload as Point | undefined
  if ((point?.values[series] ?? 0) === 0) return <g />
  const shown = Math.max(height, leastBarHeight)
  const isRunning = point?.startsAt === running
  return (
    <rect
      x={x}
      y={y + height - shown}
      width={width}
      height={shown}
      fill={fill}
      {...(isRunning && { fillOpacity: 0.35, stroke: fill, strokeDasharray: '3 2' })}
    />
  )
}

type DotProps = Pick<SVGProps<SVGCircleElement>, 'cx' | 'cy' | 'stroke'> & { index?: number }

function LoneDot({
  points,
  series,
  dot: { cx, cy, stroke, index = -1 },
}: {
  points: readonly Point[]
  series: string
  dot: DotProps
}) {
  // Recharts draws a dot for each point, even for points without a height.
  if (typeof cy !== 'number' || !standsAlone(points, index, series)) return <g />
  return <circle cx={cx} cy={cy} r={2} fill={stroke} />
}

function Hatch({ id }: { id: string }) {
  return (
    <defs>
      <pattern
        id={id}
        width="5"
        height="5"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <path d="M0 0V5" stroke="var(--line)" strokeWidth="2" />
      </pattern>
    </defs>
  )
}

function ChartStats({
  title,
  point,
  series,
  measure,
  absent,
  leads,
}: {
  title: string
  point: Point
  series: readonly Series[]
  measure: Measure
  absent: string
  leads: boolean
}) {
  return (
    <div className={classes(surface['raised'], styles['tooltip'])}>
      <b>{title}</b>
      {series
        .filter(({ before }) => before === undefined)
        .map((each) => {
          const former = series.find(({ before }) => before === each.key)
          return (
            <Row as="span" key={each.key} gap="s">
              <Swatch series={each} />
              {each.name} {formatPoint(measure, point, each.key, absent)}
              {former !== undefined && (
                <Text size="xs" tone="faint">
                  previous period {formatPoint(measure, point, former.key, absent)}
                </Text>
              )}
            </Row>
          )
        })}
      {leads && (
        <Text size="xs" tone="faint">
          Click a bar or line to list its items
        </Text>
      )}
    </div>
  )
}
