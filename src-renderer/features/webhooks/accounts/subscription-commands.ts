import type { Network } from '../../../../src-preload/contract/network.ts'
import type { SubscriptionsFormat } from '../../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { announce } from '../../../ui/live-region.tsx'
import { saveExport } from '../../../components/files/save-export.ts'
import { confirmOn } from '../../../components/network-confirm.tsx'
import { changeJobs } from '../changes/changes.ts'
import { withoutScheme } from '../webhook-words.ts'
import { isEveryAccount } from './subscription-order.ts'
import { type OfWebhook, clearSelection, subscriptions, useSubscriptions } from './subscriptions.ts'

/** As many as the main process takes at once. */
const mostWatched = 1000

export const ofWebhook = ({ network, id }: Webhook): OfWebhook => ({ network, webhook: id })

/** Follows the lag of these accounts, or no longer. */
export async function watchAccounts(
  of: OfWebhook,
  accounts: readonly string[],
  watched: boolean,
): Promise<void> {
  await attempt(watched ? 'Could not watch' : 'Could not stop watching', async () => {
    for (let at = 0; at < accounts.length; at += mostWatched) {
      const some = accounts.slice(at, at + mostWatched)
      await request('subscription.watch', { ...of, accounts: some, watched })
    }
    const what = formatCount(accounts.length, 'account')
    announce(watched ? `${what} watched` : `${what} no longer watched`)
  })
  subscriptions.refresh()
}

export async function readNow(of: OfWebhook): Promise<void> {
  const mirror = await attempt('Could not read the accounts', () =>
    request('subscription.refresh', of),
  )
  if (mirror !== undefined) subscriptions.refresh()
}

export async function cancelReading(of: OfWebhook): Promise<void> {
  const mirror = await attempt('Could not stop reading', () =>
    request('subscription.cancelRefresh', of),
  )
  if (mirror !== undefined) subscriptions.refresh()
}

/** Unsubscribes these, after asking; it can be undone. */
export async function removeAccounts(
  network: Network,
  webhook: Webhook,
  accounts: readonly string[],
): Promise<void> {
  if (accounts.length === 0) return
  const sure = await ask(network, webhook, formatCount(accounts.length, 'account'))
  if (sure) await remove(webhook, { accounts: [...accounts] })
}

/** All that the filter lets through, those that are out of sight too. */
export async function removeShown(
  network: Network,
  webhook: Webhook,
  total: number,
): Promise<void> {
  const { filter } = useSubscriptions.getState()
  const all = isEveryAccount(filter) ? 'all ' : ''
  const sure = await ask(network, webhook, `${all}${formatCount(total, 'account')}`)
  if (sure) await remove(webhook, { filter, most: total })
}

function ask(network: Network, { endpoint }: Webhook, what: string): Promise<boolean> {
  return confirmOn(network, {
    title: `Remove ${what} from ${withoutScheme(endpoint)}?`,
    detail: `The gateway then delivers none of their transactions to ${endpoint}. This can be undone, but what happens meanwhile is not delivered later.`,
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
  clearSelection()
  useSubscriptions.setState({ cursor: null })
  announce('Removing')
  changeJobs.begun(change)
}

/** The webhook's subscriptions as they are, in the form that the file view reads. */
export function exportSubscriptions(
  { network, id }: Webhook,
  format: SubscriptionsFormat,
): Promise<boolean> {
  return saveExport(format.toUpperCase(), () =>
    request('subscription.export', { network, webhooks: [id], format }),
  )
}
