/** The tab of a webhook with the accounts that it is subscribed to. */
import { useEffect } from 'react'
import type {
  Subscription,
  SubscriptionFilter,
  SubscriptionSort,
} from '../../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { navigate, routeHref } from '../../../app/route.ts'
import { addAccountsItem, webhookRoute, webhooksHome } from '../../../app/webhooks-route.ts'
import { copyAddress, useAddressForm } from '../../../components/address-form.tsx'
import { AccountLabel, AccountLink } from '../../../components/chain/account-link.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { Sparkline } from '../../../components/charts/sparkline.tsx'
import { ExportMenu } from '../../../components/files/save-export.tsx'
import { friendlyAddress } from '../../../components/friendly-address.ts'
import { type Choice, Choices, Button, Menu, menuItem } from '../../../ui/button.tsx'
import { SearchField } from '../../../components/list/search-field.tsx'
import { type DataColumn, DataList, dataColumn } from '../../../ui/data-list.tsx'
import { EmptyState, Progress, Skeleton } from '../../../ui/loaded.tsx'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { Kbd, Text, Note, Pane, Row, Small } from '../../../ui/layout.tsx'
import { Moment } from '../../../ui/time.tsx'
import { shortcutsOf, useShortcuts } from '../../../ui/keyboard.ts'
import {
  useListQuestion,
  describeSpark,
  formatLag,
  formatLoading,
  hasDelivered,
  cancelLoading,
  everyAccount,
  exportSubscriptions,
  filterSubscriptions,
  isEveryAccount,
  loadAccounts,
  removeAccounts,
  removeShown,
  sortSubscriptions,
  subscriptionList,
  useSubscriptionsOf,
  watchAccounts,
} from './subscriptions.ts'
import { AccountDetail, WatchLagButton } from './account-detail.tsx'
import { addAccounts, AddAccounts, AddAccountsButton } from './add-accounts.tsx'

/** `item` is the open account or `addAccountsItem`. */
export function AccountsTab({ webhook, item }: { webhook: Webhook; item: string }) {
  if (item === addAccountsItem) return <AddAccounts webhook={webhook} />
  return <Accounts webhook={webhook} account={item} />
}

const group = 'Subscribed accounts'

function Accounts({ webhook, account }: { webhook: Webhook; account: string }) {
  const { network, id } = webhook
  useSubscriptionsOf(webhook)
  useFirstLoading(webhook)
  const { sort } = useListQuestion()
  // Until then the list contains the accounts of another webhook.
  const isOpen = subscriptionList.use(
    ({ question }) => question?.network === network && question.webhook === id,
  )
  if (!isOpen) return <Skeleton rows={12} label="Loading the accounts" />
  return (
    <Pane
      foot={account !== '' && <AccountDetail key={account} webhook={webhook} account={account} />}
    >
      <Bar webhook={webhook} />
      <FilterBar />
      <LoadingProblem webhook={webhook} />
      <SelectionBar webhook={webhook} />
      <Keys webhook={webhook} />
      <DataList
        list={subscriptionList}
        columns={columnsOf(webhook)}
        of="subscribed accounts"
        thing="account"
        group={group}
        sort={sort}
        onSort={sortSubscriptions}
        openId={account === '' ? null : account}
        onOpen={(row, by) =>
          navigate(webhookRoute(webhook, 'accounts', row.account), { replace: by === 'walk' })
        }
        onLeave={() => navigate(account === '' ? webhooksHome : webhookRoute(webhook, 'accounts'))}
        selectable={({ label, account: address }) => label ?? address}
        empty={<NoAccounts webhook={webhook} />}
      />
    </Pane>
  )
}

const key = shortcutsOf(group)

function Keys({ webhook }: { webhook: Webhook }) {
  const network = useShownNetwork()
  /** Returns the selected accounts, or else the account at the cursor. */
  const chosen = () => {
    const { selected } = subscriptionList.use.getState()
    const row = subscriptionList.cursorRow()
    return selected.size > 0 ? [...selected.values()] : row === null ? [] : [row]
  }
  const accounts = () => chosen().map(({ account }) => account)
  useShortcuts([
    key(['c'], 'Copy the address', () => {
      const row = subscriptionList.cursorRow()
      if (row !== null) void copyAddress(addressText(row.account, network.testOnly))
    }),
    key(['w'], 'Watch or stop watching', () => {
      const row = subscriptionList.cursorRow() ?? chosen()[0]
      if (row === undefined) return
      void watchAccounts(webhook, { accounts: accounts(), watched: !row.isWatched })
    }),
    key(
      ['Delete'],
      'Remove…',
      () => void removeAccounts(webhook, { accounts: accounts(), network }),
    ),
    key(['a'], 'Add accounts', () => addAccounts(webhook)),
    key(['e'], 'Export as YAML', () => void exportSubscriptions(webhook, 'yaml')),
    key(['r'], 'Refresh', () => void loadAccounts(webhook)),
  ])
  return null
}

