import type { MissedCheck } from '../../../../src-preload/contract/ledger.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { formatNumber, fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { useResource } from '../../../app/resource.ts'
import { printRoute } from '../../../app/route.ts'
import { classes } from '../../../ui/classes.ts'
import { FailedState } from '../../../ui/failed-state.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { printDone, printPace, stateTones, stateWords } from '../../../components/jobs/job-state.ts'
import { Progress } from '../../../ui/progress.tsx'
import { CheckActions } from './check-actions.tsx'
import { checksOf } from './checks.ts'
import { SpanText } from './span-text.tsx'
import { sayCounts } from './verdict-words.ts'
import styles from './missed.module.css'

/** What was checked of a webhook so far. */
export function CheckList({ webhook }: { webhook: Webhook }) {
  const list = checksOf(webhook.network)
  const state = useResource(list)
  return (
    <section className={pane['section']} aria-label="Checks">
      <h3>Checks</h3>
      {state.status === 'failed' && (
        <FailedState
          what="The checks could not be listed"
          why={state.error.message}
          onRetry={() => void list.reload()}
        />
      )}
      {(state.status === 'idle' || state.status === 'loading') && (
        <Skeleton rows={3} label="Loading checks" />
      )}
      {state.status === 'ready' && (
        <Checks checks={state.value.filter((check) => check.webhook === webhook.id)} />
      )}
    </section>
  )
}

function Checks({ checks }: { checks: readonly MissedCheck[] }) {
  if (checks.length === 0) {
    return (
      <p className={classes(text['small'], text['dim'])}>
        None yet. What a check finds stays here until it is removed.
      </p>
    )
  }
  return (
    <div className={styles['scroll']}>
      <table className={classes(table['table'], styles['checks'])}>
        <thead>
          <tr>
            <th scope="col">What was found, by time of the blocks</th>
            <th scope="col">State</th>
            <th scope="col">Accounts</th>
            <th scope="col">Begun</th>
            <th scope="col">
              <span className={text['hidden']}>Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check) => (
            <CheckRow key={check.id} check={check} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function CheckRow({ check }: { check: MissedCheck }) {
  const { id, network, webhook, state, checked, accounts, counts, problem } = check
  return (
    <tr>
      <td className={styles['found']}>
        <a href={printRoute({ ...webhookRoute(webhook, 'missed', String(id)), network })}>
          <SpanText from={check.from} to={check.to} />
        </a>
        {check.isScheduled && <span className={styles['by']}>by schedule</span>}
        <p className={classes(text['dim'], counts.missing > 0 && styles['bad'])}>
          {sayCounts(check)}
        </p>
        {problem !== null && <p className={styles['problem']}>{problem}</p>}
      </td>
      <td>
        <Tag tone={stateTones[state]}>{stateWords[state]}</Tag>
      </td>
      <td className={styles['numbers']}>
        {printDone(checked, accounts)} <span className={text['faint']}>{printPace(check)}</span>
        {state !== 'done' && (
          <Progress label={`Progress of check ${formatNumber(id)}`} done={checked} of={accounts} />
        )}
      </td>
      <td className={text['dim']}>
        <Moment at={fromMs(check.createdAt)} />
      </td>
      <td className={styles['actions']}>
        <CheckActions check={check} />
      </td>
    </tr>
  )
}
