/** What became of an event: the chain, the gateway's counters and the deliveries here, put together. */
import type { LedgerEvent, Verdict } from '../../../src-preload/contract/ledger.ts'
import type { StoredArrival } from '../store/arrivals.ts'
import type { CheckRecord } from '../store/ledger-checks.ts'
import type { Webhooks } from '../store/webhooks.ts'

/** A delivery that was received here. */
export type Arrival = {
  /** Ids follow the order of arrival. */
  readonly id: number
  /** Milliseconds. */
  readonly receivedAt: number
  /** Null: the sender was gone before the answer. */
  readonly status: number | null
  /** Its bearer is the webhook's, or there was none known to compare with. */
  readonly isAuthentic: boolean
  /** A later event of its account had arrived before, as it was classified. */
  readonly isOutOfOrder: boolean
}

/** What the gateway's counters say of an account; as last read. */
type Counters = {
  readonly lastDeliveredLt: bigint
  readonly failedLt: bigint | null
  readonly isFailing: boolean
}

export type Circumstances = {
  /** By the clock that blocks are dated by. */
  readonly now: number
  readonly lateAfterMs: number
  /**
   * Blocks are dated by the clock of the world, as deliveries here are; else a delay tells nothing,
   * nor do moments of this computer tell when an account was subscribed.
   */
  readonly isWorldTime: boolean
  /** The webhook is neither offline nor suspended, as last read. */
  readonly isOnline: boolean
  readonly counters: Counters
  /** Since when the webhook hears of the account; null where that is not known. */
  readonly since: number | null
  /** Deliveries received before may be gone; null when all are kept. */
  readonly keptFrom: number | null
  /** Lowest id of a taken delivery of a later event of the account; null when there was none. */
  readonly earliestLater: number | null
}

type Judgement = {
  readonly verdict: Verdict
  /** Whatever else applies. */
  readonly also: readonly Verdict[]
  readonly gateway: LedgerEvent['gateway']
  readonly delayMs: number | null
  /** Id of the first delivery that was taken. */
  readonly taken: number | null
}

/** A gateway at work, with nothing failing, is waited for so long before silence is called a loss. */
export const silenceMs = 3_600_000

/**
 * Null for what is no event of this webhook (before it heard of the account), or of which nothing
 * can be told any more (its delivery may have been cleared away).
 * @param at of its block, milliseconds: whole seconds
 */
export function judge(
  { lt, at }: { readonly lt: bigint; readonly at: number },
  arrivals: readonly Arrival[],
  circumstances: Circumstances,
): Judgement | null {
  const { counters, isWorldTime, lateAfterMs, earliestLater } = circumstances
  const gateway = sayOf(lt, counters)
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
  const nothing = { also: [], gateway, delayMs: null, taken: null } as const
  if (arrivals.some(({ isAuthentic }) => !isAuthentic)) {
    return { ...nothing, verdict: 'unauthenticated' }
  }
  if (arrivals.length === 0) {
    if (!isEvent(lt, at, circumstances)) return null
    if (isWorldTime && at < (circumstances.keptFrom ?? 0)) return null
  }
  return { ...nothing, verdict: isAwaited(at, gateway, circumstances) ? 'waiting' : 'missing' }
}

/**
 * Answered 2xx, or given up by the sender while it was being answered: it is here, all of it, and
 * what the gateway makes of that shows as a duplicate.
 */
function isTaken({ isAuthentic, status }: Arrival): boolean {
  return isAuthentic && (status === null || (status >= 200 && status < 300))
}

function sayOf(
  lt: bigint,
  { lastDeliveredLt, failedLt, isFailing }: Counters,
): Judgement['gateway'] {
  if (isFailing && lt === failedLt) return 'failed'
  if (lt <= lastDeliveredLt) return 'delivered'
  // Between the two the counters say nothing: what fails now is not the first that was not delivered.
  return isFailing && failedLt !== null && lt < failedLt ? 'unknown' : 'behind'
}

/** Blocks have whole seconds: the one in which it was subscribed counts as before. */
function isEvent(lt: bigint, at: number, { since, isWorldTime, counters }: Circumstances): boolean {
  const { isFailing, failedLt } = counters
  if (isFailing && failedLt !== null && lt >= failedLt) return true
  return since === null || !isWorldTime || at > Math.floor(since / 1000) * 1000
}

/** Once it fails, or has said that it delivered, or does not try, nothing is on its way. */
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
