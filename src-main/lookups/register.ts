import type { GatewayTraffic } from '../../src-preload/contract/traffic.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { AppContext } from '../app/context.ts'
import { createLearnedLimits } from '../app/store/settings.ts'
import { type Lookup, createLookup } from './lookup.ts'
import { isRefusal } from '../explorer/chain-access.ts'
import type { Asking, QueryClient } from '../gateway/query.ts'
import { readAddress } from '../ton/address.ts'

export function registerLookups(context: AppContext, traffic: () => GatewayTraffic): Lookup {
  const { access, events } = context
  return createLookup({
    ...context,
    bulk: async (network, addresses, options) =>
      access.query(network).accountsBulk(addresses, { ...options, priority: 'job' }),
    resolveName: (network, name, { signal }) =>
      resolveName(access.query(network), name, { signal, priority: 'job' }),
    isTestOnly: (network) => access.info(network).testOnly,
    pausedUntil: (network) => pausedUntil(traffic(), network),
    limits: createLearnedLimits(context.values, (network) => `lookup.chunk.${network}`),
    onChanged: (jobs) => events.emit('lookup.changed', { jobs }),
    onRemoved: (id) => events.emit('lookup.removed', { id }),
  })
}

/** @throws AppError as the query client does, but for a name that the gateway does not know */
async function resolveName(query: QueryClient, name: string, asking: Asking) {
  try {
    const { wallet } = await query.dnsResolve(name, asking)
    return wallet ? (readAddress(wallet.address)?.raw ?? null) : null
  } catch (error) {
    if (error instanceof AppError && isRefusal(error)) return null
    throw error
  }
}

function pausedUntil({ roots }: GatewayTraffic, network: string): number | null {
  const asked = roots.find((each) => each.network === network && each.root === 'query')
  return asked?.limit.pausedUntil ?? null
}
