import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type AssetPage, emptyFilter } from '../../app/chain-route.ts'
import { routeHref } from '../../app/route.ts'

/** Links of the chain contain their network, because a hash does not show it. */
export const transactionHref = (hash: string, network: NetworkId): string =>
  routeHref({ page: 'explorer', network, view: 'tx', hash })

export const accountHref = (address: string, network: NetworkId): string =>
  routeHref({
    page: 'explorer',
    network,
    view: 'account',
    address,
    filter: emptyFilter,
  })

export const assetHref = (view: AssetPage, address: string, network: NetworkId): string =>
  routeHref({ page: 'explorer', network, view, address })

export const contractHref = (address: string, network: NetworkId): string =>
  routeHref({ page: 'explorer', network, view: 'contract', address })

export const blockHref = (id: string, network: NetworkId): string =>
  routeHref({ page: 'explorer', network, view: 'block', id })
