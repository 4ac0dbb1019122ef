import type { Chain } from './chain/chain.ts'
import type { DeliveryQueue } from './deliver/delivery-queue.ts'
import type { Database } from './store/database.ts'
import type { Webhooks } from './webhooks/create-webhooks.ts'

/** All that is of one network only. */
export type Network = {
  readonly database: Database
  readonly chain: Chain
  readonly queue: DeliveryQueue
  readonly webhooks: Webhooks
}

export type Networks = Readonly<Record<'mainnet' | 'testnet', Network>>
