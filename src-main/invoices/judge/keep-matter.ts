/** What becomes of a matter that is kept, now that it is so or not any more. Pure. */
import type { StoredMatter } from '../store/matters.ts'
import type { Draft } from './matters-of.ts'

type Kept = Pick<StoredMatter, 'amount' | 'state' | 'since' | 'handled' | 'closedAt'>

/**
 * A handled one stays handled until its amount grows or its invoice is in another state; one that is
 * none any more closes, and comes back as a new one would.
 * @returns null where nothing changes
 */
export function keepMatter(kept: Kept, now: Draft | undefined, at: number): Kept | null {
  if (now === undefined) return kept.closedAt === null ? { ...kept, closedAt: at } : null
  const { amount, state, since } = now
  const isBack = kept.closedAt !== null
  const handled = isBack || !isSettled(kept.handled, now) ? null : kept.handled
  const isSame =
    !isBack &&
    kept.amount === amount &&
    kept.state === state &&
    kept.since === since &&
    handled === kept.handled
  return isSame ? null : { amount, state, since, handled, closedAt: null }
}

function isSettled(handled: Kept['handled'], { amount, state }: Draft): boolean {
  return handled !== null && handled.state === state && (amount ?? 0n) <= (handled.amount ?? 0n)
}
