import type { Network, NetworkId, NetworksState } from '../../src-preload/contract/network.ts'
import { type CoinName, coinOf } from '../../src-preload/domain/amount.ts'
import { attempt, request, put, useData, watch } from './bridge.ts'
import { announce } from '../ui/toast.tsx'

watch('network.list', (now, before) => {
  if (now.current === before.current) return
  announce(`The network is now ${findNetwork(now)?.name ?? 'another'}`)
})

function findNetwork({ networks: all, current }: NetworksState): Network | null {
  return all.find(({ id }) => id === current) ?? null
}

/**
 * Returns the selected network; null until it is loaded. A page belongs to one network, so give its
 * parts `key={network.id}`, or load data by the id.
 */
export function useCurrentNetwork(): Network | null {
  const { data } = useData('network.list')
  return data === undefined ? null : findNetwork(data)
}

/** The displayed name of the selected network's coin; undefined until it is known. */
export function useCoin(): CoinName | undefined {
  const settings = useData('settings.get').data
  const current = useData('network.list').data?.current
  if (settings === undefined || current === undefined) return undefined
  return coinOf(settings.appearance, current)
}

/** Selects another network for the whole window. */
export async function selectNetwork(id: NetworkId): Promise<void> {
  const next = await attempt('Could not switch the network', () =>
    request('network.select', { id }),
  )
  if (next !== undefined) put('network.list', undefined, next)
}
