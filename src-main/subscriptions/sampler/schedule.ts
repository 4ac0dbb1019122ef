/** When a network is read next, and how much of it. Pure. */

/** Longest wait for a gateway that does not answer. */
const longestWaitMs = 10 * 60_000
/** Longer than that nobody may take for granted that nothing has changed. */
export const silenceMs = 7 * 24 * 3_600_000
/** Pages a second that a round may ask for, so that it leaves room for people, and for other jobs. */
const pagesASecond = 2 / 3
const fewestPages = 5

/** Pages of subscriptions that a round may read. */
export function pagesFor(everySeconds: number): number {
  return Math.max(fewestPages, Math.ceil(everySeconds * pagesASecond))
}

/** @param failures rounds that have failed one after another */
export function waitAfter(everySeconds: number, failures: number): number {
  const everyMs = everySeconds * 1000
  return Math.max(everyMs, Math.min(longestWaitMs, everyMs * 2 ** Math.min(failures, 20)))
}

/** A clock that was put back makes it due, or it would wait for a time that has been already. */
export function isDue(
  { lastAt, nextAt }: { readonly lastAt: number | null; readonly nextAt: number | null },
  now: number,
): boolean {
  return nextAt === null || now >= nextAt || (lastAt !== null && now < lastAt)
}

type Candidate = { readonly key: number; readonly hasNews: boolean }

/** Those with news first, then from where the last round has stopped, once around. */
export function inTurn<T extends Candidate>(candidates: readonly T[], last: number | null): T[] {
  const sorted = candidates.toSorted((one, other) => one.key - other.key)
  const after = sorted.filter(({ key }) => last !== null && key >= last)
  const before = sorted.filter(({ key }) => last === null || key < last)
  const turn = [...after, ...before]
  return [...turn.filter(({ hasNews }) => hasNews), ...turn.filter(({ hasNews }) => !hasNews)]
}
