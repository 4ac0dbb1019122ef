import { type ReactNode, lazy, Suspense, useDeferredValue, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { Select } from '../../ui/form.tsx'
import { Table, column as makeColumn } from '../../ui/table.tsx'
import { textClasses, Hint } from '../../ui/layout.tsx'
import { filledOf, minBars } from './plan.ts'
import { type Point, type Series, isDrawn, formatPoint } from './series.ts'
import { Swatch } from './swatch.tsx'
import { describeStep } from './time-axis.ts'
import type { TimeChartProps } from './time-chart.tsx'
import styles from './chart.module.css'

// The chart library is larger than the rest of the window, so it must not delay the first page.
const TimeChart = lazy(async () => {
  const { TimeChart: chart } = await import('./time-chart.tsx')
  return { default: chart }
})

type TimeChartPanelProps = ChartHead &
  TimeChartProps & {
    note?: ReactNode
    /** The heading of the table's first column, which contains the steps. */
    column?: string | undefined
  }

/**
 * A chart with its name and its unit. Two series get a legend that switches them, and a button shows many
 * values as a table.
 */
export function TimeChartPanel({
  title,
  unit,
  note,
  heading,
  actions,
  column,
  low,
  ...chart
}: TimeChartPanelProps) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const { points, series, kind, axis, measure, absent, running, hrefOf } = chart
  const isHidden = ({ key, before }: Series) => hidden.has(before ?? key)
  const drawn = hidden.size === 0 ? series : series.filter((each) => !isHidden(each))
  const own = series.filter((each) => isDrawn(each) && each.before === undefined)
  const isCompared = series.some(
    ({ before, shown: how }) => before !== undefined && how === 'ghost',
  )
  const listed = own.filter((each) => filledOf(points, [each], kind).length > 0)
  const [only] = listed
  // The user's input takes precedence over drawing.
  const shown = useDeferredValue({ ...chart, series: drawn })
  return (
    <ChartFrame
      title={title}
      unit={unit}
      note={note}
      heading={heading}
      actions={actions}
      low={low}
      legend={
        // The title names the only series of a chart.
        (own.length > 1 || isCompared) && (
          <span className={styles['legends']}>
            {listed.length === 1 && only !== undefined ? (
              <LegendItem of={only} />
            ) : (
              listed.map((each) => (
                <button
                  key={each.key}
                  type="button"
                  className={styles['legend']}
                  aria-pressed={!hidden.has(each.key)}
                  title={hidden.has(each.key) ? `Show ${each.name}` : `Hide ${each.name}`}
                  onClick={() => setHidden(toggled(hidden, each.key))}
                >
                  <Swatch series={each} />
                  {each.name}
                </button>
              ))
            )}
            {isCompared && (
              <LegendItem
                of={{ key: 'before', name: 'previous period', colour: 7, shown: 'ghost' }}
              />
            )}
          </span>
        )
      }
      table={
        filledOf(points, series, kind).length < minBars ? null : (
          <TableBox title={title}>
            <Table<Point>
              label={title}
              // Users look for the newest row first; buckets keep their own order.
              rows={column === undefined ? points.toReversed() : points}
              keyOf={({ startsAt }) => startsAt}
              columns={[
                makeColumn(column ?? 'When', {}, ({ startsAt }) =>
                  describeStep(axis, startsAt, running),
                ),
                ...series.map(({ key, name }) =>
                  makeColumn<Point>(name, { look: 'number' }, (point) => {
                    const href = (point.values[key] ?? 0) > 0 ? hrefOf?.(point, key) : null
                    const figure = formatPoint(measure, point, key, absent)
                    return href ? <a href={href}>{figure}</a> : figure
                  }),
                ),
              ]}
            />
          </TableBox>
        )
      }
    >
      {filledOf(points, series, kind).length === 0 ? (
        <p className={styles['empty']}>
          {points.some(({ values }) => series.some(({ key }) => (values[key] ?? null) !== null))
            ? 'None in this period.'
            : 'No data for this period yet.'}
        </p>
      ) : (
        <Suspense
          fallback={<Skeleton rows={5} className={styles['chart']} label="Loading the chart" />}
        >
          <TimeChart {...shown} />
        </Suspense>
      )}
    </ChartFrame>
  )
}

