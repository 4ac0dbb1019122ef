/** Which of the deliveries that a rule's filter takes it answers. Pure. */

export type Counters = {
  readonly next: number | null
  readonly sharePercent: number | null
  readonly used: number
  readonly spent: number
  readonly seen: number
}

/**
 * Whether the next one is its turn: evenly, the first among them, and of each hundred exactly as many
 * as the share says.
 */
export function isTurn({ sharePercent, seen }: Counters): boolean {
  if (sharePercent === null) return true
  const share = (count: number) => Math.ceil((count * sharePercent) / 100)
  return share(seen + 1) > share(seen)
}

/** So many are left of its `next`; null where it goes on. */
export function leftOf({ next, spent }: Counters): number | null {
  return next === null ? null : Math.max(0, next - spent)
}
