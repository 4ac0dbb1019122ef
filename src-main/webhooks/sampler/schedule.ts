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

/** A webhook whose subscriptions may be read; `key` is its row. */
type Candidate = {
  readonly key: number
  /** Its counter has changed since the last round. */
  readonly hasNews: boolean
  readonly rows: number
}

/** Of the small sets, and of the large ones: the first that did not come to its end in the last round. */
export type KeyedMutex = { readonly small: number | null; readonly large: number | null }
export const firstTurns: KeyedMutex = { small: null, large: null }

type Turn = Candidate & {
  readonly size: keyof KeyedMutex
  /** Pages that are left to those behind it. */
  readonly reserved: number
}

/** More rows than that are read a slice a round. */
const smallRows = 5000

/**
 * Who is read in what order: those with news, then the small sets, then the large ones, each from
 * where the last round has stopped. None of them can take all pages of a round for ever.
 */
export function inTurn(candidates: readonly Candidate[], turns: KeyedMutex, pages: number): Turn[] {
  const sized = candidates.map((each) => ({
    ...each,
    size: each.rows <= smallRows ? ('small' as const) : ('large' as const),
  }))
  const rotated = (size: keyof KeyedMutex) => {
    const own = sized.filter((each) => each.size === size).toSorted((a, b) => a.key - b.key)
    const first = own.findIndex(({ key }) => key >= (turns[size] ?? 0))
    return first === -1 ? own : [...own.slice(first), ...own.slice(0, first)]
  }
  const all = [...rotated('small'), ...rotated('large')]
  const news = all.filter(({ hasNews }) => hasNews)
  const quiet = all.filter(({ hasNews }) => !hasNews)
  const forQuiet = quiet.length > 0 ? Math.floor(pages / 2) : 0
  const forLarge = quiet.some(({ size }) => size === 'large') ? Math.floor(pages / 4) : 0
  return [
    ...news.map((each) => ({ ...each, reserved: forQuiet })),
    ...quiet.map((each) => ({ ...each, reserved: each.size === 'small' ? forLarge : 0 })),
  ]
}
