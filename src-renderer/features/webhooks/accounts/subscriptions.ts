/**
 * The accounts that a webhook is subscribed to. The filter and the order are kept while the user
 * looks at other pages.
 */
import { useEffect } from 'react'
import type { Network, NetworkId } from '../../../../src-preload/contract/network.ts'
import type {
  Change,
  Subscription,
  SubscriptionFilter,
  SubscriptionSort,
  SubscriptionsFormat,
  Lag,
  MirrorState,
} from '../../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { attempt, on, onReconnect, request } from '../../../app/bridge.ts'
import { saveExport } from '../../../components/files/save-export.tsx'
import { confirmOn } from '../../../components/network-tag.tsx'
import { withoutScheme } from '../../../components/webhook.tsx'
import { nextSort } from '../../../ui/data-list.tsx'
import { formatCount, formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'
import { createLiveList } from '../../../ui/live-list.ts'
import { announce } from '../../../ui/toast.tsx'
import { changeJobs } from '../changes/changes.ts'

type OfWebhook = { readonly network: NetworkId; readonly webhook: string }
type Question = OfWebhook & {
  readonly filter: SubscriptionFilter
  readonly sort: SubscriptionSort
}

export const everyAccount: SubscriptionFilter = { text: '', only: null }

/** The accounts with the most failed attempts are first, and accounts without a delivery are last. */
const defaultOrder: SubscriptionSort = { by: 'failedAttempts', descending: true }

const largeFirst: ReadonlySet<SubscriptionSort['by']> = new Set([
  'lastDeliveredLt',
  'failedAt',
  'failedLt',
  'failedAttempts',
  'lag',
])

export const ofWebhook = ({ network, id }: Pick<Webhook, 'network' | 'id'>): OfWebhook => ({
  network,
  webhook: id,
})

export const isEveryAccount = ({ text, only }: SubscriptionFilter) => text === '' && only === null

const defaults = { filter: everyAccount, sort: defaultOrder }

/** Returns the filter and the order of the list. */
export const useListQuestion = () => subscriptionList.use(({ question }) => question ?? defaults)

export const subscriptionList = createLiveList({
  load: async (question: Question, offset, limit) => {
    const { total, rows, counts, mirror } = await request('subscription.list', {
      ...question,
      offset,
      limit,
    })
    return { total, rows, extra: { counts, mirror } }
  },
  idOf: ({ account }: Subscription) => account,
})

/** Shows the accounts of a webhook and follows their changes. */
export function useSubscriptionsOf({ network, id }: Webhook): void {
  useEffect(() => {
    const { question } = subscriptionList.use.getState()
    const isSame = question?.network === network && question.webhook === id
    subscriptionList.open(isSame ? question : { network, webhook: id, ...defaults })
  }, [network, id])
  useEffect(() => {
    const stops = [
      on('subscription.changed', (changed) => {
        if (changed.network === network && changed.webhooks.includes(id)) subscriptionList.note()
      }),
      on('label.changed', (changed) => changed.network === network && subscriptionList.note()),
      onReconnect(() => subscriptionList.note()),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [network, id])
}

/**
 * Changes the filter. The selection is cleared, because selected accounts may no longer match and
 * must not be removed unseen.
 */
export function filterSubscriptions(change: Partial<SubscriptionFilter>): void {
  const { question } = subscriptionList.use.getState()
  if (question === null) return
  subscriptionList.open({ ...question, filter: { ...question.filter, ...change } }, { keep: true })
}

export function sortSubscriptions(by: SubscriptionSort['by']): void {
  const { question } = subscriptionList.use.getState()
  if (question === null) return
  const sort = nextSort(question.sort, by, { usual: defaultOrder, largeFirst })
  subscriptionList.open({ ...question, sort }, { keep: true, keepSelected: true })
}

/** Shows the user's own changes at once, wherever the list is scrolled to. */
function showChange({ network, webhooks }: Pick<Change, 'network' | 'webhooks'>): void {
  const { question } = subscriptionList.use.getState()
  if (question?.network === network && webhooks.some(({ id }) => id === question.webhook)) {
    subscriptionList.refresh()
  }
}

changeJobs.onOutcome(showChange)

/** The maximum number of accounts that the main process takes at once. */
const maxWatched = 1000

/** Watches accounts: Tondesk then loads their lag with every update. */
export async function watchAccounts(
  webhook: Webhook,
  { accounts, watched }: { accounts: readonly string[]; watched: boolean },
): Promise<void> {
  await attempt(
    watched ? 'Could not watch the accounts' : 'Could not stop watching the accounts',
    async () => {
      for (let at = 0; at < accounts.length; at += maxWatched) {
        const some = accounts.slice(at, at + maxWatched)
        await request('subscription.watch', { ...ofWebhook(webhook), accounts: some, watched })
      }
      const what = formatCount(accounts.length, 'account')
      announce(watched ? `${what} watched` : `${what} no longer watched`)
    },
  )
  subscriptionList.refresh()
}

export async function loadAccounts(webhook: Pick<Webhook, 'network' | 'id'>): Promise<void> {
  const mirror = await attempt('Could not load the accounts', () =>
    request('subscription.refresh', ofWebhook(webhook)),
  )
  if (mirror !== undefined) subscriptionList.refresh()
}

export async function cancelLoading(webhook: Webhook): Promise<void> {
  const mirror = await attempt('Could not cancel the loading of accounts', () =>
    request('subscription.cancelRefresh', ofWebhook(webhook)),
  )
  if (mirror !== undefined) subscriptionList.refresh()
}

/** Unsubscribes accounts after a question. The user can undo this. */
export async function removeAccounts(
  webhook: Webhook,
  { accounts, network }: { accounts: readonly string[]; network: Network },
): Promise<void> {
  if (accounts.length === 0) return
  const what = formatCount(accounts.length, 'account')
  if (await confirmRemoval(webhook, { what, network })) {
    await remove(webhook, { accounts: [...accounts] })
  }
}

/** Unsubscribes all accounts that match the filter, including those that are not visible. */
export async function removeShown(webhook: Webhook, network: Network): Promise<void> {
  const { total, question } = subscriptionList.use.getState()
  const { filter } = question ?? defaults
  const what = `${isEveryAccount(filter) ? 'all ' : ''}${formatCount(total, 'account')}`
  if (await confirmRemoval(webhook, { what, network })) {
    await remove(webhook, { filter, most: total })
  }
}

function confirmRemoval(
  { endpoint }: Webhook,
  { what, network }: { what: string; network: Network },
): Promise<boolean> {
  return confirmOn(network, {
    title: `Remove ${what} from ${withoutScheme(endpoint)}?`,
    detail: `The gateway stops delivering the transactions of these accounts to ${endpoint}. You can undo the removal, but transactions that occur in the meantime are never delivered.`,
    action: `Remove ${what}`,
    destructive: true,
  })
}

type Removed = Parameters<typeof request<'subscription.remove'>>[1]['of']

async function remove(webhook: Webhook, of: Removed): Promise<void> {
  const change = await attempt('Could not remove the accounts', () =>
    request('subscription.remove', { ...ofWebhook(webhook), of }),
  )
  if (change === undefined) return
  subscriptionList.selectNone()
  subscriptionList.put(null)
  announce('Removing accounts')
  changeJobs.begun(change)
}

/** Saves the subscriptions of a webhook as a file, which the page “Subscriptions file” can open. */
export function exportSubscriptions(
  { network, id }: Webhook,
  format: SubscriptionsFormat,
): Promise<boolean> {
  return saveExport(format.toUpperCase(), 'subscriptions', () =>
    request('subscription.export', { network, webhooks: [id], format }),
  )
}

/** Describes how far deliveries to an account are behind the chain: `12 tx, 3 min`, or `none`. */
export function formatLag({ transactions, more, milliseconds }: Lag): string {
  if (transactions === 0 && !more) return 'none'
  const parts = [
    transactions !== null && `${formatNumber(transactions)}${more ? '+' : ''} tx`,
    milliseconds !== null && formatDuration(fromMs(milliseconds)),
  ]
  return parts.filter(Boolean).join(', ') || 'behind'
}

/** Describes the failed attempts of the last 24 hours, given for each hour. */
export function describeSpark(spark: readonly number[]): string {
  const sum = spark.reduce((total, each) => total + each, 0)
  if (sum === 0) return 'No failed attempts in 24 hours'
  const max = Math.max(...spark)
  const ago = spark.length - 1 - spark.lastIndexOf(max)
  const when = ago === 0 ? 'in the last hour' : `${formatCount(ago, 'hour')} ago`
  const all = `${formatCount(sum, 'failed attempt')} in 24 hours`
  return max === sum ? `${all}, ${when}` : `${all}, most ${when}: ${formatNumber(max)}`
}

/** Returns whether the account ever got a delivery; `0` stands for an account without one. */
export const hasDelivered = ({ lastDeliveredLt }: Subscription): boolean => lastDeliveredLt !== '0'

/**
 * Describes how many accounts are loaded: `12 000 of 100 000`, or only the first number if the
 * total is unknown.
 */
export function formatLoading({ rows, expected }: NonNullable<MirrorState['reading']>): string {
  const loaded = formatNumber(rows)
  return expected === null || expected < rows ? loaded : `${loaded} of ${formatNumber(expected)}`
}