/** Returns the address in the displayed form. */
function addressText(account: string, testOnly: boolean): string {
  if (useAddressForm.getState().form === 'raw') return account
  return friendlyAddress(account, { bounceable: true, testOnly }) ?? account
}

const useMirror = () => subscriptionList.use((state) => state.extra?.mirror)

/** Loads the accounts at once if they were never loaded, because there is nothing to show until then. */
function useFirstLoading(webhook: Webhook): void {
  const mirror = useMirror()
  const isNew =
    mirror !== undefined &&
    mirror.readAt === null &&
    mirror.reading === null &&
    mirror.problem === null
  const { network, id } = webhook
  useEffect(() => {
    if (isNew) void loadAccounts({ network, id })
  }, [isNew, network, id])
}

function Bar({ webhook }: { webhook: Webhook }) {
  const network = useShownNetwork()
  const total = subscriptionList.use((state) => state.total)
  return (
    <Row wrap pad="m" line="below">
      <LoadingState webhook={webhook} />
      <Row last>
        <ExportMenu
          items={[
            menuItem('YAML', { hint: 'e' }, () => exportSubscriptions(webhook, 'yaml')),
            menuItem('CSV', {}, () => exportSubscriptions(webhook, 'csv')),
          ]}
        />
        <AddAccountsButton webhook={webhook} kind="main" shortcut="a" />
        <Menu
          trigger={<Button kind="quiet" icon="more" aria-label="More" title="More" />}
          items={[
            menuItem(
              `Remove all ${formatCount(total, 'account')} shown…`,
              { icon: 'trash', danger: true, disabled: total === 0 },
              () => removeShown(webhook, network),
            ),
          ]}
        />
      </Row>
    </Row>
  )
}

/** Shows when the accounts were loaded from the gateway, or the progress of loading. */
function LoadingState({ webhook }: { webhook: Webhook }) {
  const mirror = useMirror()
  if (mirror === undefined) return null
  if (mirror.reading !== null) {
    const { rows, expected } = mirror.reading
    return (
      <Row role="status">
        <Small>Loading accounts: {formatLoading(mirror.reading)}</Small>
        {expected !== null && <Progress label="Accounts loaded" done={rows} of={expected} />}
        <Button onClick={() => void cancelLoading(webhook)}>Cancel</Button>
      </Row>
    )
  }
  return (
    <Row>
      <Small over="nowrap">
        {mirror.readAt === null ? (
          'Not loaded yet'
        ) : (
          <>
            Updated <Moment at={fromMs(mirror.readAt)} />
          </>
        )}
      </Small>
      <Button icon="refresh" onClick={() => void loadAccounts(webhook)}>
        Refresh <Kbd>r</Kbd>
      </Button>
    </Row>
  )
}

function LoadingProblem({ webhook }: { webhook: Webhook }) {
  const mirror = useMirror()
  if (mirror === undefined || mirror.problem === null || mirror.reading !== null) return null
  return (
    <Note tone="bad">
      {mirror.readAt === null ? 'Could not load the accounts' : 'Could not update the accounts'}:{' '}
      {mirror.problem} <Button onClick={() => void loadAccounts(webhook)}>Try again</Button>
    </Note>
  )
}

type Only = SubscriptionFilter['only']

function FilterBar() {
  const { filter } = useListQuestion()
  const counts = subscriptionList.use((state) => state.extra?.counts)
  const choices: Choice<Only>[] = [
    { value: null, label: 'All', count: counts?.all },
    { value: 'failing', label: 'Failing', count: counts?.failing, tone: 'bad' },
    { value: 'watched', label: 'Watched', count: counts?.watched },
    { value: 'behind', label: 'Lagging', count: counts?.behind, tone: 'warn' },
    { value: 'never-delivered', label: 'Never delivered', count: counts?.neverDelivered },
  ]
  return (
    <Row as="search" wrap gap="s" pad="m" line="below">
      <Choices<Only>
        label="Accounts to show"
        value={filter.only}
        options={choices}
        onChange={(only) => filterSubscriptions({ only })}
      />
      <SearchField
        group={group}
        label="Search the accounts"
        placeholder="address or label"
        value={filter.text}
        onSearch={(text) => filterSubscriptions({ text })}
      />
    </Row>
  )
}

