import type { StoredArrival } from '../store/arrivals.ts'
import type { CheckRecord } from '../store/ledger-checks.ts'
import type { Webhooks } from '../store/webhooks.ts'
import type { Arrival } from './verdict.ts'

/**
 * What a delivery received here is to one webhook; null for another's. By the token that it carried:
 * where none was known to compare with, or it is not known whose it is, it may be this one's.
 */
export function attribute(
  { id, receivedAt, status, token, tokenId, isOutOfOrder }: StoredArrival,
  { network, webhook }: Pick<CheckRecord, 'network' | 'webhook'>,
  isTokenOfAnother: Webhooks['isTokenOfAnother'],
): Arrival | null {
  if (tokenId !== null && isTokenOfAnother(tokenId, network, webhook)) return null
  const isAuthentic = token === 'right' || token === 'unchecked'
  return { id, receivedAt: Math.floor(receivedAt / 1000), status, isAuthentic, isOutOfOrder }
}
