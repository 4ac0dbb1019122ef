import { type Part, splitQuery } from '../captures/query/split-query.ts'
import type { StoredRule } from './store/forward-rules.ts'
import type { StoredResponseRule } from './store/response-rules.ts'

type ForwardingRule = Pick<StoredRule, 'id' | 'name' | 'filter' | 'mode' | 'enabled'> & {
  readonly targets: readonly { readonly url: string }[]
}

const nameOf = ({ id, name }: { id: number; name: string }): string =>
  name === '' ? `Rule ${id}` : `“${name}”`

/**
 * Finds rules whose filters certainly overlap: their texts are equal or one is empty.
 * @param both true for two rules that have sent the same delivery to the same target
 */
export function forwardConflicts(
  rule: ForwardingRule,
  all: readonly ForwardingRule[],
  both: (one: number, other: number) => boolean,
): string[] {
  if (!rule.enabled) return []
  return all.flatMap((other) => {
    if (other.id === rule.id || !other.enabled) return []
    const texts = [rule.filter.trim(), other.filter.trim()]
    const overlaps = texts[0] === texts[1] || texts.includes('')
    const shared = rule.targets.find(({ url }) => other.targets.some((each) => each.url === url))
    if (shared !== undefined && (overlaps || both(rule.id, other.id))) {
      return [
        `${nameOf(other)} sends the same deliveries to ${shared.url}, so this target receives each delivery twice.`,
      ]
    }
    if (rule.mode === 'through' && other.mode === 'through' && overlaps) {
      const first = other.id < rule.id ? other : rule
      return [
        `${nameOf(other)} is a proxy rule for the same deliveries: the gateway receives the response of ${nameOf(first)}, the older rule.`,
      ]
    }
    return []
  })
}

type MatchingRule = Pick<StoredResponseRule, 'filter' | 'next' | 'enabled'>

/** @param before the earlier rules in evaluation order */
export function responseConflicts(rule: MatchingRule, before: readonly MatchingRule[]): string[] {
  return before.flatMap((other, index) => {
    const isForAll = other.enabled && other.next === null
    if (!isForAll || !takesAllOf(other.filter, rule.filter)) return []
    return [`Rule ${index + 1} matches all of these deliveries first, so this rule has no effect.`]
  })
}

function takesAllOf(wider: string, narrower: string): boolean {
  const narrow = splitQuery(narrower).parts
  return splitQuery(wider).parts.every((part) => narrow.some((each) => isWithin(each, part)))
}

function isWithin(narrow: Part, wide: Part): boolean {
  if (narrow.negated !== wide.negated || fieldOf(narrow) !== fieldOf(wide)) return false
  const [few, many] = narrow.negated ? [wide, narrow] : [narrow, wide]
  const known = new Set(textsOf(many))
  return textsOf(few).every((text) => known.has(text))
}

const fieldOf = ({ field }: Part): string | null => field?.toLowerCase() ?? null

const textsOf = ({ pieces }: Part): string[] =>
  pieces.map(({ lead, text }) => lead + text.toLowerCase())
