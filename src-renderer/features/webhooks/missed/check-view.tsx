import { useEffect, useMemo, useRef, useState } from 'react'
import type { MissedCheck } from '../../../../src-preload/contract/ledger.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { request } from '../../../app/bridge.ts'
import { fromMs } from '../../../ui/format.ts'
import { useNow } from '../../../ui/moment.tsx'
import { createResource, useResource } from '../../../app/resource.ts'
import { navigate, printRoute } from '../../../app/route.ts'
import { throttle } from '../../../ui/throttle.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Icon } from '../../../ui/icons.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Tag } from '../../../ui/tag.tsx'
import warning from '../../../ui/warning.module.css'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { TimeChartPanel } from '../../../components/charts/chart-panel.tsx'
import { count } from '../../../components/charts/series.ts'
import { tickStepOf, timeAxis } from '../../../components/charts/time-axis.ts'
import { printDone, printPace, stateTones, stateWords } from '../../../components/jobs/job-state.ts'
import { Progress } from '../../../ui/progress.tsx'
import { CheckActions } from './check-actions.tsx'
import { checksOf } from './checks.ts'
import { EventList } from './event-list.tsx'
import { RebuildButton, Rebuilt } from './rebuild.tsx'
import { SpanText } from './span-text.tsx'
import { UnreadAccounts } from './unread-accounts.tsx'
import { sayCounts, verdictPoints, verdictSeries } from './verdict-words.ts'
import styles from './missed.module.css'

/** One check, found by its number in the address. */
export function CheckView({ webhook, id }: { webhook: Webhook; id: number }) {
  const list = checksOf(webhook.network)
  const state = useResource(list)
  if (state.status === 'idle' || state.status === 'loading') {
    return <Skeleton rows={10} label="Loading the check" />
  }
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The check could not be read"
        why={state.error.message}
        onRetry={() => void list.reload()}
      />
    )
  }
  const check = state.value.find((each) => each.id === id && each.webhook === webhook.id)
  if (check !== undefined) return <Check check={check} />
  return (
    <EmptyState title="There is no such check" detail="It was removed, or never was here.">
      <Button
        onClick={() =>
          navigate({ ...webhookRoute(webhook.id, 'missed'), network: webhook.network })
        }
      >
        Show all checks
      </Button>
    </EmptyState>
  )
}

function Check({ check }: { check: MissedCheck }) {
  return (
    <div className={styles['check']}>
      <div>
        <Head check={check} />
        <CheckProgress check={check} />
        {check.events > 0 && <Picture check={check} />}
      </div>
      <EventList check={check} />
    </div>
  )
}

function Head({ check }: { check: MissedCheck }) {
  const [rebuilt, setRebuilt] = useState<Output<'ledger.rebuild'> | null>(null)
  const { webhook, network, state, counts, unread } = check
  return (
    <>
      <div className={styles['head']}>
        <a
          className={styles['back']}
          href={printRoute({ ...webhookRoute(webhook, 'missed'), network })}
        >
          <Icon name="left" size={13} />
          All checks
        </a>
        <h3 className={styles['title']}>
          <SpanText from={check.from} to={check.to} />
        </h3>
        <Tag tone={stateTones[state]}>{stateWords[state]}</Tag>
        <span className={styles['end']}>
          {unread > 0 && <UnreadAccounts check={check} />}
          {counts.missing > 0 && (
            // Looks anew for what is left once nothing is added any more.
            <RebuildButton key={String(state === 'running')} check={check} onRebuilt={setRebuilt} />
          )}
          <CheckActions check={check} />
        </span>
      </div>
      {rebuilt !== null && <Rebuilt result={rebuilt} />}
    </>
  )
}

function CheckProgress({ check }: { check: MissedCheck }) {
  const { state, problem, checked, accounts } = check
  if (state === 'done') {
    return problem === null ? null : <p className={warning['bar']}>{problem}</p>
  }
  return (
    <div className={styles['progress']}>
      <Progress label="Progress of the check" done={checked} of={accounts} />
      <span>
        {printDone(checked, accounts)} {accounts === 1 ? 'account' : 'accounts'}
      </span>
      <span className={styles['dim']}>{printPace(check)}</span>
      {problem !== null && (
        <p className={styles['waits']} role="status">
          {problem}
        </p>
      )}
    </div>
  )
}

/** Read anew this often while a check finds more. */
const lookMs = 1000

function Picture({ check }: { check: MissedCheck }) {
  const { id, counts, events: found } = check
  const now = useNow()
  const resource = useMemo(
    () => createResource(() => request('ledger.histogram', { id, steps: 60 })),
    [id],
  )
  const state = useResource(resource)
  const look = useMemo(() => throttle(() => void resource.reload(), lookMs), [resource])
  const seen = useRef(found)
  useEffect(() => look.cancel, [look])
  useEffect(() => {
    if (seen.current === found) return
    seen.current = found
    look.call()
  }, [found, look])
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The picture could not be drawn"
        why={state.error.message}
        onRetry={() => void resource.reload()}
      />
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={4} label="Loading the picture" />
  const { milliseconds } = state.value
  const points = verdictPoints(state.value)
  const step = fromMs(milliseconds)
  return (
    <div className={styles['picture']}>
      <TimeChartPanel
        title="Events"
        unit="by time of their blocks"
        name={`Events by time of their blocks: ${sayCounts(check)}`}
        kind="bars"
        points={points}
        series={verdictSeries(counts)}
        axis={timeAxis(
          points.map(({ startsAt }) => startsAt),
          { step, between: tickStepOf(step * points.length), now },
        )}
        measure={count}
      />
    </div>
  )
}
