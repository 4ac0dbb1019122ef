/** When the list of a network is read. Pure. */

const everyMs = 60_000
/** Of networks that nobody looks at, while something of theirs is open. */
const othersEveryMs = 5 * 60_000
const fullEveryMs = 24 * 3_600_000
const longestWaitMs = 10 * 60_000
/** Of the time, at most so much goes into reading. */
const share = 10

type Tried = {
  readonly triedAt: number | null
  readonly tookMs: number
  /** Readings that have failed one after another. */
  readonly failures: number
}

/** Null: at once. */
export function dueAt({ triedAt, tookMs, failures }: Tried, isCurrent: boolean): number | null {
  if (triedAt === null) return null
  const usual = isCurrent ? everyMs : othersEveryMs
  const slowed = Math.max(usual, Math.min(longestWaitMs, tookMs * share))
  const wait = Math.max(slowed, Math.min(longestWaitMs, usual * 2 ** Math.min(failures, 10)))
  return triedAt + wait
}

/** A clock that was put back makes it due, or it would wait for a time that has been already. */
export function isDue(tried: Tried, isCurrent: boolean, now: number): boolean {
  const at = dueAt(tried, isCurrent)
  return at === null || now >= at || now < (tried.triedAt ?? 0)
}

export function isFullDue(fullAt: number | null, now: number): boolean {
  return fullAt === null || now >= fullAt + fullEveryMs || now < fullAt
}
