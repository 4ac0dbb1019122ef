import { create } from 'zustand'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { type RecentSearch, addRecent } from './add-recent.ts'

const storageKey = 'tondesk.searches'

type Kept = Readonly<Partial<Record<NetworkId, readonly RecentSearch[]>>>

/** What was found lately, newest first, by network. Kept in this window's own storage. */
export const useRecentSearches = create<{ kept: Kept }>(() => ({ kept: read() }))

export function rememberSearch(network: NetworkId, search: RecentSearch): void {
  const { kept } = useRecentSearches.getState()
  keep({ ...kept, [network]: addRecent(kept[network] ?? [], search) })
}

export function forgetSearches(network: NetworkId): void {
  keep({ ...useRecentSearches.getState().kept, [network]: [] })
}

function keep(kept: Kept): void {
  useRecentSearches.setState({ kept })
  window.localStorage.setItem(storageKey, JSON.stringify(kept))
}

/** What a former version has written may be of another shape: it is left out. */
function read(): Kept {
  try {
    const value = JSON.parse(window.localStorage.getItem(storageKey) ?? '{}') as Record<
      string,
      unknown
    >
    return Object.fromEntries(
      Object.entries(value).map(([id, list]) => [
        id,
        Array.isArray(list) ? list.filter(isRecent) : [],
      ]),
    )
  } catch {
    return {}
  }
}

function isRecent(value: unknown): value is RecentSearch {
  const { text, target } = (value ?? {}) as Partial<RecentSearch>
  return typeof text === 'string' && typeof target?.title === 'string'
}
