import type { Webhook, WebhookStatus } from '../../../../src-preload/contract/index.ts'

export type Only = WebhookStatus | 'failing' | null

export const sortKeys = [
  'status',
  'endpoint',
  'accounts',
  'opcodes',
  'failedAttempts',
  'failing',
  'lastOnlineAt',
] as const
export type SortKey = (typeof sortKeys)[number]

export type Order = { readonly by: SortKey; readonly descending: boolean }

export type ListChoice = {
  readonly text: string
  readonly only: Only
  /** Null: newest first, as they come. */
  readonly order: Order | null
}

/** The webhooks that a choice lets through, in its order. What the gateway left out stands last. */
export function arrange(
  webhooks: readonly Webhook[],
  { text, only, order }: ListChoice,
): readonly Webhook[] {
  const wanted = text.trim().toLowerCase()
  const shown = webhooks.filter(
    (webhook) =>
      matches(webhook, only) &&
      (webhook.id === wanted || webhook.endpoint.toLowerCase().includes(wanted)),
  )
  if (order === null) return shown
  const sign = order.descending ? -1 : 1
  return shown.toSorted((a, b) => {
    const [left, right] = [keyOf(a, order.by), keyOf(b, order.by)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    if (left === right) return 0
    return left < right ? -sign : sign
  })
}

export function matches({ status, failing }: Webhook, only: Only): boolean {
  if (only === null) return true
  return only === 'failing' ? failing > 0 : status === only
}

const severity: Record<WebhookStatus, number> = { online: 0, suspended: 1, offline: 2 }

function keyOf(webhook: Webhook, by: SortKey): string | number | null {
  if (by === 'status') return webhook.status === null ? null : severity[webhook.status]
  return by === 'endpoint' ? webhook.endpoint.toLowerCase() : webhook[by]
}

/** The worst or largest first, then the other way, then as they come. */
export function nextOrder(order: Order | null, by: SortKey): Order | null {
  const first = by !== 'endpoint'
  if (order?.by !== by) return { by, descending: first }
  return order.descending === first ? { by, descending: !first } : null
}
