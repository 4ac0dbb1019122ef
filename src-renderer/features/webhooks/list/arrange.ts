import type { Webhook, WebhookStatus } from '../../../../src-preload/contract/webhook.ts'
import type { Sort } from '../../../components/list/sort.ts'

export type Only = WebhookStatus | 'failing' | null

/** `id`: newest first, as they come. */
const sortKeys = [
  'id',
  'status',
  'endpoint',
  'accounts',
  'opcodes',
  'failedAttempts',
  'failing',
  'lastOnlineAt',
] as const
export type SortKey = (typeof sortKeys)[number]

type Order = Sort<SortKey>

export const usualOrder: Order = { by: 'id', descending: true }

/** What is looked for in these is large, or bad. */
export const largeFirst: ReadonlySet<SortKey> = new Set(
  sortKeys.filter((key) => key !== 'endpoint'),
)

export type ListChoice = {
  readonly text: string
  readonly only: Only
  readonly order: Order
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
  const { by } = order
  if (by === 'id') return shown
  const sign = order.descending ? -1 : 1
  return shown.toSorted((a, b) => {
    const [left, right] = [keyOf(a, by), keyOf(b, by)]
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

function keyOf(webhook: Webhook, by: Exclude<SortKey, 'id'>): string | number | null {
  if (by === 'status') return webhook.status === null ? null : severity[webhook.status]
  return by === 'endpoint' ? webhook.endpoint.toLowerCase() : webhook[by]
}
