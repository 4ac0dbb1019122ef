import { type ReactNode, lazy, Suspense, useDeferredValue, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import table from '../../ui/table.module.css'
import text from '../../ui/text.module.css'
import { type Series, gapsOf, isDrawn, noReading, printPoint } from './series.ts'
import { Swatch } from './swatch.tsx'
import type { TimeChartProps } from './time-chart.tsx'
import styles from './chart.module.css'

// The chart library is larger than the rest of the window: it does not hold up the first page.
const TimeChart = lazy(async () => {
  const { TimeChart: chart } = await import('./time-chart.tsx')
  return { default: chart }
})

/** One chart with its name, its unit and a legend; a button shows the same figures as a table. */
export function TimeChartPanel({
  title,
  unit,
  note,
  heading,
  actions,
  column,
  low,
  ...chart
}: ChartHead & {
  note?: ReactNode
  /** What its steps are, above the first column of its table. */
  column?: string | undefined
} & TimeChartProps) {
  // Drawing may wait for what the person does.
  const shown = useDeferredValue(chart)
  const { points, series, absent } = chart
  return (
    <ChartFrame
      {...{ title, unit, note, heading, actions, low }}
      legend={
        <Legend
          series={series}
          absent={gapsOf(points, series).length > 0 ? (absent ?? noReading) : undefined}
        />
      }
      table={<Figures title={title} column={column} {...chart} />}
    >
      <Suspense
        fallback={<Skeleton rows={5} className={styles['chart']} label="Loading the chart" />}
      >
        <TimeChart {...shown} />
      </Suspense>
    </ChartFrame>
  )
}

export type ChartHead = {
  readonly title: string
  /** What one bar stands for: "per day". */
  readonly unit: string
  /** In place of the title, where another chart can be chosen by it. */
  readonly heading?: ReactNode
  /** Beside the button of its table. */
  readonly actions?: ReactNode
  /** Above a list, to which it leaves more room. */
  readonly low?: boolean | undefined
}

/** A picture over time, or its table. */
export function ChartFrame({
  title,
  unit,
  heading,
  actions,
  low = false,
  note,
  legend,
  table: asTable,
  children,
}: ChartHead & {
  /** What has to be known to read it. */
  note?: ReactNode
  legend: ReactNode
  table: ReactNode
  children: ReactNode
}) {
  const id = useId()
  const [showsTable, setShowsTable] = useState(false)
  return (
    <section className={classes(styles['panel'], low && styles['low'])} aria-labelledby={id}>
      <div className={styles['head']}>
        <h3 id={id} className={classes(heading !== undefined && text['hidden'])}>
          {title}
        </h3>
        {heading}
        <span className={styles['actions']}>
          {actions}
          <Button
            kind="quiet"
            aria-label={`${title} as a ${showsTable ? 'chart' : 'table'}`}
            onClick={() => setShowsTable(!showsTable)}
          >
            {showsTable ? 'Chart' : 'Table'}
          </Button>
        </span>
        <span className={styles['unit']} title={unit}>
          {unit}
        </span>
        {legend}
      </div>
      {showsTable ? asTable : children}
      {note !== undefined && <p className={styles['note']}>{note}</p>}
    </section>
  )
}

function Legend({
  series,
  absent,
}: {
  series: readonly Series[]
  /** What gaps are, where there are any. */
  absent?: string | undefined
}) {
  return (
    <span className={styles['legends']}>
      {series
        .filter((each) => isDrawn(each) && each.before === undefined)
        .map((each) => (
          <span key={each.key} className={styles['legend']}>
            <Swatch series={each} />
            {each.name}
          </span>
        ))}
      {series.some(({ before, shown }) => before !== undefined && shown === 'ghost') && (
        <span className={styles['legend']}>
          <Swatch series={{ key: 'before', name: 'before', colour: 7, shown: 'ghost' }} />
          before
        </span>
      )}
      {absent !== undefined && (
        <span className={styles['legend']}>
          <span className={classes(styles['swatch'], styles['noReading'])} />
          {absent}
        </span>
      )}
    </span>
  )
}

function Figures({
  title,
  column,
  points,
  series,
  axis,
  measure,
  absent,
  hrefOf,
}: { title: string; column?: string | undefined } & TimeChartProps) {
  // The newest is looked for first; buckets have an order of their own.
  const isTime = column === undefined
  return (
    <TableBox title={title}>
      <thead>
        <tr>
          <th scope="col">{column ?? 'When'}</th>
          {series.map(({ key, name }) => (
            <th key={key} scope="col" className={table['number']}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(isTime ? points.toReversed() : points).map((point) => (
          <tr key={point.startsAt}>
            <td>{axis.step(point.startsAt)}</td>
            {series.map(({ key }) => {
              const href = (point.values[key] ?? 0) > 0 ? hrefOf?.(point, key) : null
              const figure = printPoint(measure, point, key, absent)
              return (
                <td key={key} className={table['number']}>
                  {href ? <a href={href}>{figure}</a> : figure}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </TableBox>
  )
}

/** A table as high as the chart it stands for. */
export function TableBox({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div
      className={styles['tableBox']}
      tabIndex={0}
      role="region"
      aria-label={`${title}, as a table`}
    >
      <table className={classes(table['table'], table['sticky'])}>{children}</table>
    </div>
  )
}
