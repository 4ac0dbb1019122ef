/** When something that goes wrong and well again is told of. Pure. */
import type { Told } from '../store/told.ts'

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
