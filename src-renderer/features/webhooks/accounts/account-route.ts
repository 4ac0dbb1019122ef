import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { type WebhooksRoute, webhookRoute } from '../../../app/webhooks-route.ts'

/** In place of an account in the address: accounts are being added. */
export const addItem = 'add'

/** The accounts of a webhook; one of them open, or `addItem`. */
export function accountRoute(
  { id, network }: Pick<Webhook, 'id' | 'network'>,
  item = '',
): WebhooksRoute {
  return { ...webhookRoute(id, 'accounts', item), network }
}
