import { lazy, Suspense, useDeferredValue, useState } from 'react'
import { formatNumber } from '../../ui/format.ts'
import { useResource } from '../../app/resource.ts'
import { queryHref } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { FailedState } from '../../ui/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import table from '../../ui/table.module.css'
import styles from '../../components/charts/chart.module.css'
import { labelBar } from '../../components/charts/ranges.ts'
import { type ChartData, barQuery, chartData, chooseRange, useRange } from './chart-data.ts'
import { ranges } from './ranges.ts'
import page from './overview.module.css'

// The chart library is larger than the rest of the window: it does not hold up the first page.
const CaptureChart = lazy(async () => {
  const { CaptureChart: chart } = await import('./capture-chart.tsx')
  return { default: chart }
})

export function ChartPanel() {
  // Drawing may wait for what the person does.
  const state = useDeferredValue(useResource(chartData))
  const name = useRange((range) => range.name)
  const [asTable, setAsTable] = useState(false)
  const unit = ranges.find((range) => range.name === name)?.unit ?? ''
  return (
    <section className={classes(page['panel'], page['chartPanel'])} aria-label={`Captures ${unit}`}>
      <div className={page['head']}>
        <h2>Captures {unit}</h2>
        <span className={page['end']}>
          <Legend />
          <span className={styles['ranges']} role="group" aria-label="Range">
            {ranges.map((range) => (
              <button
                key={range.name}
                type="button"
                className={styles['range']}
                aria-pressed={range.name === name}
                onClick={() => chooseRange(range.name)}
              >
                {range.label}
              </button>
            ))}
          </span>
          <Button kind="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            {asTable ? 'Chart' : 'Table'}
          </Button>
        </span>
      </div>
      {(state.status === 'idle' || state.status === 'loading') && <Waiting />}
      {state.status === 'failed' && (
        <FailedState
          what="The chart could not be drawn"
          why={state.error.message}
          onRetry={() => void chartData.reload()}
        />
      )}
      {state.status === 'ready' &&
        (asTable ? (
          <BucketTable data={state.value} />
        ) : (
          <Suspense fallback={<Waiting />}>
            <CaptureChart data={state.value} />
          </Suspense>
        ))}
    </section>
  )
}

function Waiting() {
  return <Skeleton rows={6} className={styles['chart']} label="Loading the chart" />
}

function Legend() {
  return (
    <span className={styles['legend']}>
      <span className={classes(styles['swatch'], styles['series1'])} />
      accepted
      <span className={classes(styles['swatch'], styles['series4'])} />
      refused
    </span>
  )
}

function BucketTable({ data: { range, now, buckets } }: { data: ChartData }) {
  const some = buckets.filter(({ total }) => total > 0).toReversed()
  return (
    <div
      className={styles['tableBox']}
      tabIndex={0}
      role="region"
      aria-label="Captures, as a table"
    >
      <table className={classes(table['table'], table['sticky'])}>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col" className={table['number']}>
              Captures
            </th>
            <th scope="col" className={table['number']}>
              Refused
            </th>
          </tr>
        </thead>
        <tbody>
          {some.map((bucket) => (
            <tr key={bucket.startsAt}>
              <td>{labelBar(range, bucket.startsAt, now)}</td>
              <td className={table['number']}>
                <a href={queryHref(barQuery(range, bucket))}>{formatNumber(bucket.total)}</a>
              </td>
              <td className={table['number']}>
                {bucket.refused === 0 ? (
                  '0'
                ) : (
                  <a href={queryHref(`${barQuery(range, bucket)} -status:2xx`)}>
                    {formatNumber(bucket.refused)}
                  </a>
                )}
              </td>
            </tr>
          ))}
          {some.length === 0 && (
            <tr>
              <td colSpan={3}>Nothing arrived in this time.</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}
