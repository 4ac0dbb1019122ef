import type { Network, NetworkId, NetworksState } from '../../src-preload/contract/network.ts'
import { attempt } from './attempt.ts'
import { request } from './bridge.ts'
import { watch } from './queries.ts'
import { resourceOf, useResource } from './resource.ts'
import { announce } from '../ui/live-region.tsx'

/** The networks, and the selected one, which everything on the screen belongs to. */
export const networks = resourceOf('network.list')

watch('network.list', (now, before) => {
  if (now.current === before.current) return
  announce(`The network is now ${findNetwork(now)?.name ?? 'another'}`)
})

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
