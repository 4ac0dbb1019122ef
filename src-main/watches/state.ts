/** The state of watched accounts since the start; it is not stored, and is loaded again after a restart. */
import type { NetworkId } from '../../src-preload/contract/network.ts'
import type { AcceptedBulk } from '../chain/heads.ts'
import type { QueryOptions } from '../gateway/query.ts'
import type { Backoff } from '../jobs/backoff.ts'
import type { StoredWatch, WatchSource, WatchStore } from './store/watches.ts'

/** Number of transactions per page, and initially of accounts per check. */
export const pageSize = 100

export type Requesting = { readonly signal: AbortSignal; readonly backoff: Backoff }

export const queryOptionsOf = (signal: AbortSignal): QueryOptions => ({
  signal,
  priority: 'job',
  owner: 'watches',
})

type SourceState = {
  isBehind: boolean
  /** Number of transactions read since the source was last up to date. */
  read: number
  newestLt: string | null
  activity: number
  olderSince: number | null
  problem: string | null
  nudgedAt: number
}

type NetworkState = {
  readonly accepted: AcceptedBulk
  /** False if the gateway cannot list which accounts have changed. */
  hasBulk: boolean
  nextAt: number
  checkedAt: number | null
}

export type WatchState = ReturnType<typeof createWatchState>

export function createWatchState(store: WatchStore) {
  const states = new Map<NetworkId, NetworkState>()
  const sources = new Map<string, SourceState>()
  let listed: StoredWatch[] | null = null
  let hasChanged = false
  const keyOf = ({ watch, address }: WatchSource) => `${watch} ${address}`

  /** A burst of matches changes many watches, so the list is read again only once. */
  const watches = (): StoredWatch[] => (listed ??= store.list())

  function stateOf(network: NetworkId): NetworkState {
    const accepted = { chunk: pageSize, hasLogicalTimes: true }
    const state = states.get(network) ?? { accepted, hasBulk: true, nextAt: 0, checkedAt: null }
    states.set(network, state)
    return state
  }

  function sourceState(source: WatchSource): SourceState {
    const none = { newestLt: null, activity: -1, olderSince: null, problem: null, nudgedAt: 0 }
    const state = sources.get(keyOf(source)) ?? { isBehind: false, read: 0, ...none }
    sources.set(keyOf(source), state)
    return state
  }

  return {
    keyOf,
    network: stateOf,
    source: sourceState,
    watches,
    networks: () => states.keys(),
    watchedNetworks: () => new Set(watches().map(({ network }) => network)),
    /** Call this when the stored watches have changed. */
    refresh(): void {
      listed = null
      hasChanged = true
    },
    changed(): void {
      hasChanged = true
    },
    /** @returns whether there was a change since the last call */
    takeChange(): boolean {
      const before = hasChanged
      hasChanged = false
      return before
    },
    forget(network: NetworkId): void {
      states.delete(network)
      sources.clear()
    },
  }
}
