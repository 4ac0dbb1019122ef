import { useMemo, useState } from 'react'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import type { Webhook, WebhookLog } from '../../../../src-preload/contract/webhook.ts'
import { request } from '../../../app/bridge.ts'
import { fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { createResource, useResource } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import table from '../../../ui/table.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { useGrowth } from './history.ts'
import styles from './failures.module.css'

type Log = Output<'webhook.logs'>

/** Deliveries that failed, as the gateway itself noted them. */
export function DeliveryLog({ webhook: { network, id } }: { webhook: Webhook }) {
  const [busy, setBusy] = useState(false)
  const { resource, readOlder } = useMemo(() => createLog(network, id), [network, id])
  useGrowth(network, id, resource)
  const state = useResource(resource)
  const showOlder = async () => {
    setBusy(true)
    await readOlder()
    setBusy(false)
  }
  return (
    <section className={styles['section']} aria-label="Failed deliveries">
      <div className={styles['sectionHead']}>
        <h3>Failed deliveries, as the gateway noted them</h3>
        <Button onClick={() => void resource.reload()} icon="refresh">
          Read again
        </Button>
      </div>
      {state.status === 'failed' && (
        <FailedState
          what="The gateway’s log could not be read"
          why={state.error.message}
          onRetry={() => void resource.reload()}
        />
      )}
      {(state.status === 'idle' || state.status === 'loading') && (
        <Skeleton rows={4} label="Loading the log" />
      )}
      {state.status === 'ready' && (
        <>
          {state.problem !== null && (
            <p className={classes(text['small'], styles['warn'])} role="status">
              What you see may be old: {state.problem.message}
            </p>
          )}
          <LogTable
            logs={state.value.logs}
            none="The gateway’s log is empty: it noted no failed delivery of this webhook."
          />
          {state.value.next !== null && (
            <div className={styles['pages']}>
              <Button busy={busy} onClick={() => void showOlder()}>
                {busy ? 'Reading…' : 'Older'}
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  )
}

/** The log of a webhook from its newest entry on, page after page. */
function createLog(network: NetworkId, id: string) {
  let pages = 1
  const resource = createResource(() => readPages(network, id, pages))
  return {
    resource,
    readOlder: (): Promise<void> => {
      pages += 1
      return resource.reload()
    },
  }
}

/** The newest pages as one: entries have no id by which older ones could be kept. */
async function readPages(network: NetworkId, id: string, most: number): Promise<Log> {
  let log: Log = { logs: [], next: 0 }
  for (let page = 0; page < most && log.next !== null; page += 1) {
    const { logs, next }: Log = await request('webhook.logs', { network, id, offset: log.next })
    log = { logs: [...log.logs, ...logs], next }
  }
  return log
}

export function LogTable({ logs, none }: { logs: readonly WebhookLog[]; none: string }) {
  if (logs.length === 0) {
    return <p className={classes(text['small'], text['dim'])}>{none}</p>
  }
  return (
    <table className={classes(table['table'], styles['log'])}>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Event</th>
          <th scope="col">What happened</th>
        </tr>
      </thead>
      <tbody>
        {logs.map(({ at, eventType, message }, index) => (
          <tr key={index}>
            <td>{at === null ? 'unknown' : <Moment at={fromMs(at)} />}</td>
            <td>
              <Tag>{eventType}</Tag>
            </td>
            <td>
              <UntrustedText text={message} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
