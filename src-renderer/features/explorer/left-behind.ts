import { create } from 'zustand'
import type { NetworkId, NetworksState } from '../../../src-preload/contract/network.ts'
import { emptyFilter } from '../../app/chain-route.ts'
import { type Route, navigate, useRoute } from '../../app/route.ts'
import { networks } from '../../app/networks.ts'
import { clearSearch } from './search/chain-search.ts'

/** A page that was left because it is of the network before. */
type Left = { readonly what: string; readonly networkName: string; readonly route: Route }

export const useLeftBehind = create<{ left: Left | null }>(() => ({ left: null }))

export const leftBehind = { clear: () => useLeftBehind.setState({ left: null }) }

/** Takes the pages of the chain along when another network is chosen. */
export function startFollowingNetwork(): () => void {
  let before: NetworksState | null = null
  const stop = networks.store.subscribe((state) => {
    if (state.status !== 'ready') return
    const former = before
    before = state.value
    if (former === null || former.current === state.value.current) return
    clearSearch()
    follow(former, state.value.current)
  })
  const stopRoute = useRoute.subscribe(({ route }) => {
    if (!(route.page === 'transactions' && route.view === 'home')) leftBehind.clear()
  })
  return () => {
    stop()
    stopRoute()
  }
}

function follow({ networks: all, current: former }: NetworksState, network: NetworkId): void {
  const { route } = useRoute.getState()
  // A link of a third network stays what it is; so does one that was waiting for this switch.
  if (route.page !== 'transactions' || (route.network ?? former) !== former) return
  if (route.view === 'account') {
    navigate({ ...route, network, filter: emptyFilter }, { replace: true })
  } else if (route.view === 'tx' || route.view === 'block') {
    navigate({ page: 'transactions', network: null, view: 'home' })
    useLeftBehind.setState({
      left: {
        what: route.view === 'tx' ? 'The transaction' : 'The block',
        networkName: all.find(({ id }) => id === former)?.name ?? 'another network',
        route: { ...route, network: former },
      },
    })
  } else if (route.network !== null) {
    navigate({ ...route, network }, { replace: true })
  }
}
