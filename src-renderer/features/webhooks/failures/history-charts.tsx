import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { formatCount, formatNumber } from '../../../ui/format.ts'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import { TimeChartPanel } from '../../../components/charts/chart-panel.tsx'
import { type Series, count, duration } from '../../../components/charts/series.ts'
import type { History } from './history.ts'
import {
  attemptSeries,
  failingSeries,
  lagSeries,
  receivedSeries,
  usageSeries,
} from './history-data.ts'
import { findRange } from './ranges.ts'
import { StatusBand } from './status-band.tsx'
import { sayStep } from './words.ts'
import styles from './failures.module.css'

/** The history of a webhook, drawn; where its figures come from stands beneath. */
export function HistoryCharts({
  webhook,
  history,
  range,
}: {
  webhook: Webhook
  history: History
  range: HistoryRange
}) {
  const { points, axis, sources } = history
  const unit = sayStep(history.milliseconds)
  const sum = (series: readonly Series[]) =>
    series
      .map(({ key, name }) => {
        const all = points.reduce((total, { values }) => total + (values[key] ?? 0), 0)
        return `${formatNumber(all)} ${name}`
      })
      .join(', ')
  const most = (key: string) => Math.max(0, ...points.map(({ values }) => values[key] ?? 0))
  const shared = { points, axis }
  const span = `the last ${findRange(range).label}`
  return (
    <>
      <div className={styles['charts']}>
        <TimeChartPanel
          {...shared}
          title="Failed attempts"
          unit={unit}
          name={`Failed attempts ${unit}, ${span}: ${sum(attemptSeries)}`}
          kind="bars"
          series={attemptSeries}
          measure={count}
        />
        <TimeChartPanel
          {...shared}
          title="Failing accounts"
          unit="at the worst moment"
          name={`Failing accounts, ${span}: at most ${formatCount(most('failing'), 'account')}`}
          kind="lines"
          series={failingSeries}
          measure={count}
        />
        <TimeChartPanel
          {...shared}
          title="Delivered and failed"
          unit={unit}
          name={`Delivered and failed ${unit}, ${span}: ${sum(usageSeries)}`}
          kind="bars"
          series={usageSeries}
          measure={count}
          note="As the gateway counts it, for all webhooks of this key together."
        />
        <TimeChartPanel
          {...shared}
          title="Received here"
          unit={unit}
          name={`Received here ${unit}, ${span}: ${sum(receivedSeries)}`}
          kind="bars"
          series={receivedSeries}
          measure={count}
          note={
            webhook.isHere
              ? 'Deliveries of this webhook that this receiver took or refused.'
              : 'This webhook delivers elsewhere: nothing of it is expected here.'
          }
        />
        <TimeChartPanel
          {...shared}
          title="Behind the chain"
          unit="the worst account"
          name={`How far behind the chain, ${span}: at most ${duration.print(most('lag'))}`}
          kind="lines"
          series={lagSeries}
          measure={duration}
          note="Read for accounts that fail or are watched."
        />
        <StatusBand history={history} span={span} />
      </div>
      {sources.length > 0 && (
        <ul className={styles['sources']} aria-label="Where these figures come from">
          {sources.map((source) => (
            <li key={source}>{source}</li>
          ))}
        </ul>
      )}
    </>
  )
}