function SelectionBar({ webhook }: { webhook: Webhook }) {
  const network = useShownNetwork()
  const selected = subscriptionList.use((state) => state.selected)
  if (selected.size === 0) return null
  const accounts = [...selected.values()].map(({ account }) => account)
  return (
    <Row wrap pad="m" line="below" role="group" aria-label="Selected accounts">
      <span role="status">{formatCount(selected.size, 'account')} selected</span>
      <Button icon="star" onClick={() => void watchAccounts(webhook, { accounts, watched: true })}>
        Watch
      </Button>
      <Button onClick={() => void watchAccounts(webhook, { accounts, watched: false })}>
        Stop watching
      </Button>
      <Button
        kind="danger"
        icon="trash"
        onClick={() => void removeAccounts(webhook, { accounts, network })}
      >
        Remove…
      </Button>
      <Row last>
        <Button kind="quiet" onClick={subscriptionList.selectNone}>
          Clear selection
        </Button>
      </Row>
    </Row>
  )
}

function NoAccounts({ webhook }: { webhook: Webhook }) {
  const { filter } = useListQuestion()
  const mirror = useMirror()
  if ((mirror?.reading ?? null) !== null) return <Skeleton rows={12} label="Loading the accounts" />
  if (!isEveryAccount(filter)) {
    return (
      <EmptyState title="No account matches the filter">
        <Button onClick={() => filterSubscriptions(everyAccount)}>Show all accounts</Button>
      </EmptyState>
    )
  }
  if (mirror?.readAt === null) {
    return (
      <EmptyState
        title="The accounts are not loaded yet"
        detail="Choose Refresh to load the accounts of this webhook from the gateway."
      />
    )
  }
  return (
    <EmptyState
      title="No accounts subscribed yet"
      detail="This webhook receives the transactions of the accounts that you add. Paste a list of addresses or drop a file; Tondesk checks every line before it subscribes anything. Labels come from the address book or from a subscriptions file."
    >
      <AddAccountsButton webhook={webhook} kind="main" shortcut="a" />
    </EmptyState>
  )
}

function columnsOf(webhook: Webhook): DataColumn<Subscription, SubscriptionSort['by']>[] {
  return [
    dataColumn('Watched', { width: 25, hideName: true }, (row) => (
      <WatchLagButton row={row} webhook={webhook} />
    )),
    dataColumn('Account', { width: 128, sort: 'account' }, ({ account, label }) => (
      <AccountLink
        account={{ address: account, label }}
        show="address"
        href={routeHref(webhookRoute(webhook, 'accounts', account))}
        tabIndex={-1}
      />
    )),
    dataColumn('Label', { width: 70, grow: 1, sort: 'label' }, ({ account, label }) => (
      <AccountLabel account={{ address: account, label }} />
    )),
    dataColumn(
      'Last delivered (lt)',
      {
        width: 128,
        look: 'amount',
        sort: 'lastDeliveredLt',
        title: (row) => (hasDelivered(row) ? formatNumber(row.lastDeliveredLt) : undefined),
      },
      (row) => (hasDelivered(row) ? row.lastDeliveredLt : 'never'),
    ),
    dataColumn(
      'Failed at',
      { width: 92, gives: 4, sort: 'failedAt', look: 'dim' },
      ({ failedAt }) => failedAt !== null && <Moment at={fromMs(failedAt)} />,
    ),
    dataColumn(
      'Failed event (lt)',
      {
        width: 110,
        gives: 5,
        look: 'amount',
        sort: 'failedLt',
        title: ({ failedLt }) => (failedLt === null ? undefined : formatNumber(failedLt)),
      },
      ({ failedLt }) => failedLt,
    ),
    dataColumn(
      'Failed attempts',
      { width: 108, look: 'number', sort: 'failedAttempts' },
      ({ failedAttempts, isFailing }) =>
        failedAttempts > 0 && (
          <Text tone={isFailing ? 'bad' : undefined}>{formatNumber(failedAttempts)}</Text>
        ),
    ),
    dataColumn('Failing since', { width: 92, gives: 2 }, (row) => <FailingSince row={row} />),
    dataColumn(
      'Lag',
      {
        width: 116,
        sort: 'lag',
        title: ({ lag }) =>
          lag === null
            ? 'Tondesk loads the lag of failing and watched accounts only'
            : formatLag(lag),
      },
      ({ lag }) => {
        if (lag === null) return <Text tone="faint">–</Text>
        const words = formatLag(lag)
        return <Text tone={words === 'none' ? 'dim' : 'warn'}>{words}</Text>
      },
    ),
    dataColumn('Failures, 24 h', { width: 88, gives: 3 }, ({ spark }) => (
      <Sparkline values={spark} label={describeSpark(spark)} />
    )),
  ]
}

function FailingSince({ row: { isFailing, failingSince } }: { row: Subscription }) {
  if (!isFailing) return null
  return (
    <Text tone="bad">
      {failingSince === null ? (
        <span title="The account was already failing when Tondesk first loaded it">failing</span>
      ) : (
        <Moment at={fromMs(failingSince)} />
      )}
    </Text>
  )
}
