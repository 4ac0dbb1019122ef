import type { Network, NetworkId, NetworksState } from '../../src-preload/contract/index.ts'
import { attempt } from '../attempt.ts'
import { on, request } from '../bridge.ts'
import { createResource, useResource } from '../resource.ts'
import { announce } from '../ui/live-region.tsx'

/** The networks there are and which one everything on the screen is about; kept current by events. */
export const networks = createResource(() => request('network.list'))

export function startNetworks(): () => void {
  return on('network.changed', (next) => {
    const before = networks.store.getState()
    if (before.status === 'ready' && before.value.current !== next.current) {
      announce(`The network is now ${findNetwork(next)?.name ?? 'another'}`)
    }
    networks.set(next)
  })
}

function findNetwork({ networks: all, current }: NetworksState): Network | null {
  return all.find(({ id }) => id === current) ?? null
}

/**
 * The network everything on the screen is about; null until it is known. What a page shows belongs to
 * one network: give its parts `key={network.id}`, or load by the id.
 */
export function useCurrentNetwork(): Network | null {
  const state = useResource(networks)
  return state.status === 'ready' ? findNetwork(state.value) : null
}

/** Makes everything on the screen be about another network. */
export async function selectNetwork(id: NetworkId): Promise<void> {
  const next = await attempt('Could not switch the network', () =>
    request('network.select', { id }),
  )
  if (next !== undefined) networks.set(next)
}
