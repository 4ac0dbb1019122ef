import type { SearchTarget } from '../../../../src-preload/contract/chain.ts'

export type RecentSearch = { readonly text: string; readonly target: SearchTarget }

/** Kept of each network. */
const most = 12

/** The same thing found again moves to the front. */
export function addRecent(
  list: readonly RecentSearch[],
  search: RecentSearch,
): readonly RecentSearch[] {
  const id = JSON.stringify(keyOf(search.target))
  const others = list.filter(({ target }) => JSON.stringify(keyOf(target)) !== id)
  return [search, ...others].slice(0, most)
}

function keyOf(target: SearchTarget): readonly string[] {
  switch (target.kind) {
    case 'transaction':
      return [target.kind, target.hash]
    case 'account':
      return [target.kind, target.address]
    case 'block':
    case 'invoice':
      return [target.kind, target.id]
  }
}
