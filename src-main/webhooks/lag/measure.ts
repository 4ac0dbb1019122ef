/** How far deliveries are behind the chain, of what was read of both. Pure. */
import type { Lag } from '../../../src-preload/contract/subscription.ts'
import type { FollowedAccount } from '../parts.ts'

/** A transaction of the account: its logical time, and its block's in milliseconds. */
type OnChain = { readonly lt: bigint; readonly at: number }

/** Undelivered transactions, as far as they were read. */
export type Undelivered = {
  readonly transactions: number
  /** There are more than were read. */
  readonly more: boolean
  readonly oldestAt: number | null
  readonly newestAt: number | null
}

/** A block this far ahead of this computer's clock is of a chain whose clock is another. */
const skewMs = 60_000

/**
 * What was delivered up to, and including, this logical time. Null where nothing was delivered yet
 * and nothing has failed: since when the webhook hears of the account is not on the chain.
 */
export function deliveredTo(account: FollowedAccount): bigint | null {
  if (account.lastDeliveredLt > 0n) return account.lastDeliveredLt
  return account.isFailing && account.failedLt !== null ? account.failedLt - 1n : null
}

/**
 * Those of a page, oldest first, that had not been delivered when the subscription was read. What came
 * later may have been delivered since.
 * @param isFull there may be more after the page
 */
export function undeliveredOf(
  page: readonly OnChain[],
  { account, readAt, isFull }: { account: FollowedAccount; readAt: number; isFull: boolean },
): Undelivered {
  const base = deliveredTo(account) ?? 0n
  const isOwnClock = (page.at(-1)?.at ?? 0) <= readAt + skewMs
  const known = page.filter(
    ({ lt, at }) =>
      lt > base &&
      (!isOwnClock || at <= readAt || (account.failedLt !== null && lt <= account.failedLt)),
  )
  return {
    transactions: known.length,
    more: isFull && known.length === page.length,
    oldestAt: known[0]?.at ?? null,
    newestAt: known.at(-1)?.at ?? null,
  }
}

export function lagOf(undelivered: Undelivered, now: number): Lag {
  const { transactions, more, oldestAt, newestAt } = undelivered
  // A chain's clock may be ahead of this computer's.
  const milliseconds = oldestAt === null ? 0 : Math.max(now, newestAt ?? 0) - oldestAt
  return { transactions, more, milliseconds: Math.max(0, milliseconds), readAt: now }
}

/** Where only the moment of an account's last transaction can be had. */
export function lagInTime(account: FollowedAccount, lastActivityAt: number, now: number): Lag {
  const isTold = account.isFailing && lastActivityAt > 0
  const milliseconds = isTold ? Math.max(0, now - lastActivityAt) : null
  return { transactions: null, more: false, milliseconds, readAt: now }
}
