/** What the user is notified of, and when: pure rules over the accounts of a webhook and what was said before. */
import type { AccountChanges, ToldAccounts, Told } from '../store/told.ts'
import type { FollowedAccount } from '../room.ts'

/** `over`: it is neither any more, and nobody needs to be told: turned off, or another matter now. */
export type Condition = 'bad' | 'well' | 'over'

type Following = {
  readonly told: Told | null
  /** `back`: bad again so soon that it is shown, but not told. */
  readonly says: 'bad' | 'back' | 'well' | null
}

/** Well for so long, it would be told of anew. */
export const settlesAfterMs = 5 * 60_000
/** More of what was told of already is told at most so often. */
export const newsEveryMs = 10 * 60_000

/**
 * Once when it goes bad and once when it is well again; what flaps is told of once, and its recovery
 * when it has been well for a while.
 * @param hasNews there is more of it than what was told of
 */
export function follow(
  told: Told | null,
  { condition, hasNews, at }: { condition: Condition; hasNews: boolean; at: number },
): Following {
  if (condition === 'over') return { told: null, says: null }
  if (told === null) {
    if (condition === 'well') return { told: null, says: null }
    const first = { toldAt: at, wellAt: null, isFlapping: false, hasNews: false }
    return { told: first, says: 'bad' }
  }
  return condition === 'bad' ? stays(told, hasNews, at) : mends(told, at)
}

function stays(told: Told, hasNews: boolean, at: number): Following {
  const isBack = told.wellAt !== null
  const next = {
    ...told,
    wellAt: null,
    isFlapping: told.isFlapping || isBack,
    hasNews: told.hasNews || hasNews,
  }
  // A clock set back would keep the news for as long as it was set back.
  const waited = at < told.toldAt || at - told.toldAt >= newsEveryMs
  if (next.hasNews && waited) {
    return { told: { ...next, toldAt: at, hasNews: false }, says: 'bad' }
  }
  return { told: next, says: isBack ? 'back' : null }
}

function mends(told: Told, at: number): Following {
  const { wellAt, isFlapping } = told
  if (wellAt === null) {
    return { told: { ...told, wellAt: at, hasNews: false }, says: isFlapping ? null : 'well' }
  }
  if (at < wellAt) return { told: { ...told, wellAt: at }, says: null }
  if (at - wellAt < settlesAfterMs) return { told, says: null }
  return { told: null, says: isFlapping ? 'well' : null }
}

export type Survey = {
  /** Failing accounts, the first few of them by name, and whether some were not told of before. */
  readonly failing: number
  readonly firstFailing: readonly string[]
  readonly hasNews: boolean
  /** Accounts that lag more than the limit, and the one that does most. */
  readonly lagging: number
  readonly slowest: FollowedAccount | null
}

type Limits = { readonly failedAttempts: number; readonly lagMs: number }

export const emptySurvey: Survey = {
  failing: 0,
  firstFailing: [],
  hasNews: false,
  lagging: 0,
  slowest: null,
}

/** More are counted. */
const named = 3

/** One page of accounts, and what was told of the same range of addresses. */
export function surveyPage(
  survey: Survey,
  page: readonly FollowedAccount[],
  told: ToldAccounts,
  { limits, at }: { limits: Limits; at: number },
): { readonly survey: Survey; readonly changes: AccountChanges } {
  const failing = page.filter(
    // One that was told of counts until a delivery gets through, whatever the limit is now.
    ({ account, isFailing, failedAttempts }) =>
      isFailing && (failedAttempts >= limits.failedAttempts || told.has(account)),
  )
  const present = new Set(failing.map(({ account }) => account))
  const began = [...present].filter((account) => !told.has(account))
  const back = [...present].filter((account) => (told.get(account) ?? null) !== null)
  const gone = [...told].filter(([account]) => !present.has(account))
  const lagging = page.filter(({ lag }) => (lag?.milliseconds ?? 0) > limits.lagMs)

  return {
    survey: {
      failing: survey.failing + failing.length,
      firstFailing: [...survey.firstFailing, ...present].slice(0, named),
      hasNews: survey.hasNews || began.length > 0,
      lagging: survey.lagging + lagging.length,
      slowest: lagging.reduce(slower, survey.slowest),
    },
    changes: {
      began,
      back,
      mended: namesOf(gone, (wellAt) => wellAt === null || at < wellAt),
      settled: namesOf(gone, (wellAt) => wellAt !== null && at - wellAt >= settlesAfterMs),
    },
  }
}

function slower(slowest: FollowedAccount | null, account: FollowedAccount): FollowedAccount {
  const isSlower = (account.lag?.milliseconds ?? 0) > (slowest?.lag?.milliseconds ?? 0)
  return slowest === null || isSlower ? account : slowest
}

function namesOf(
  told: readonly (readonly [string, number | null])[],
  which: (wellAt: number | null) => boolean,
): string[] {
  return told.filter(([, wellAt]) => which(wellAt)).map(([account]) => account)
}
