import type { ReactNode } from 'react'
import { lazy, Suspense, useDeferredValue, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import table from '../../ui/table.module.css'
import type { Series } from './series.ts'
import { gapsOf, printValue } from './series.ts'
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
  ...chart
}: {
  title: string
  /** What one bar stands for: "per day". */
  unit: string
  note?: ReactNode
} & TimeChartProps) {
  // Drawing may wait for what the person does.
  const shown = useDeferredValue(chart)
  return (
    <ChartFrame
      title={title}
      unit={unit}
      note={note}
      legend={
        <Legend series={chart.series} hasGaps={gapsOf(chart.points, chart.series).length > 0} />
      }
      table={<Figures title={title} {...chart} />}
    >
      <Suspense
        fallback={<Skeleton rows={5} className={styles['chart']} label="Loading the chart" />}
      >
        <TimeChart {...shown} />
      </Suspense>
    </ChartFrame>
  )
}

/** A picture over time, or its table. */
export function ChartFrame({
  title,
  unit,
  note,
  legend,
  table: asTable,
  children,
}: {
  title: string
  unit: string
  /** What has to be known to read it. */
  note?: ReactNode
  legend: ReactNode
  table: ReactNode
  children: ReactNode
}) {
  const id = useId()
  const [showsTable, setShowsTable] = useState(false)
  return (
    <section className={styles['panel']} aria-labelledby={id}>
      <div className={styles['head']}>
        <h3 id={id}>{title}</h3>
        <Button
          kind="quiet"
          aria-label={`${title} as a table`}
          aria-pressed={showsTable}
          onClick={() => setShowsTable(!showsTable)}
        >
          {showsTable ? 'Chart' : 'Table'}
        </Button>
        <span className={styles['unit']}>{unit}</span>
        {legend}
      </div>
      {showsTable ? asTable : children}
      {note !== undefined && <p className={styles['note']}>{note}</p>}
    </section>
  )
}

export function Legend({ series, hasGaps }: { series: readonly Series[]; hasGaps: boolean }) {
  return (
    <span className={styles['legends']}>
      {series.map(({ key, name, colour }) => (
        <span key={key} className={styles['legend']}>
          <span className={classes(styles['swatch'], styles[`series${colour}`])} />
          {name}
        </span>
      ))}
      {hasGaps && (
        <span className={styles['legend']}>
          <span className={classes(styles['swatch'], styles['noReading'])} />
          no reading
        </span>
      )}
    </span>
  )
}

function Figures({ title, points, series, axis, measure }: { title: string } & TimeChartProps) {
  return (
    <TableBox title={title}>
      <thead>
        <tr>
          <th scope="col">When</th>
          {series.map(({ key, name }) => (
            <th key={key} scope="col" className={table['number']}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {points.toReversed().map(({ startsAt, values }) => (
          <tr key={startsAt}>
            <td>{axis.step(startsAt)}</td>
            {series.map(({ key }) => (
              <td key={key} className={table['number']}>
                {printValue(measure, values[key])}
              </td>
            ))}
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
