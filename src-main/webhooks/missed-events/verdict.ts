import type { MissedEvent, Verdict } from '../../../src-preload/contract/missed-events.ts'
import type { StoredArrival } from '../../captures/store/arrivals.ts'
import type { CheckRecord } from '../store/missed-event-checks.ts'
import type { SubscribedAccount } from '../store/subscriptions.ts'
import type { Webhooks } from '../store/webhooks.ts'

/** Ids follow the order of arrival; `receivedAt` is in milliseconds. */
export type Arrival = Omit<StoredArrival, 'lt' | 'token' | 'tokenId'> & {
  /** True if the bearer token is the webhook's, or if no token was known for comparison. */
  readonly isAuthentic: boolean
}

type Counters = Pick<SubscribedAccount, 'lastDeliveredLt' | 'failedLt' | 'isFailing'>

export type Circumstances = {
  /** The time of the chain's clock. */
  readonly now: number
  readonly lateAfterMs: number
  /** True if blocks have real times; otherwise delays and local times cannot be compared with them. */
  readonly isWorldTime: boolean
  readonly isOnline: boolean
  readonly counters: Counters
  readonly since: number | null
  /** Captures received before this time may have been deleted; null if all are kept. */
  readonly keptFrom: number | null
  /** Lowest capture id among the delivered later events of the account; null if there are none. */
  readonly earliestLater: number | null
}

type Judgement = Pick<MissedEvent, 'verdict' | 'also' | 'gateway' | 'delayMs'> & {
  readonly taken: number | null
}

/** After this time an undelivered event is missing, even if the gateway works and nothing fails. */
export const silenceMs = 3_600_000

/**
 * Null if no verdict is possible: before the subscription, or if captures were deleted.
 * @param at block time in milliseconds, a whole second
 */
export function verdictOf(
  { lt, at }: { readonly lt: bigint; readonly at: number },
  arrivals: readonly Arrival[],
  circumstances: Circumstances,
): Judgement | null {
  const { counters, isWorldTime, lateAfterMs, earliestLater } = circumstances
  const gateway = outcomeOf(lt, counters)
  const taken = arrivals.filter(isTaken)
  const [first] = taken
  if (first !== undefined) {
    const delayMs = isWorldTime ? Math.max(0, first.receivedAt - at) : null
    const wasAfterLater = earliestLater !== null && earliestLater < first.id
    const wrongs: Verdict[] = []
    if (delayMs !== null && delayMs > lateAfterMs) wrongs.push('late')
    if (first.isOutOfOrder || wasAfterLater) wrongs.push('out-of-order')
    if (taken.length > 1) wrongs.push('duplicate')
    const [verdict = 'delivered', ...also] = wrongs
    if (arrivals.some(({ isAuthentic }) => !isAuthentic)) also.push('unauthenticated')
    return { verdict, also, gateway, delayMs, taken: first.id }
  }
  const nothing = { also: [], gateway, delayMs: null, taken: null }
  if (arrivals.some(({ isAuthentic }) => !isAuthentic)) {
    return { ...nothing, verdict: 'unauthenticated' }
  }
  if (arrivals.length === 0) {
    if (!isEvent(lt, at, circumstances)) return null
    if (isWorldTime && at < (circumstances.keptFrom ?? 0)) return null
  }
  return { ...nothing, verdict: isAwaited(at, gateway, circumstances) ? 'waiting' : 'missing' }
}

/** A sender that disconnected during the response had sent the whole request; its retry is a duplicate. */
const isTaken = ({ isAuthentic, status }: Arrival): boolean =>
  isAuthentic && (status === null || (status >= 200 && status < 300))

function outcomeOf(
  lt: bigint,
  { lastDeliveredLt, failedLt, isFailing }: Counters,
): Judgement['gateway'] {
  if (isFailing && lt === failedLt) return 'failed'
  if (lt <= lastDeliveredLt) return 'delivered'
  // The failing event need not be the first undelivered one, so the events in between are unknown.
  return isFailing && failedLt !== null && lt < failedLt ? 'unknown' : 'behind'
}

/** Block times are whole seconds, so the second of the subscription counts as before it. */
function isEvent(lt: bigint, at: number, { since, isWorldTime, counters }: Circumstances): boolean {
  const { isFailing, failedLt } = counters
  if (isFailing && failedLt !== null && lt >= failedLt) return true
  return since === null || !isWorldTime || at > Math.floor(since / 1000) * 1000
}

/** A delivery is still expected unless the gateway failed it, reported it as delivered, or does not try. */
function isAwaited(
  at: number,
  gateway: Judgement['gateway'],
  { now, lateAfterMs, isOnline, counters }: Circumstances,
): boolean {
  const age = now - at
  if (age < lateAfterMs) return true
  return gateway === 'behind' && isOnline && !counters.isFailing && age < silenceMs
}

/**
 * Null if the token belongs to another webhook; without a known token the capture may belong to
 * this webhook.
 */
export function attributeCapture(
  { id, receivedAt, status, token, tokenId, isOutOfOrder }: StoredArrival,
  { network, webhook }: Pick<CheckRecord, 'network' | 'webhook'>,
  isTokenOfAnother: Webhooks['isTokenOfAnother'],
): Arrival | null {
  if (isTokenOfAnother(tokenId, network, webhook)) return null
  const isAuthentic = token === 'right' || token === 'unchecked'
  return { id, receivedAt: Math.floor(receivedAt / 1000), status, isAuthentic, isOutOfOrder }
}
