import type {
  Subscription,
  SubscriptionSort,
} from '../../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { navigate } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import type { Column } from '../../../ui/virtual-grid.tsx'
import { ListStates } from '../../../components/list/list-states.tsx'
import { directionOf } from '../../../components/list/sort.ts'
import { WindowGrid } from '../../../components/list/window-grid.tsx'
import type { ReadyWindows } from '../../../components/list/windows.ts'
import { accountRoute, addItem } from './account-route.ts'
import { selectTo, toggleRow } from './selecting.ts'
import { SubscriptionCells } from './subscription-cells.tsx'
import { everyAccount, isEveryAccount } from './subscription-order.ts'
import {
  filterSubscriptions,
  sortSubscriptions,
  subscriptions,
  useSubscriptions,
} from './subscriptions.ts'
import styles from './accounts.module.css'

/** The accounts that the filter lets through, in whichever state the list is. */
export function SubscriptionRows({
  webhook,
  onCursor,
}: {
  webhook: Webhook
  onCursor: (index: number) => void
}) {
  const isReading = useSubscriptions(({ standing }) => (standing?.mirror.reading ?? null) !== null)
  return (
    <ListStates
      list={subscriptions}
      of="the accounts"
      empty={
        isReading ? (
          <Skeleton rows={12} label="Reading the accounts" />
        ) : (
          <NoAccounts webhook={webhook} />
        )
      }
    >
      {(state) => <Rows webhook={webhook} state={state} onCursor={onCursor} />}
    </ListStates>
  )
}

function NoAccounts({ webhook }: { webhook: Webhook }) {
  const { filter, standing } = useSubscriptions()
  if (!isEveryAccount(filter)) {
    return (
      <EmptyState title="No account is like that" detail="The filter lets none of them through.">
        <Button onClick={() => filterSubscriptions(everyAccount)}>Show all accounts</Button>
      </EmptyState>
    )
  }
  if (standing?.mirror.readAt === null) {
    return (
      <EmptyState
        title="The accounts have not been read yet"
        detail="Only the gateway knows which accounts this webhook is subscribed to."
      />
    )
  }
  return (
    <EmptyState
      title="No account is subscribed yet"
      detail="Each transaction of a subscribed account is delivered to this webhook. Paste or drop a list of addresses in any form: what is understood is shown before anything is subscribed. Labels are taken from a subscriptions file, or given in the address book."
    >
      <Button kind="main" icon="plus" onClick={() => navigate(accountRoute(webhook, addItem))}>
        Add accounts <Kbd>a</Kbd>
      </Button>
    </EmptyState>
  )
}

function Rows({
  webhook,
  state,
  onCursor,
}: {
  webhook: Webhook
  state: ReadyWindows<Subscription, null>
  onCursor: (index: number) => void
}) {
  const sort = useSubscriptions((each) => each.sort)
  const cursor = useSubscriptions((each) => each.cursor)
  const selected = useSubscriptions((each) => each.selected)
  return (
    <WindowGrid
      label="Subscribed accounts"
      className={styles['columns']}
      columns={columnsOf(sort)}
      list={subscriptions}
      state={state}
      cursor={cursor}
      onCursor={onCursor}
      onOpen={({ account }) => navigate(accountRoute(webhook, account))}
      onTop={(atTop) => {
        if (useSubscriptions.getState().atTop !== atTop) useSubscriptions.setState({ atTop })
      }}
      isSelected={({ account }) => selected.has(account)}
      onSelect={(index, reach) => {
        if (reach === 'range') void selectTo(index)
        else toggleRow(index)
      }}
      cells={(row, index) => (
        <SubscriptionCells
          row={row}
          index={index}
          webhook={webhook}
          isSelected={selected.has(row.account)}
        />
      )}
    />
  )
}

function columnsOf(sort: SubscriptionSort): Column[] {
  const by = (
    name: string,
    column: SubscriptionSort['by'],
    { end = false, className }: { end?: boolean; className?: string | undefined } = {},
  ): Column => ({
    name,
    end,
    className,
    sort: { direction: directionOf(sort, column), onSort: () => sortSubscriptions(column) },
  })
  return [
    { name: 'Selected', hideName: true },
    { name: 'Watched', hideName: true },
    by('Account', 'account'),
    by('Label', 'label'),
    by('Last delivered lt', 'lastDeliveredLt', { end: true }),
    by('Failed at', 'failedAt', { className: styles['failedAt'] }),
    by('Failed lt', 'failedLt', { end: true, className: styles['failedLt'] }),
    by('Attempts', 'failedAttempts', { end: true }),
    { name: 'Failing since' },
    by('Lag', 'lag'),
    { name: '24 hours', className: styles['sparkCell'] },
  ]
}
