/** Rules that never get their turn, since one before them takes all that they would. Pure. */
import { type Part, cutParts } from '../../captures/query/parts.ts'

type Rule = {
  readonly filter: string
  readonly next: number | null
  readonly sharePercent: number | null
  readonly enabled: boolean
}

/** @param before in the order in which they are tried */
export function conflictsOf(rule: Rule, before: readonly Rule[]): string[] {
  return before.flatMap((other, index) => {
    const isForAll = other.enabled && other.next === null && other.sharePercent === null
    if (!isForAll || !takesAllOf(other.filter, rule.filter)) return []
    return [`Rule ${index + 1} answers all of these before this one.`]
  })
}

/** As far as the terms tell: of two filters, all terms must hold. */
function takesAllOf(wider: string, narrower: string): boolean {
  const narrow = cutParts(narrower).parts
  return cutParts(wider).parts.every((part) => narrow.some((each) => isWithin(each, part)))
}

/** Alternatives widen a term; those of one turned round narrow it. */
function isWithin(narrow: Part, wide: Part): boolean {
  if (narrow.negated !== wide.negated || fieldOf(narrow) !== fieldOf(wide)) return false
  const [few, many] = narrow.negated ? [wide, narrow] : [narrow, wide]
  const known = new Set(textsOf(many))
  return textsOf(few).every((text) => known.has(text))
}

function fieldOf({ field }: Part): string | null {
  return field?.toLowerCase() ?? null
}

function textsOf({ pieces }: Part): string[] {
  return pieces.map(({ lead, text }) => lead + text.toLowerCase())
}
