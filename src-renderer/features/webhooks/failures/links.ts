import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { printRoute } from '../../../app/route.ts'
import { type HistoryRange, type WebhooksRoute, webhookRoute } from '../../../app/webhooks-route.ts'

/** A webhook's failures over a range; of one account, why its deliveries fail. */
export function failuresRoute(
  { id, network }: Pick<Webhook, 'id' | 'network'>,
  range: HistoryRange,
  account = '',
): WebhooksRoute {
  return { ...webhookRoute(id, 'failures', account, range), network }
}

export function failuresHref(
  webhook: Pick<Webhook, 'id' | 'network'>,
  range: HistoryRange,
  account = '',
): string {
  return printRoute(failuresRoute(webhook, range, account))
}
