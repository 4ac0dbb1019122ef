/** Pure rules for when the user is notified. */
import type { AccountChanges, ToldAccounts, Told } from '../store/told.ts'
import type { FollowedAccount } from '../store/subscriptions.ts'

/** `over`: turned off, or replaced by another condition; no recovery is reported. */
export type Condition = 'bad' | 'well' | 'over'

type Following = {
  readonly told: Told | null
  /** `back`: bad again within `settlesAfterMs`, which is shown without a notification. */
  readonly says: 'bad' | 'back' | 'well' | null
}

/** A problem that was gone for this long counts as a new one when it returns. */
export const settlesAfterMs = 5 * 60_000
/** Shortest time between two notifications about the same problem. */
export const newsEveryMs = 10 * 60_000

/** Reports a problem once, and its end; the end of a flapping problem waits for `settlesAfterMs`. */
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
  // A clock that was set back must not delay news by the same time.
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
  readonly failing: number
  readonly firstFailing: readonly string[]
  readonly hasNews: boolean
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

/** Accounts that a notice names; the others are counted. */
const named = 3

export function surveyPage(
  survey: Survey,
  page: readonly FollowedAccount[],
  told: ToldAccounts,
  { limits, at }: { limits: Limits; at: number },
): { readonly survey: Survey; readonly changes: AccountChanges } {
  const failing = page.filter(
    // A reported account counts until a delivery succeeds, even if the limit has been raised since.
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
