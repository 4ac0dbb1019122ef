/** What of the accounts of a webhook there is to tell. Pure. */
import type { AccountChanges, ToldAccounts } from '../store/told.ts'
import type { FollowedAccount } from '../parts.ts'
import { settlesAfterMs } from './follow.ts'

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
