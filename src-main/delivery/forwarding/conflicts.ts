/** Rules that get in each other’s way. Pure. */

type RuleForConflicts = {
  readonly id: number
  readonly name: string
  readonly filter: string
  readonly mode: 'after' | 'through'
  readonly enabled: boolean
  readonly targets: readonly { readonly url: string }[]
}

function nameOf({ id, name }: { id: number; name: string }): string {
  return name === '' ? `Rule ${id}` : `“${name}”`
}

/**
 * What is odd about a rule beside the others, in sentences. Whether two filters take the same cannot
 * be told from their texts, but where they are alike or empty.
 * @param both true where two rules have been seen to take the same delivery to the same target
 */
export function conflictsOf(
  rule: RuleForConflicts,
  all: readonly RuleForConflicts[],
  both: (one: number, other: number) => boolean,
): string[] {
  if (!rule.enabled) return []
  return all.flatMap((other) => {
    if (other.id === rule.id || !other.enabled) return []
    const texts = [rule.filter.trim(), other.filter.trim()]
    const overlaps = texts[0] === texts[1] || texts.includes('')
    const shared = rule.targets.find(({ url }) => other.targets.some((each) => each.url === url))
    if (shared !== undefined && (overlaps || both(rule.id, other.id))) {
      return [`${nameOf(other)} takes the same deliveries to ${shared.url}: it gets each twice.`]
    }
    if (rule.mode === 'through' && other.mode === 'through' && overlaps) {
      const first = other.id < rule.id ? other : rule
      return [
        `${nameOf(other)} passes the same deliveries through: the gateway gets the answer to ${nameOf(first)}, the older one.`,
      ]
    }
    return []
  })
}
