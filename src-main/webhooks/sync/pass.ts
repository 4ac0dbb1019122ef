/**
 * One pass over a webhook's subscriptions, page by page. Pages are taken by offset, so that what is
 * subscribed or unsubscribed meanwhile shifts them: a row may come twice, and one may be skipped.
 */
import type { Asking } from '../../gateway/query.ts'
import type { AccountSubscription } from '../../gateway/webhooks.ts'

/** What the API gives at most, and without being asked for a number. */
const pageRows = 1000

type PassDeps = {
  readonly page: (offset: number, asking: Asking) => Promise<readonly AccountSubscription[]>
  /** Keeps a page. Returns the row of each account, and how many of them are new. */
  readonly land: (page: readonly AccountSubscription[]) => {
    readonly ids: readonly number[]
    readonly added: number
  }
  /** How many there are by the webhook's own count; null where it does not tell. */
  readonly expected: () => number | null
}

export type Pass = {
  /** Reads the next page. @returns true when it was the last */
  step(asking: Asking): Promise<boolean>
  /** Rows of the local copy that were met. Whoever subscribes meanwhile adds to them. */
  readonly seen: Set<number>
  rows(): number
  /** Accounts that the copy did not hold. */
  added(): number
}

export function createPass({ page, land, expected }: PassDeps): Pass {
  const seen = new Set<number>()
  let offset = 0
  let added = 0
  return {
    seen,
    rows: () => offset,
    added: () => added,
    async step(asking) {
      const read = await page(offset, asking)
      const landed = land(read)
      for (const id of landed.ids) seen.add(id)
      added += landed.added
      offset += read.length
      const count = expected()
      if (read.length === 0 || offset === count) return true
      // A gateway may give smaller pages than it was asked for.
      return read.length < pageRows && (count === null || offset > count)
    },
  }
}

/** What a pass has shown, beside the webhook's own count before it and after it. */
export type PassResult = {
  readonly before: number | null
  readonly after: number | null
  readonly seen: ReadonlySet<number>
  readonly added: number
  /** Rows of the copy that it did not meet. */
  readonly missing: readonly number[]
}

/**
 * Whether nothing has shifted, as far as can be told: then what was not met is not there. The count
 * alone does not tell, for one that went can hide one that was skipped.
 */
export function agrees(
  { before, after, seen, added, missing }: PassResult,
  previous: ReadonlySet<number> | null,
): boolean {
  if (seen.size === after && (missing.length === 0 || (before === after && added === 0))) {
    return true
  }
  return previous !== null && isSame(previous, seen)
}

/** Nothing seems to be skipped, though the set was changed while it was read. */
export function isPlausible({ before, after, seen }: PassResult): boolean {
  if (before === null || after === null) return true
  return seen.size >= Math.min(before, after) && seen.size <= Math.max(before, after)
}

function isSame(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  return one.size === other.size && [...one].every((id) => other.has(id))
}
