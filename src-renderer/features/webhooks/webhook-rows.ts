/** The filter and the order of the list of webhooks. */
import type {
  Webhook,
  WebhookHealth,
  WebhookStatus,
} from '../../../src-preload/contract/webhook.ts'
import { webhookState } from '../../../src-preload/domain/webhook-state.ts'
import type { Sort } from '../../ui/data-list.tsx'
import { attemptsOf, successOf } from './deliveries/health.ts'

/** A webhook with its deliveries of the last 24 hours, once these are loaded. */
export type ListedWebhook = Webhook & { readonly health?: WebhookHealth | undefined }

export type Only = WebhookStatus | 'failing' | null

/** `id` is the gateway's own order, newest first. */
export type SortKey =
  | 'id'
  | 'status'
  | 'endpoint'
  | 'accounts'
  | 'opcodes'
  | 'failedAttempts'
  | 'failing'
  | 'lastOnlineAt'
  | HealthKey

type HealthKey = 'success' | 'attempts' | 'p50' | 'p95' | 'lastError'

export type ListChoice = {
  readonly text: string
  readonly only: Only
  readonly order: Sort<SortKey>
}

export const defaultOrder: Sort<SortKey> = { by: 'id', descending: true }

/** The columns whose heading sorts large or bad values first. */
export const largeFirst: ReadonlySet<SortKey> = new Set([
  'id',
  'status',
  'accounts',
  'opcodes',
  'failedAttempts',
  'failing',
  'lastOnlineAt',
  'attempts',
  'p50',
  'p95',
  'lastError',
])

/**
 * Returns the webhooks that match, in the chosen order. A value that the gateway does not report
 * comes last.
 */
export function arrangeWebhooks(
  all: readonly ListedWebhook[],
  { text, only, order }: ListChoice,
): readonly ListedWebhook[] {
  const wanted = text.trim().toLowerCase()
  const found = all.filter(
    (webhook) =>
      matchesFilter(webhook, only) &&
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

export function matchesFilter(webhook: Webhook, only: Only): boolean {
  if (only === null) return true
  const state = webhookState(webhook)
  // One that went offline because of its failures is in both.
  return state === only || (only === 'failing' && webhook.failing > 0)
}

const severity = { online: 0, failing: 1, suspended: 2, offline: 3 }

function keyOf(webhook: ListedWebhook, by: Exclude<SortKey, 'id'>): string | number | null {
  switch (by) {
    case 'status': {
      const state = webhookState(webhook)
      return state === null ? null : severity[state]
    }
    case 'endpoint':
      return webhook.endpoint.toLowerCase()
    case 'success':
      return successOf(webhook.health)
    case 'attempts':
      return attemptsOf(webhook.health)
    case 'p50':
    case 'p95':
      return webhook.health?.delay?.[by] ?? null
    case 'lastError':
      return webhook.health?.lastError?.at ?? null
    case 'accounts':
    case 'opcodes':
    case 'failedAttempts':
    case 'failing':
    case 'lastOnlineAt':
      return webhook[by]
  }
}

/**
 * True if an endpoint has the secret path of this receiver but another host, as it does after the
 * public URL has changed.
 */
export function isFormerlyHere(endpoint: string, receiverUrl: string | null): boolean {
  const path = receiverUrl === null ? undefined : URL.parse(receiverUrl)?.pathname
  const own = URL.parse(endpoint)?.pathname
  return path !== undefined && path.length > 1 && own?.endsWith(path) === true
}
