import { create } from 'zustand'
import type {
  Change,
  Subscription,
  SubscriptionFilter,
  SubscriptionSort,
} from '../../../../src-preload/contract/subscription.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { toAppError, on, onReconnect, request } from '../../../app/bridge.ts'
import { throttle } from '../../../ui/throttle.ts'
import { createWindowList, windowOf, windowSize } from '../../../components/list/windows.ts'
import { changeJobs } from '../changes/changes.ts'
import { everyAccount, nextSubscriptionSort, usualOrder, wouldMove } from './subscription-order.ts'

export type OfWebhook = { readonly network: NetworkId; readonly webhook: string }

type Page = Output<'subscription.list'>

type SubscriptionsState = {
  readonly of: OfWebhook | null
  readonly filter: SubscriptionFilter
  readonly sort: SubscriptionSort
  /** Of all its accounts, whatever the filter; null until it is known. */
  readonly standing: Pick<Page, 'counts' | 'mirror'> | null
  /** The row that keys act on, by its index. */
  readonly cursor: number | null
  readonly atTop: boolean
  /** What is known has changed and would move the rows being read. */
  readonly hasNews: boolean
  readonly selected: ReadonlySet<string>
  /** Where a range of selected rows begins. */
  readonly anchor: number | null
}

const nothingSelected = { selected: new Set<string>(), anchor: null }

/** What is shown of which webhook; it stays while one looks at other pages. */
export const useSubscriptions = create<SubscriptionsState>(() => ({
  of: null,
  filter: everyAccount,
  sort: usualOrder,
  standing: null,
  cursor: null,
  atTop: true,
  hasNews: false,
  ...nothingSelected,
}))

export const subscriptions = createWindowList<Subscription, null>()

/** Rows of what is shown now, in its order. */
export async function readRows(offset: number, limit: number): Promise<Page> {
  const { of, filter, sort } = useSubscriptions.getState()
  if (of === null) throw toAppError(new Error('No webhook is open.'))
  const page = await request('subscription.list', { ...of, filter, sort, offset, limit })
  if (useSubscriptions.getState().of === of) {
    useSubscriptions.setState({ standing: { counts: page.counts, mirror: page.mirror } })
  }
  return page
}

function load({ keep }: { keep: boolean }): void {
  useSubscriptions.setState({ cursor: null, anchor: null, atTop: true, hasNews: false })
  subscriptions.open(
    async (offset, limit) => {
      const { total, rows } = await readRows(offset, limit)
      return { total, rows, extra: null }
    },
    { keep },
  )
}

export function openSubscriptions(network: NetworkId, webhook: string): void {
  const { of } = useSubscriptions.getState()
  if (of?.network === network && of.webhook === webhook) {
    showNews()
    return
  }
  useSubscriptions.setState({
    of: { network, webhook },
    filter: everyAccount,
    sort: usualOrder,
    standing: null,
    ...nothingSelected,
  })
  load({ keep: false })
}

/** What was selected may no longer be in sight: it is not to be removed unseen. */
export function filterSubscriptions(change: Partial<SubscriptionFilter>): void {
  useSubscriptions.setState(({ filter }) => ({
    filter: { ...filter, ...change },
    ...nothingSelected,
  }))
  load({ keep: true })
}

export function sortSubscriptions(by: SubscriptionSort['by']): void {
  useSubscriptions.setState(({ sort }) => ({ sort: nextSubscriptionSort(sort, by) }))
  load({ keep: true })
}

export function clearSelection(): void {
  useSubscriptions.setState(nothingSelected)
}

export function showNews(): void {
  useSubscriptions.setState({ hasNews: false })
  subscriptions.refresh()
}

/** What somebody has changed himself is shown at once, wherever he reads. */
function showChange({ network, webhooks }: Pick<Change, 'network' | 'webhooks'>): void {
  const { of } = useSubscriptions.getState()
  if (of?.network === network && webhooks.some(({ id }) => id === of.webhook)) showNews()
}

changeJobs.onOutcome(showChange)

/** Figures change in their places; rows that would stand elsewhere wait until nobody reads them. */
async function noteChange(): Promise<void> {
  const { cursor, atTop, hasNews, of } = useSubscriptions.getState()
  const state = subscriptions.store.getState()
  if (state.status !== 'ready' || (atTop && cursor === null)) {
    showNews()
    return
  }
  const at = windowOf(subscriptions.firstShown())
  const newer = await readRows(at * windowSize, windowSize).catch(() => null)
  if (newer === null || hasNews || useSubscriptions.getState().of !== of) return
  const moves = wouldMove(state.held.get(at) ?? [], newer.rows, [state.total, newer.total])
  if (moves) useSubscriptions.setState({ hasNews: true })
  else subscriptions.refresh()
}

/** The copy is looked at anew this often while it changes. */
const lookMs = 1000

/** Follows what the app learns of them. Returns the way to stop. */
export function followSubscriptions(): () => void {
  const look = throttle(() => void noteChange(), lookMs)
  const stops = [
    on('subscription.changed', ({ network, webhooks }) => {
      const { of } = useSubscriptions.getState()
      if (of?.network === network && webhooks.includes(of.webhook)) look.call()
    }),
    onReconnect(() => look.call()),
  ]
  return () => {
    for (const stop of stops) stop()
    look.cancel()
  }
}
