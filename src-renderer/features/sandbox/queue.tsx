import type {
  SandboxChain,
  SandboxClock,
  SandboxDelivery,
} from '../../../src-preload/contract/sandbox.ts'
import {
  formatDuration,
  formatExact,
  formatNumber,
  formatSecond,
  fromMs,
  shorten,
} from '../../ui/format.ts'
import { useResource } from '../../app/resource.ts'
import { navigate } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tag } from '../../ui/tag.tsx'
import table from '../../ui/table.module.css'
import text from '../../ui/text.module.css'
import { Address } from '../../components/address.tsx'
import { ofNetwork, queue } from './sandbox-data.ts'
import styles from './sandbox.module.css'

/** Deliveries that have not been answered 200 yet, oldest first. */
export function Queue({ chain }: { chain: SandboxChain }) {
  const state = ofNetwork(useResource(queue), chain.network)
  return (
    <section aria-label="Delivery queue" className={styles['queue']}>
      <div className={styles['listHead']}>
        <h2>Delivery queue</h2>
        {state.status === 'ready' && state.value.failing > 0 && (
          <Tag tone="bad">{formatNumber(state.value.failing)} failing</Tag>
        )}
        <span className={styles['end']}>
          <Button
            kind="quiet"
            onClick={() => navigate({ page: 'sandbox', network: chain.network, tab: 'deliveries' })}
          >
            Webhooks and policy
          </Button>
        </span>
      </div>
      {(state.status === 'idle' || state.status === 'loading') && <Skeleton rows={3} />}
      {state.status === 'failed' && (
        <FailedState
          what="The queue could not be read"
          why={state.error.message}
          onRetry={() => void queue.reload()}
        />
      )}
      {state.status === 'ready' && state.value.deliveries.length === 0 && (
        <EmptyState
          title="Nothing waits"
          detail="Every delivery has been answered 200. One that fails stays here with what went wrong, until it succeeds."
        />
      )}
      {state.status === 'ready' && state.value.deliveries.length > 0 && (
        <Deliveries
          deliveries={state.value.deliveries}
          waiting={state.value.waiting}
          chain={chain}
        />
      )}
    </section>
  )
}

function Deliveries({
  deliveries,
  waiting,
  chain,
}: {
  deliveries: readonly SandboxDelivery[]
  waiting: number
  chain: SandboxChain
}) {
  const rest = waiting - deliveries.length
  return (
    <>
      <div className={styles['queueBox']} tabIndex={0} role="region" aria-label="Deliveries">
        <table className={classes(table['table'], styles['rows'])}>
          <thead>
            <tr>
              <th scope="col" className={styles['event']}>
                Event
              </th>
              <th scope="col" className={styles['account']}>
                Account
              </th>
              <th scope="col">Endpoint</th>
              <th scope="col" className={styles['tries']}>
                Tries
              </th>
              <th scope="col" className={styles['next']}>
                Next try
              </th>
              <th scope="col">Last error</th>
              <th scope="col" className={styles['narrow']}>
                <span className={text['hidden']}>Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((delivery) => (
              <Row key={delivery.id} delivery={delivery} chain={chain} />
            ))}
          </tbody>
        </table>
      </div>
      {rest > 0 && (
        <p className={styles['rest']}>
          The oldest {formatNumber(deliveries.length)} are shown; {formatNumber(rest)} more wait.
        </p>
      )}
    </>
  )
}

function Row({ delivery, chain }: { delivery: SandboxDelivery; chain: SandboxChain }) {
  const { id, eventType, accountId, endpoint, attempts, nextAttemptAt, lastError, body } = delivery
  const wallet = chain.wallets.find(({ address }) => address === accountId)
  return (
    <tr className={styles['row']}>
      <td>{eventType}</td>
      <td>
        {accountId !== null && (
          <Address raw={accountId} friendly={wallet?.friendly} name={wallet?.name} />
        )}
      </td>
      <td className={classes(text['cut'], text['mono'])} title={endpoint}>
        {shorten(endpoint.replace(/^https?:\/\//, ''), 24, 8)}
      </td>
      <td className={table['number']}>{formatNumber(attempts)}</td>
      <td>
        <Next at={nextAttemptAt} clock={chain.clock} />
      </td>
      <td
        className={classes(text['cut'], lastError !== null && styles['error'])}
        title={lastError ?? undefined}
      >
        {lastError?.replace(`POST ${endpoint}: `, '') ?? ''}
      </td>
      <td className={table['number']}>
        <CopyButton text={body} what={`Body of delivery ${id}`} iconOnly kind="quiet" />
      </td>
    </tr>
  )
}

/** By a clock that stands still, how far it is; by one that runs, when: that is never out of date. */
function Next({ at, clock }: { at: number | null; clock: SandboxClock }) {
  if (at === null) {
    return (
      <Tag tone="bad" title="Its webhook is offline: it waits until the webhook is back online.">
        offline
      </Tag>
    )
  }
  const ms = at - clock.now
  const words =
    clock.mode === 'real' ? formatSecond(fromMs(at)) : `in ${formatDuration(fromMs(ms))}`
  return <span title={formatExact(fromMs(at))}>{ms <= 0 ? 'now' : words}</span>
}