export type ChartHead = {
  readonly title: string
  /** The period of one bar, such as "per day". */
  readonly unit: string
  /** Replaces the title if another chart can be chosen by it. */
  readonly heading?: ReactNode
  /** Elements next to the button of the table. */
  readonly actions?: ReactNode
  /** True above a list, to leave more space to the list. */
  readonly low?: boolean | undefined
}

/** Shows a chart over time, or its table. */
function ChartFrame({
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
  /** A note that the user needs to understand the chart. */
  note?: ReactNode
  legend: ReactNode
  /** Null where the picture says everything. */
  table: ReactNode
  children: ReactNode
}) {
  const id = useId()
  const [showsTable, setShowsTable] = useState(false)
  const isTable = showsTable && asTable !== null
  return (
    <section
      className={classes(styles['panel'], low && styles['low'], isTable && styles['withTable'])}
      aria-labelledby={id}
    >
      <div className={styles['head']}>
        <h2 id={id} className={textClasses({ hidden: heading !== undefined })}>
          {title}
        </h2>
        {heading}
        <span className={styles['actions']}>
          {actions}
          {asTable !== null && (
            <Button
              kind="quiet"
              aria-label={`Show ${title} as a ${isTable ? 'chart' : 'table'}`}
              onClick={() => setShowsTable(!isTable)}
            >
              {isTable ? 'Chart' : 'Table'}
            </Button>
          )}
        </span>
        <span
          className={classes(styles['unit'], textClasses({ size: 's', tone: 'dim', over: 'cut' }))}
          title={unit}
        >
          {unit}
        </span>
        {legend}
      </div>
      {isTable ? asTable : children}
      {note !== undefined && <Hint>{note}</Hint>}
    </section>
  )
}

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys)
  if (!next.delete(key)) next.add(key)
  return next
}

/** Replaces the title of a chart by a choice of charts. */
export function ChartPicker<T extends string>(choice: {
  label: string
  value: T
  options: readonly { readonly value: T; readonly label: string }[]
  onChange: (value: T) => void
}) {
  return (
    <span className={styles['picker']}>
      <Select {...choice} />
    </span>
  )
}

/** Shows a chart when its numbers are loaded. */
export function LoadedChart<T>({
  head,
  query,
  children,
}: {
  head: ChartHead
  query: { data: T | undefined; error: Error | null; refetch: () => unknown }
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  return (
    <ChartFrame {...head} legend={null} table={null}>
      <Loaded query={query} of="the chart" rows={4}>
        {() => null}
      </Loaded>
    </ChartFrame>
  )
}

/** Replaces a chart without numbers and explains why there are none. */
export function EmptyChart({ head, children }: { head: ChartHead; children: ReactNode }) {
  return (
    <ChartFrame {...head} legend={null} table={null}>
      <p className={styles['empty']}>{children}</p>
    </ChartFrame>
  )
}

/** Places two charts next to each other, the first one wider. */
export function ChartRow({ children }: { children: ReactNode }) {
  return <div className={styles['row']}>{children}</div>
}

function LegendItem({ of }: { of: Series }) {
  return (
    <span className={styles['legend']}>
      <Swatch series={of} />
      {of.name}
    </span>
  )
}

/** Shows a table as high as the chart that it replaces. */
export function TableBox({
  title,
  id,
  children,
}: {
  title: string
  id?: string
  children: ReactNode
}) {
  return (
    <div
      id={id}
      className={styles['tableBox']}
      tabIndex={0}
      role="region"
      aria-label={`${title}, as a table`}
    >
      {children}
    </div>
  )
}
