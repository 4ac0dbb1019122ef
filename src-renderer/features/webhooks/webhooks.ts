/** Which webhooks a list shows, and in which order. */
import type { Webhook, WebhookStatus } from '../../../src-preload/contract/webhook.ts'
import type { Sort } from '../../ui/data-list.tsx'

export type Only = WebhookStatus | 'failing' | null

/** `id` is the order of the gateway, newest first. */
export type SortKey =
  | 'id'
  | 'status'
  | 'endpoint'
  | 'accounts'
  | 'opcodes'
  | 'failedAttempts'
  | 'failing'
  | 'lastOnlineAt'

export type ListChoice = {
  readonly text: string
  readonly only: Only
  readonly order: Sort<SortKey>
}

export const defaultOrder: Sort<SortKey> = { by: 'id', descending: true }

/** Sorted by these, the first press of the heading shows large or bad values first. */
export const largeFirst: ReadonlySet<SortKey> = new Set([
  'id',
  'status',
  'accounts',
  'opcodes',
  'failedAttempts',
  'failing',
  'lastOnlineAt',
])

/** The webhooks that match, in the order chosen. A value that the gateway does not report comes last. */
export function arrange(
  all: readonly Webhook[],
  { text, only, order }: ListChoice,
): readonly Webhook[] {
  const wanted = text.trim().toLowerCase()
  const found = all.filter(
    (webhook) =>
      matches(webhook, only) &&
      (webhook.id === wanted || webhook.endpoint.toLowerCase().includes(wanted)),
  )
  const { by } = order
  if (by === 'id') return found
  const sign = order.descending ? -1 : 1
  return found.toSorted((a, b) => {
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

/**
 * Whether an endpoint has the secret path of this receiver, on a host that is not known to be the receiver:
 * so it is after the public URL has changed.
 */
export function isFormerlyHere(endpoint: string, receiverUrl: string | null): boolean {
  const path = receiverUrl === null ? undefined : URL.parse(receiverUrl)?.pathname
  const own = URL.parse(endpoint)?.pathname
  return path !== undefined && path.length > 1 && own?.endsWith(path) === true
}
