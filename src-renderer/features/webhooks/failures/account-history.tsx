import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import { TimeChartPanel } from '../../../components/charts/chart-panel.tsx'
import { count, duration } from '../../../components/charts/series.ts'
import { useHistory } from './history.ts'
import { attemptSeries, lagSeries } from './history-data.ts'
import { findRange } from './ranges.ts'
import { sayStep } from './words.ts'
import styles from './failures.module.css'

/** One account's failures and lag over time. */
export function AccountHistory({
  webhook,
  account,
  range,
}: {
  webhook: Webhook
  account: string
  range: HistoryRange
}) {
  const { state, resource } = useHistory(webhook, account, range)
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The account’s history could not be read"
        why={state.error.message}
        onRetry={() => void resource.reload()}
      />
    )
  }
  if (state.status !== 'ready') {
    return <Skeleton rows={5} label="Loading the account’s history" className={styles['waiting']} />
  }
  const { points, axis, milliseconds } = state.value
  const unit = sayStep(milliseconds)
  const span = `the last ${findRange(range).label}`
  return (
    <div className={styles['charts']}>
      <TimeChartPanel
        points={points}
        axis={axis}
        title="Failed attempts"
        unit={unit}
        name={`Failed attempts of this account ${unit}, ${span}`}
        kind="bars"
        series={attemptSeries}
        measure={count}
      />
      <TimeChartPanel
        points={points}
        axis={axis}
        title="Behind the chain"
        unit="at the worst moment"
        name={`How far this account is behind the chain, ${span}`}
        kind="lines"
        series={lagSeries}
        measure={duration}
      />
    </div>
  )
}
