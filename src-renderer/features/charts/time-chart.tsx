import type { SVGProps } from 'react'
import { memo, useId } from 'react'
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { classes } from '../../ui/classes.ts'
import type { Measure, Point, Series } from './series.ts'
import { gapsOf, mostOf, printValue, standsAlone } from './series.ts'
import type { TimeAxis } from './time-axis.ts'
import styles from './chart.module.css'

export type ChartKind = 'bars' | 'lines'

export type TimeChartProps = {
  /** What it shows, in a sentence, for those who do not see it. */
  name: string
  kind: ChartKind
  points: readonly Point[]
  series: readonly Series[]
  axis: TimeAxis
  measure: Measure
}

/**
 * Series over time: stacked bars, or lines. Times of which nothing is known are hatched. Exact
 * figures are in the tooltip.
 */
export const TimeChart = memo(function TimeChart({
  name,
  kind,
  points,
  series,
  axis,
  measure,
}: TimeChartProps) {
  const id = useId()
  const yTicks = measure.ticks(mostOf(points, series, kind === 'bars'))
  return (
    <div className={styles['chart']}>
      <ResponsiveContainer width="100%" height="100%">
        <ComposedChart
          data={[...points]}
          margin={{ top: 6, right: 4, bottom: 0, left: 0 }}
          barCategoryGap="22%"
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
              return <Figures title={axis.step(point.startsAt)} {...{ point, series, measure }} />
            }}
          />
          {kind === 'bars'
            ? series.map(({ key, colour }) => (
                <Bar
                  key={key}
                  dataKey={(point: Point) => point.values[key] ?? null}
                  name={key}
                  stackId="all"
                  fill={`var(--series-${colour})`}
                  isAnimationActive={false}
                />
              ))
            : series.map(({ key, colour }) => (
                <Line
                  key={key}
                  dataKey={(point: Point) => point.values[key] ?? null}
                  name={key}
                  type="linear"
                  stroke={`var(--series-${colour})`}
                  strokeWidth={1.6}
                  dot={(dot: DotProps) => <LoneDot points={points} series={key} dot={dot} />}
                  isAnimationActive={false}
                />
              ))}
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  )
})

type DotProps = Pick<SVGProps<SVGCircleElement>, 'cx' | 'cy' | 'stroke'> & {
  index?: number
}

function LoneDot({
  points,
  series,
  dot: { cx, cy, stroke, index = -1 },
}: {
  points: readonly Point[]
  series: string
  dot: DotProps
}) {
  if (!standsAlone(points, index, series)) return <g />
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

function Figures({
  title,
  point,
  series,
  measure,
}: {
  title: string
  point: Point
  series: readonly Series[]
  measure: Measure
}) {
  return (
    <div className={styles['tooltip']}>
      <b>{title}</b>
      {series.map(({ key, name, colour }) => (
        <span key={key} className={styles['figure']}>
          <span className={classes(styles['swatch'], styles[`series${colour}`])} />
          {name} {printValue(measure, point.values[key])}
        </span>
      ))}
    </div>
  )
}
