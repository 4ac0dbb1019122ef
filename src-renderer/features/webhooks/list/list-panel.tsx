import { useRef } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { WebhookList } from '../../../../src-preload/contract/webhook.ts'
import { formatMoment, fromMs } from '../../../ui/format.ts'
import { useNow } from '../../../ui/moment.tsx'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { SandboxStart } from '../../overview/sandbox-steps.tsx'
import { openCreate } from '../create/create-dialog.tsx'
import { readWebhooks } from '../webhooks.ts'
import { arrange } from './arrange.ts'
import { FilterBar } from './filter-bar.tsx'
import { showAll, useListChoice } from './list-state.ts'
import { WebhookGrid } from './webhook-grid.tsx'
import styles from './list.module.css'

/** The webhooks of a network, those that the filter lets through. */
export function ListPanel({
  network,
  list,
  openId,
}: {
  network: Network
  list: WebhookList
  openId: string | null
}) {
  const field = useRef<HTMLInputElement>(null)
  const choice = useListChoice()
  const shown = arrange(list.webhooks, choice)
  return (
    <div className={styles['area']}>
      {list.problem !== null && <Stale list={list} why={list.problem} />}
      {list.webhooks.length === 0 ? (
        <NoWebhooks network={network} />
      ) : (
        <>
          <FilterBar webhooks={list.webhooks} field={field} />
          {shown.length === 0 ? (
            <EmptyState title="No webhook matches" detail="The filter lets none of them through.">
              <Button onClick={showAll}>Show all webhooks</Button>
            </EmptyState>
          ) : (
            <WebhookGrid webhooks={shown} openId={openId} />
          )}
        </>
      )}
    </div>
  )
}

function Stale({ list: { network, readAt }, why }: { list: WebhookList; why: string }) {
  const now = useNow()
  const when = readAt === null ? '' : ` of ${formatMoment(fromMs(readAt), now)}`
  return (
    <div className={styles['stale']} role="status">
      <p>
        As{when}: the webhooks could not be read. {why}
      </p>
      <Button icon="refresh" onClick={() => void readWebhooks(network)}>
        Try again
      </Button>
    </div>
  )
}

function NoWebhooks({ network }: { network: Network }) {
  return (
    <div className={styles['none']}>
      <EmptyState
        title={`No webhook on ${network.name} yet`}
        detail="A webhook has the gateway send what happens on the chain to a URL of yours, such as this computer’s receiver: each transaction of the accounts it is subscribed to, messages by their opcode, new contracts."
      >
        <Button kind="main" icon="plus" onClick={openCreate}>
          New webhook <Kbd>n</Kbd>
        </Button>
      </EmptyState>
      {network.kind === 'sandbox' && (
        <div className={styles['steps']}>
          <SandboxStart />
        </div>
      )}
    </div>
  )
}
