/** The webhooks of each network as the gateway last reported them. */
import { create } from 'zustand'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { Webhook } from '../../src-preload/contract/webhook.ts'
import { announce } from '../ui/toast.tsx'
import { attempt, request, patchData, put } from './bridge.ts'
import { openDialog } from './features.tsx'

/** Networks whose webhooks are being loaded from the gateway. */
export const useRefreshing = create<{ networks: ReadonlySet<NetworkId> }>(() => ({
  networks: new Set(),
}))

/** Loads the webhooks from the gateway. If this fails, the list contains the reason. */
export async function refreshWebhooks(network: NetworkId): Promise<void> {
  if (useRefreshing.getState().networks.has(network)) return
  useRefreshing.setState(({ networks }) => ({ networks: new Set([...networks, network]) }))
  const list = await attempt('Could not load the webhooks', () =>
    request('webhook.list', { network, fresh: true }),
  )
  useRefreshing.setState(({ networks }) => ({
    networks: new Set([...networks].filter((id) => id !== network)),
  }))
  if (list === undefined) return
  put('webhook.list', { network }, list)
  if (list.problem !== null) announce(`Could not load the webhooks: ${list.problem}`)
}

/** Stores the webhook that a route returned, without waiting for the event. */
export function takeWebhook(webhook: Webhook): void {
  patchData('webhook.list', { network: webhook.network }, (list) => {
    const isKnown = list.webhooks.some(({ id }) => id === webhook.id)
    return {
      ...list,
      webhooks: isKnown
        ? list.webhooks.map((each) => (each.id === webhook.id ? webhook : each))
        : [webhook, ...list.webhooks],
    }
  })
}

/** Opens the dialog for a new webhook on the current network, from any page. */
export const openNewWebhook = () => openDialog('createWebhook', null)
