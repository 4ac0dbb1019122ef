import type { StoredArrival } from '../../store/subscriptions/arrivals.ts'
import type { Arrival } from './verdict.ts'

export type WebhookRef = { readonly network: string; readonly webhook: string }

/**
 * What a delivery received here is to one webhook; null for another's. By the token that it carried:
 * where none was known to compare with, or it is not known whose it is, it may be this one's.
 */
export function attribute(
  { id, receivedAt, status, token, tokenId, isOutOfOrder }: StoredArrival,
  { network, webhook }: WebhookRef,
  ownerOf: (tokenId: string) => WebhookRef | null,
): Arrival | null {
  const owner = tokenId === null ? null : ownerOf(tokenId)
  const isAnothers = owner !== null && (owner.network !== network || owner.webhook !== webhook)
  if (isAnothers) return null
  const isAuthentic = token === 'right' || token === 'unchecked'
  return { id, receivedAt: Math.floor(receivedAt / 1000), status, isAuthentic, isOutOfOrder }
}
