import { create } from 'zustand'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Webhook, WebhookList } from '../../../src-preload/contract/webhook.ts'
import { attempt } from '../../app/attempt.ts'
import { on, request } from '../../app/bridge.ts'
import { type Resource, createResource, useResource, valueOf } from '../../app/resource.ts'
import { announce } from '../../ui/live-region.tsx'
import { useCurrentNetwork } from '../../app/networks.ts'
import { countFailing } from './webhook-words.ts'

const lists = new Map<NetworkId, Resource<WebhookList>>()

/** The webhooks of a network as last read; kept current by events. */
export function webhooksOf(network: NetworkId): Resource<WebhookList> {
  const list = lists.get(network) ?? createResource(() => request('webhook.list', { network }))
  lists.set(network, list)
  return list
}

const noList = createResource<WebhookList | null>(() => Promise.resolve(null))

/** Accounts of the present network whose last delivery failed. */
export function useFailingAccounts(): number {
  const network = useCurrentNetwork()
  const list: Resource<WebhookList | null> = network === null ? noList : webhooksOf(network.id)
  return countFailing(valueOf(useResource(list))?.webhooks ?? [])
}

/** Networks whose gateway is being asked because somebody waits for it. */
export const useReading = create<{ networks: ReadonlySet<NetworkId> }>(() => ({
  networks: new Set(),
}))

/** Asks the gateway. Why it could not be read stands in the list itself. */
export async function readWebhooks(network: NetworkId): Promise<void> {
  if (useReading.getState().networks.has(network)) return
  useReading.setState(({ networks }) => ({ networks: new Set([...networks, network]) }))
  const list = await attempt('Could not read the webhooks', () =>
    request('webhook.list', { network, fresh: true }),
  )
  useReading.setState(({ networks }) => ({
    networks: new Set([...networks].filter((id) => id !== network)),
  }))
  if (list === undefined) return
  webhooksOf(network).set(list)
  if (list.problem !== null) announce(`The webhooks could not be read: ${list.problem}`)
}

/** Takes one that an answer holds, without waiting for the event. */
export function takeWebhook(webhook: Webhook): void {
  const list = webhooksOf(webhook.network)
  const state = list.store.getState()
  if (state.status !== 'ready') return
  const { webhooks } = state.value
  const isKnown = webhooks.some(({ id }) => id === webhook.id)
  list.set({
    ...state.value,
    webhooks: isKnown
      ? webhooks.map((each) => (each.id === webhook.id ? webhook : each))
      : [webhook, ...webhooks],
  })
}

export function startWebhooks(): () => void {
  // Whether one delivers here goes by the receiver's URL and the public one of the settings.
  const reloadAll = () => {
    for (const list of lists.values()) void list.reload()
  }
  const stops = [
    on('webhook.changed', ({ network }) => void lists.get(network)?.reload()),
    on('receiver.changed', reloadAll),
    on('settings.changed', reloadAll),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
