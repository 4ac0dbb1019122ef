import { type SVGProps, memo, useMemo, useState } from 'react'
import {
  Bar,
  type BarShapeProps,
  CartesianGrid,
  ComposedChart,
  Line,
  type LineProps,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import {
  type Measure,
  type Point,
  type Series,
  barGap,
  isDrawn,
  isSolid,
  maxOf,
  noValue,
  formatPoint,
  isSinglePoint,
} from './series.ts'
import { type ChartKind, filledOf, maxBarWidth, planChart, stackGap } from './plan.ts'
import { Swatch } from './swatch.tsx'
import { describeStep, type TimeAxis } from './time-axis.ts'
import { Row, Text } from '../../ui/layout.tsx'
import surface from '../../ui/surface.module.css'
import { classes } from '../../ui/classes.ts'
import { trimZeros } from '../../ui/format.ts'
import styles from './chart.module.css'

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
  /** The user did not choose the range: the chart leaves out its empty beginning. */
  fits?: boolean
  /** Returns the link for a number of a point, which a press on it and its cell in the table open. */
  hrefOf?: ((point: Point, series: string) => string | null) | undefined
}

/** Besides the plot: the axis of values and the right margin. */
const axisWidth = 52
const marginRight = 12

/**
 * Series over time, or over buckets: stacked bars, lines, or a few points with their values. Exact
 * figures are in the tooltip.
 */
export const TimeChart = memo(function TimeChart({
  name,
  kind,
  points: given,
  series: all,
  axis: givenAxis,
  measure,
  absent = noValue,
  running: runningStep,
  fits = false,
  hrefOf,
}: TimeChartProps) {
  const [width, setWidth] = useState(Infinity)
  const { length = null, ofSteps } = givenAxis
  const { points, step, form } = useMemo(
    () => planChart(given, all, { kind, width, step: length, fits }),
    [given, all, kind, width, length, fits],
  )
  const axis = useMemo(() => {
    if (ofSteps === undefined || points === given) return givenAxis
    return ofSteps(
      points.map(({ startsAt }) => startsAt),
      step ?? 0,
    )
  }, [points, given, step, ofSteps, givenAxis])
  // The step that has not ended is the last one, also where steps were joined.
  const running = runningStep === undefined ? undefined : points.at(-1)?.startsAt
  const series = all.filter(isDrawn)
  const solid = series.filter(isSolid)
  const yTicks = measure.ticks(maxOf(points, series, form === 'bars'))
  return (
    <div className={styles['chart']}>
      <ResponsiveContainer
        width="100%"
        height="100%"
        onResize={(whole) => setWidth(whole - axisWidth - marginRight)}
      >
        <ComposedChart
          data={[...points]}
          margin={{ top: form === 'points' ? 20 : 6, right: marginRight, bottom: 0, left: 0 }}
          barCategoryGap={`${barGap * 50}%`}
          barGap={stackGap}
          title={name}
          // The values of points are links.
          role={form === 'points' ? 'group' : 'img'}
          aria-label={name}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
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
            width={axisWidth}
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
              form === 'bars' ? { fill: 'var(--bg-hover)' } : { stroke: 'var(--line-strong)' }
            }
            content={({ active, label }) => {
              const point = points.find(({ startsAt }) => startsAt === label)
              if (!active || point === undefined) return null
              return (
                <div className={classes(surface['raised'], styles['tooltip'])}>
                  <b>{describeStep(axis, point.startsAt, running)}</b>
                  {all
                    .filter(({ before }) => before === undefined)
                    .map((each) => {
                      const former = all.find(({ before }) => before === each.key)
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
                  {hrefOf !== undefined && form === 'bars' && (
                    <Text size="xs" tone="faint">
                      Click a bar to list its items
                    </Text>
                  )}
                </div>
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
          {form === 'bars' && drawBars(solid, running, hrefOf)}
          {form === 'lines' && drawLines(solid, points, running)}
          {form === 'points' &&
            drawPoints(solid, { points, measure, running, hrefOf, kind, width })}
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  )
})

/** Failures are rare, so a bar above zero is always visible. */
const leastBarHeight = 2

function drawBars(
  series: readonly Series[],
  running: number | undefined,
  hrefOf: TimeChartProps['hrefOf'],
) {
  return series.map(({ key, colour, stack = 'all' }) => (
    <Bar
      key={key}
      dataKey={(point: Point) => point.values[key] ?? null}
      name={key}
      stackId={stack}
      fill={`var(--series-${colour})`}
      maxBarSize={maxBarWidth}
      shape={({ x, y, width, height, fill, payload }: BarShapeProps) => {
        const point = payload as Point | undefined
        if (point === undefined || (point.values[key] ?? 0) === 0) return <g />
        const href = hrefOf?.(point, key) ?? null
        const shown = Math.max(height, leastBarHeight)
        const isRunning = point.startsAt === running
        return (
          <rect
            x={x}
            y={y + height - shown}
            width={width}
            height={shown}
            fill={fill}
            {...(href !== null && {
              className: styles['press'],
              onClick: () => (window.location.hash = href),
            })}
            {...(isRunning && { fillOpacity: 0.35, stroke: fill, strokeDasharray: '3 2' })}
          />
        )
      }}
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
    const dot = ({ cx, cy, stroke, index = -1 }: DotProps) => {
      // Recharts draws a dot for each point, even for points without a height.
      if (typeof cy !== 'number' || !isSinglePoint(points, index, each.key))
        return <g key={index} />
      return <circle key={index} cx={cx} cy={cy} r={2} fill={stroke} />
    }
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

type Points = Pick<TimeChartProps, 'points' | 'measure' | 'running' | 'hrefOf' | 'kind'> & {
  readonly width: number
}

/** Between the points of two series in the same step, where it has the room; in pixels. */
const maxBeside = 44

/** Points with their values; values of one step stand beside each other. */
function drawPoints(
  series: readonly Series[],
  { points, kind, width, measure, running, hrefOf }: Points,
) {
  const filled = series.filter((each) => filledOf(points, [each], kind).length > 0)
  const beside = Math.min(maxBeside, width / points.length / filled.length)
  return filled.map((each, index) => (
    <Line
      key={each.key}
      dataKey={(point: Point) =>
        filledOf([point], [each], kind).length > 0 ? (point.values[each.key] ?? null) : null
      }
      name={each.key}
      stroke={`var(--series-${each.colour})`}
      strokeWidth={0}
      activeDot={false}
      isAnimationActive={false}
      dot={({ cx, cy, stroke, index: at = -1 }: DotProps) => {
        const point = points[at]
        if (typeof cy !== 'number' || point === undefined) return <g key={at} />
        const x = Number(cx) + (index - (filled.length - 1) / 2) * beside
        const value = trimZeros(formatPoint(measure, point, each.key))
        const href = hrefOf?.(point, each.key) ?? null
        const label = (
          <text x={x} y={cy - 8} textAnchor="middle">
            {value}
          </text>
        )
        return (
          <g key={at}>
            <circle
              cx={x}
              cy={cy}
              r={4}
              fill={stroke}
              {...(point.startsAt === running && {
                fillOpacity: 0.35,
                stroke,
                strokeDasharray: '3 2',
              })}
            />
            {href === null ? (
              label
            ) : (
              <a href={href} aria-label={`${value} ${each.name}`}>
                {label}
              </a>
            )}
          </g>
        )
      }}
    />
  ))
}

type DotProps = Pick<SVGProps<SVGCircleElement>, 'cx' | 'cy' | 'stroke'> & { index?: number }
