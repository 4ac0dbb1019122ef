import type { Subscription } from '../../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { useData } from '../../../app/bridge.ts'
import { navigate, routeHref } from '../../../app/route.ts'
import { webhookRoute } from '../../../app/webhooks-route.ts'
import { editLabel } from '../../../components/chain/account-card.tsx'
import {
  AccountName,
  nameAccount,
  useAccountName,
  useAddressText,
} from '../../../components/chain/account-link.tsx'
import { accountHref } from '../../../components/chain/chain-links.ts'
import { LtText } from '../../../components/chain/chain-text.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { Sparkline } from '../../../components/charts/sparkline.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/toast.tsx'
import { EmptyState, Loaded } from '../../../ui/loaded.tsx'
import { formatNumber, fromMs, shorten } from '../../../ui/format.ts'
import { Tag, Text, Columns, Row, Stack } from '../../../ui/layout.tsx'
import { Moment } from '../../../ui/time.tsx'
import { KeyValues } from '../../../ui/values.tsx'
import {
  describeSpark,
  formatLag,
  hasDelivered,
  ofWebhook,
  removeAccounts,
  watchAccounts,
} from './subscriptions.ts'

const close = (webhook: Webhook) => navigate(webhookRoute(webhook, 'accounts'))

/** Shows the open account, which is found by its address even if the list does not contain it. */
export function AccountDetail({ webhook, account }: { webhook: Webhook; account: string }) {
  const query = useData('subscription.list', {
    ...ofWebhook(webhook),
    filter: { text: account, only: null },
    offset: 0,
    limit: 1,
  })
  return (
    <Loaded query={query} of="the account" rows={4}>
      {({ rows: [row] }) =>
        row?.account === account ? (
          <Detail webhook={webhook} row={row} />
        ) : (
          <EmptyState
            title={`This webhook is not subscribed to ${nameAccount(webhook.network, { address: account }, shorten)}`}
            detail="The account may have been removed, or Tondesk has not loaded all accounts of this webhook yet."
          >
            <Button onClick={() => close(webhook)}>Close</Button>
          </EmptyState>
        )
      }
    </Loaded>
  )
}

type DetailProps = { webhook: Webhook; row: Subscription }

function Detail({ webhook, row }: DetailProps) {
  const { network } = webhook
  const { account, label, isFailing } = row
  const address = useAddressText({ address: account, isWallet: false })
  const name = useAccountName({ network, account })
  return (
    <section aria-label={`Account ${name ?? address}`}>
      <Row pad="m" line="below">
        <WatchLagButton row={row} webhook={webhook} />
        <Text as="h3" size="m" over="cut">
          <AccountName account={{ address: account, label }} />
        </Text>
        <IconButton
          icon="note"
          label={label === null ? 'Add a label' : 'Edit the label'}
          onClick={() => void editLabel(network, account)}
        />
        <CopyButton text={address} what="Address" iconOnly kind="quiet" />
        {isFailing && <Tag tone="bad">failing</Tag>}
        <Row last>
          <IconButton icon="close" label="Close (Esc)" onClick={() => close(webhook)} />
        </Row>
      </Row>
      <Stack pad="l" gap="l">
        <Facts row={row} />
        <Links webhook={webhook} row={row} />
      </Stack>
    </section>
  )
}

/** Switches whether Tondesk loads the lag of the account with every update. */
export function WatchLagButton({ row, webhook }: DetailProps) {
  const { account, isWatched, label } = row
  const what = label ?? account
  return (
    <IconButton
      icon={isWatched ? 'starred' : 'star'}
      label={isWatched ? `Stop watching ${what}` : `Watch ${what}`}
      title={
        isWatched
          ? 'Watched: Tondesk keeps the lag up to date'
          : 'Watch this account: Tondesk then keeps the lag up to date'
      }
      aria-pressed={isWatched}
      tabIndex={-1}
      onClick={() => void watchAccounts(webhook, { accounts: [account], watched: !isWatched })}
    />
  )
}

function Facts({ row }: { row: Subscription }) {
  const { failedAt, failedLt, failedAttempts, isFailing, failingSince, lag, spark, readAt } = row
  const when = (at: number | null, none: string) =>
    at === null ? none : <Moment at={fromMs(at)} />
  return (
    <Columns least={280} gap="l">
      <KeyValues
        pairs={[
          ['Last delivered', hasDelivered(row) ? <LtText lt={row.lastDeliveredLt} /> : 'never'],
          ['Last failed', when(failedAt, 'no known failure')],
          ['Failed event (lt)', failedLt === null ? null : <LtText lt={failedLt} />],
          ['Failed attempts', formatNumber(failedAttempts)],
        ]}
      />
      <KeyValues
        pairs={[
          [
            'Failing since',
            isFailing
              ? when(failingSince, 'before Tondesk first loaded the account')
              : 'not failing',
          ],
          [
            'Lag',
            lag === null ? (
              'not loaded; watch this account to load its lag'
            ) : (
              <>
                {formatLag(lag)}, as of <Moment at={fromMs(lag.readAt)} />
              </>
            ),
          ],
          [
            'Last 24 hours',
            <Row key="spark" wrap>
              <Sparkline values={spark} label={describeSpark(spark)} /> {describeSpark(spark)}
            </Row>,
          ],
          ['Updated', <Moment key="read" at={fromMs(readAt)} />],
        ]}
      />
    </Columns>
  )
}

function Links({ webhook, row }: DetailProps) {
  const network = useShownNetwork()
  const { account, failedAttempts, isFailing } = row
  const failures = webhookRoute(webhook, 'deliveries', account)
  return (
    <Row wrap gap="l">
      {isFailing || failedAttempts > 0 ? (
        <Button icon="info" onClick={() => navigate(failures)}>
          Explain the failure
        </Button>
      ) : (
        <a href={routeHref(failures)}>Failures</a>
      )}
      <a href={accountHref(account, webhook.network)}>Transactions</a>
      <Row last>
        <Button
          kind="danger"
          icon="trash"
          onClick={() => void removeAccounts(webhook, { accounts: [account], network })}
        >
          Remove…
        </Button>
      </Row>
    </Row>
  )
}
