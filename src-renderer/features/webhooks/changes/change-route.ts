import type { Change } from '../../../../src-preload/contract/subscription.ts'
import { type WebhooksRoute, webhookRoute, webhooksHome } from '../../../app/webhooks-route.ts'

/** Its report, at the webhook it is about or at the first of several; else where files are applied. */
export function changeRoute(
  { id, network, webhooks }: Pick<Change, 'id' | 'network' | 'webhooks'>,
  webhook = webhooks.find((each) => each.id !== null)?.id ?? null,
): WebhooksRoute {
  if (webhook === null) return { ...webhooksHome, network, view: 'file' }
  return { ...webhookRoute(webhook, 'changes', String(id)), network }
}
