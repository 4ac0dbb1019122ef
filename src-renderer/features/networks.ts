import type { Network, NetworkId, NetworksState } from '../../src-preload/contract/network.ts'
import { attempt } from '../attempt.ts'
import { on, request } from '../bridge.ts'
import { createResource, useResource } from '../resource.ts'
import { announce } from '../ui/live-region.tsx'

/** The networks there are and which one everything on the screen is about; kept current by events. */
export const networks = createResource(() => request('network.list'))

export function startNetworks(): () => void {
  const stop = on('network.changed', (next) => networks.set(next))
  // By whichever tells of it first, the event or the answer to the switch.
  const stopTelling = networks.store.subscribe((state, before) => {
    if (state.status !== 'ready' || before.status !== 'ready') return
    if (state.value.current === before.value.current) return
    announce(`The network is now ${findNetwork(state.value)?.name ?? 'another'}`)
  })
  return () => {
    stop()
    stopTelling()
  }
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
