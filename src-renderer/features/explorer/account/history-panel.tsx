import type { AccountView } from '../../../../src-preload/contract/chain.ts'
import { formatCount } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { NewsBar } from '../../../ui/news-bar.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { StaleBanner, UnreadTransactions, useReloadOnceAvailable } from '../answered.tsx'
import { HistoryFilters } from './history-filters.tsx'
import { HistoryList } from './history-list.tsx'
import { isFiltered } from './history-words.ts'
import type { History } from './history.ts'
import styles from './account.module.css'

/** What an account did: filters, what is new, the list. */
export function HistoryPanel({
  history,
  account,
  onAtTop,
}: {
  history: History
  account: AccountView
  onAtTop: (atTop: boolean) => void
}) {
  const state = history.store()
  const reload = () => void history.load()
  useReloadOnceAvailable(state.status === 'failed', reload)
  useShortcuts([
    { keys: ['.'], label: 'Show what is new', group: 'Transactions', run: () => history.showNew() },
  ])
  const waiting = state.status === 'ready' ? state.pages.waiting.length : 0
  return (
    <section className={styles['panel']} aria-label="History">
      <HistoryFilters history={history} jettons={account.jettons ?? []} />
      <div>
        {waiting > 0 && <NewsBar onShow={() => history.showNew()}>{waiting} new</NewsBar>}
        {state.status === 'ready' && <Staleness history={history} account={account} />}
        {state.status === 'ready' && <UnreadTransactions unread={state.pages.unread} />}
      </div>
      <List history={history} account={account} onAtTop={onAtTop} />
    </section>
  )
}

function Staleness({ history, account }: { history: History; account: AccountView }) {
  const state = history.store()
  if (state.status !== 'ready') return null
  const { newerProblem, pages } = state
  if (newerProblem !== null) {
    return (
      <StaleBanner
        why={`Newer transactions could not be asked for: ${newerProblem.message}`}
        onRetry={() => void history.poll(() => false)}
      />
    )
  }
  // The account's own banner says it already.
  if (pages.offline === null || account.offline !== null) return null
  return (
    <StaleBanner
      why={`From this computer’s store. ${pages.offline}`}
      onRetry={() => void history.load()}
    />
  )
}

function List({
  history,
  account,
  onAtTop,
}: {
  history: History
  account: AccountView
  onAtTop: (atTop: boolean) => void
}) {
  const state = history.store()
  if (state.status === 'loading') return <Skeleton rows={10} label="Loading the history" />
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The history could not be loaded"
        why={state.error.message}
        onRetry={() => void history.load()}
      />
    )
  }
  const { rows, older, scanned } = state.pages
  if (rows.length === 0 && older === null) {
    return isFiltered(history.question.filter) ? (
      <EmptyState
        title="Nothing passes these filters"
        detail={`${formatCount(scanned, 'transaction')} read. Take a filter away to see more.`}
      />
    ) : (
      <EmptyState
        title={
          account.lastActivity === null
            ? 'Nothing has happened here yet'
            : 'The gateway has no transactions of this account'
        }
        detail={
          account.lastActivity === null
            ? 'Its transactions appear as soon as they are on the chain.'
            : 'The account was active before. The gateway may keep recent history only.'
        }
      />
    )
  }
  return <HistoryList history={history} state={state} onAtTop={onAtTop} />
}
