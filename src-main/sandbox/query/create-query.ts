import type { Hono } from 'hono'
import type { Chain } from '../chain/chain.ts'
import { usdtMaster } from '../chain/usdt.ts'
import { developmentWallets, faucetWallet } from '../chain/wallets.ts'
import { accountRoutes } from './account-routes.ts'
import { blockchainRoutes } from './blockchain-routes.ts'
import { decodeRoutes } from './decode-routes.ts'
import { emulationRoutes } from './emulation-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { jettonRoutes } from './jetton-routes.ts'
import { messageRoutes } from './message-routes.ts'
import { missingRoutes } from './missing-routes.ts'
import { methodRoutes } from './method-routes.ts'
import { createQueryDeps } from './query-deps.ts'
import { createRoutes } from './routes.ts'
import { utilityRoutes } from './utility-routes.ts'

/**
 * The query API of one network, to be mounted at `/v2`. It reads nothing but the chain, and keeps
 * nothing but what makes it quicker and the messages of the last minute.
 */
export function createQuery({ chain }: { readonly chain: Chain }): Hono {
  const usdt = usdtMaster(chain.network).toRawString()
  const wallets = [...developmentWallets, faucetWallet].map(({ name, address }) => ({
    address: address.toRawString(),
    name,
  }))
  const deps = createQueryDeps(chain, usdt, [...wallets, { address: usdt, name: 'Tether USD' }])
  return createRoutes([
    ...missingRoutes(),
    ...utilityRoutes(deps),
    ...blockchainRoutes(deps),
    ...methodRoutes(deps),
    ...messageRoutes(deps),
    ...emulationRoutes(deps),
    ...decodeRoutes(deps),
    ...accountRoutes(deps),
    ...eventRoutes(deps),
    ...jettonRoutes(deps),
  ])
}
