import type { AppError } from '../../../../src-preload/domain/app-error.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { type Loadable, valueOf } from '../../../app/resource.ts'
import { navigate } from '../../../app/route.ts'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import warning from '../../../ui/warning.module.css'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import { AccountLists } from './account-lists.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { useFailingAccounts } from './failing-accounts.ts'
import { useHistory, useSummary } from './history.ts'
import { HistoryCharts } from './history-charts.tsx'
import { failuresRoute } from './links.ts'
import { RangeLinks } from './range-links.tsx'
import { useSampler } from './sampler.ts'
import { SamplerLine } from './sampler-line.tsx'
import { Streaks } from './streaks.tsx'
import { SummaryFigures } from './summary-figures.tsx'
import styles from './failures.module.css'

/** Failures of a webhook in figures, over time, by account, and as the gateway noted them. */
export function Statistics({ webhook, range }: { webhook: Webhook; range: HistoryRange }) {
  const sampler = useSampler(webhook.network)
  const history = useHistory(webhook, null, range)
  const summary = useSummary(webhook, range)
  const known = valueOf(summary.state)
  const first = valueOf(useFailingAccounts(webhook).state)?.accounts[0]
  useShortcuts([
    {
      keys: ['j'],
      label: 'Explain the first failing account',
      group: 'Failures',
      run: () => {
        if (first !== undefined) navigate(failuresRoute(webhook, range, first))
      },
    },
  ])
  const samplerState = valueOf(sampler.state)
  return (
    <>
      <div className={styles['bar']}>
        <RangeLinks webhook={webhook} range={range} />
        <SamplerLine network={webhook.network} sampler={sampler} />
      </div>
      {samplerState !== null && samplerState.problem !== null && (
        <p className={warning['bar']} role="status">
          {samplerState.problem}
        </p>
      )}
      <Stale problem={problemOf(history.state, summary.state)} />
      {summary.state.status === 'failed' ? (
        <FailedState
          what="The figures could not be read"
          why={summary.state.error.message}
          onRetry={() => void summary.resource.reload()}
        />
      ) : (
        <SummaryFigures webhook={webhook} summary={known} first={first} range={range} />
      )}
      {history.state.status === 'failed' && (
        <FailedState
          what="The history could not be read"
          why={history.state.error.message}
          onRetry={() => void history.resource.reload()}
        />
      )}
      {(history.state.status === 'idle' || history.state.status === 'loading') && (
        <Skeleton rows={10} label="Loading the history" className={styles['waiting']} />
      )}
      {history.state.status === 'ready' && (
        <HistoryCharts webhook={webhook} history={history.state.value} range={range} />
      )}
      {known !== null && <AccountLists webhook={webhook} summary={known} range={range} />}
      <Streaks webhook={webhook} range={range} />
      <DeliveryLog webhook={webhook} />
    </>
  )
}

/** What is shown is as it was, for reading it again did not work. */
function Stale({ problem }: { problem: AppError | null }) {
  if (problem === null) return null
  return (
    <p className={warning['bar']} role="status">
      What you see may be old: {problem.message}
    </p>
  )
}

function problemOf(...states: readonly Loadable<unknown>[]): AppError | null {
  for (const state of states) {
    if (state.status === 'ready' && state.problem !== null) return state.problem
  }
  return null
}
