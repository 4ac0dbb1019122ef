type Sort<K extends string> = { readonly by: K; readonly descending: boolean }

/** For `aria-sort`. */
export function directionOf<K extends string>(
  { by, descending }: Sort<K>,
  column: K,
): 'ascending' | 'descending' | 'none' {
  if (by !== column) return 'none'
  return descending ? 'descending' : 'ascending'
}

/**
 * A heading pressed once, twice, and a third time for the order there is without a choice.
 * `largeFirst` has what is looked for from its upper end.
 */
export function nextSort<K extends string>(
  sort: Sort<K>,
  by: K,
  { usual, largeFirst }: { usual: Sort<K>; largeFirst: ReadonlySet<K> },
): Sort<K> {
  const first = largeFirst.has(by)
  if (sort.by !== by) return { by, descending: first }
  if (by === usual.by) return { by, descending: !sort.descending }
  return sort.descending === first ? { by, descending: !first } : usual
}
