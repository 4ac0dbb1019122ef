import type { NetworkId, WebhookList } from '../../../src-preload/contract/index.ts'
import { on, request } from '../../bridge.ts'
import type { Resource } from '../../resource.ts'
import { createResource } from '../../resource.ts'

const lists = new Map<NetworkId, Resource<WebhookList>>()

/** The webhooks of a network as last read; kept current by events. */
export function webhooksOf(network: NetworkId): Resource<WebhookList> {
  const list = lists.get(network) ?? createResource(() => request('webhook.list', { network }))
  lists.set(network, list)
  return list
}

export function startWebhooks(): () => void {
  return on('webhook.changed', ({ network }) => void lists.get(network)?.reload())
}
