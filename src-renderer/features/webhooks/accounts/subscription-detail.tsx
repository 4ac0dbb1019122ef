import { useEffect } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Subscription } from '../../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { on } from '../../../app/bridge.ts'
import { formatNumber, fromMs, shorten } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { navigate, printRoute } from '../../../app/route.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { useOpener } from '../../../ui/use-opener.ts'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { useAddressText } from '../../../components/chain/account-link.tsx'
import { accountHref } from '../../../components/chain/chain-links.ts'
import { LtText } from '../../../components/chain/hash-text.tsx'
import { LabelEditor } from '../../../components/chain/label-editor.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { accountRoute } from './account-route.ts'
import { Sparkline } from './sparkline.tsx'
import { removeAccounts } from './subscription-commands.ts'
import { Star } from './subscription-cells.tsx'
import { hasDelivered, printLag, saySpark } from './subscription-words.ts'
import styles from './accounts.module.css'

/** The account that is open, found by its address whichever rows are shown. */
export function SubscriptionDetail({ webhook, account }: { webhook: Webhook; account: string }) {
  const { network, id } = webhook
  const { state, resource } = useAnswer('subscription.list', {
    network,
    webhook: id,
    filter: { text: account, only: null },
    offset: 0,
    limit: 1,
  })
  useEffect(
    () =>
      on('subscription.changed', (changed) => {
        if (changed.network === network && changed.webhooks.includes(id)) void resource.reload()
      }),
    [network, id, resource],
  )
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The account could not be read"
        why={state.error.message}
        onRetry={() => void resource.reload()}
      />
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={4} label="Loading the account" />
  const [row] = state.value.rows
  const close = () => navigate(accountRoute(webhook))
  if (row?.account !== account) {
    return (
      <EmptyState
        title={`This webhook is not subscribed to ${shorten(account)}`}
        detail="As far as its accounts were read. It may have been removed."
      >
        <Button onClick={close}>Close</Button>
      </EmptyState>
    )
  }
  return <Detail webhook={webhook} row={row} onClose={close} />
}

function Detail({
  webhook,
  row,
  onClose,
}: {
  webhook: Webhook
  row: Subscription
  onClose: () => void
}) {
  const { account, label } = row
  const { isOpen: editing, setOpen: setEditing, button } = useOpener()
  const whole = useAddressText({ address: account, isWallet: false })
  return (
    <section aria-label={`Account ${label ?? whole}`}>
      <div className={pane['head']}>
        <Star row={row} webhook={webhook} />
        <h3 className={pane['title']} title={whole}>
          {label === null ? (
            <span className={text['mono']}>{shorten(whole, 10, 10)}</span>
          ) : (
            <UntrustedText text={label} />
          )}
        </h3>
        <IconButton
          ref={button}
          icon="note"
          label={label === null ? 'Give it a label' : 'Change its label'}
          aria-expanded={editing}
          onClick={() => setEditing(!editing)}
        />
        <CopyButton text={whole} what="Address" iconOnly kind="quiet" />
        {row.isFailing && <Tag tone="bad">failing</Tag>}
        <span className={styles['end']}>
          <IconButton icon="close" label="Close (Esc)" onClick={onClose} />
        </span>
      </div>
      {editing && <Label webhook={webhook} row={row} onDone={() => setEditing(false)} />}
      <Facts row={row} />
      <Links webhook={webhook} row={row} />
    </section>
  )
}

/** The note is asked for only to be changed. */
function Label({
  webhook: { network },
  row: { account, label },
  onDone,
}: {
  webhook: Webhook
  row: Subscription
  onDone: () => void
}) {
  const { state, resource } = useAnswer('label.list', {
    network,
    text: account,
    offset: 0,
    limit: 1,
  })
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The label could not be read"
        why={state.error.message}
        onRetry={() => void resource.reload()}
      />
    )
  }
  if (state.status !== 'ready') return null
  const known = state.value.labels.find(({ address }) => address === account)
  return (
    <LabelEditor
      network={network}
      account={{ address: account, label, name: null }}
      note={known?.note ?? ''}
      onDone={onDone}
    />
  )
}

function Facts({ row }: { row: Subscription }) {
  const { failedAt, failedLt, failedAttempts, isFailing, failingSince, lag, spark, readAt } = row
  const when = (at: number | null, none: string) =>
    at === null ? none : <Moment at={fromMs(at)} />
  return (
    <div className={styles['figures']}>
      <KeyValues
        pairs={[
          ['Last delivered', hasDelivered(row) ? <LtText lt={row.lastDeliveredLt} /> : 'never'],
          ['Last failed', when(failedAt, 'never, as far as is known')],
          ['At the lt', failedLt === null ? null : <LtText lt={failedLt} />],
          ['Attempts', formatNumber(failedAttempts)],
        ]}
      />
      <KeyValues
        pairs={[
          [
            'Failing since',
            isFailing ? when(failingSince, 'before it was first seen from here') : 'not failing',
          ],
          [
            'Behind',
            lag === null ? (
              'not followed: watch it to have it read'
            ) : (
              <>
                {printLag(lag)}, as of <Moment at={fromMs(lag.readAt)} />
              </>
            ),
          ],
          [
            '24 hours',
            <span key="spark" className={styles['sparkLine']}>
              <Sparkline spark={spark} /> {saySpark(spark)}
            </span>,
          ],
          ['Read', <Moment key="read" at={fromMs(readAt)} />],
        ]}
      />
    </div>
  )
}

function Links({ webhook, row }: { webhook: Webhook; row: Subscription }) {
  const network: Network = useShownNetwork()
  const { account, failedAttempts, isFailing } = row
  const failures = { ...webhookRoute(webhook.id, 'failures', account), network: webhook.network }
  return (
    <div className={styles['links']}>
      {(isFailing || failedAttempts > 0) && (
        <Button icon="info" onClick={() => navigate(failures)}>
          Explain the failure
        </Button>
      )}
      <a href={accountHref(account, webhook.network)}>Its transactions</a>
      {!isFailing && failedAttempts === 0 && <a href={printRoute(failures)}>Its failures</a>}
      <span className={styles['end']}>
        <Button
          kind="danger"
          icon="trash"
          onClick={() => void removeAccounts(network, webhook, [account])}
        >
          Remove…
        </Button>
      </span>
    </div>
  )
}
