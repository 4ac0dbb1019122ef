import type { Context } from 'hono'
import { refusal } from './parameters.ts'
import type { Route } from './routes.ts'

/**
 * Operations of the public document (`api/openapi.yml` of tonkeeper/opentonapi, August 2026) that the
 * sandbox does not have. They answer 501: a client would take 404 for "no such entity".
 * docs/sandbox.md lists them.
 */
const missingGets = [
  '/openapi.json',
  '/openapi.yml',
  '/blockchain/reduced/blocks',
  '/blockchain/blocks/:block_id/boc',
  '/blockchain/masterchain/:masterchain_seqno/shards',
  '/blockchain/masterchain/:masterchain_seqno/blocks',
  '/blockchain/masterchain/:masterchain_seqno/transactions',
  '/blockchain/masterchain/:masterchain_seqno/config',
  '/blockchain/masterchain/:masterchain_seqno/config/raw',
  '/blockchain/validators',
  '/blockchain/accounts/:account_id/inspect',
  '/blockchain/libraries/:hash',
  '/accounts/:account_id/dns/backresolve',
  '/accounts/:account_id/jettons/history',
  '/accounts/:account_id/jettons/:jetton_id/history',
  '/accounts/:account_id/nfts',
  '/accounts/:account_id/nfts/history',
  '/accounts/:account_id/subscriptions',
  '/accounts/:account_id/dns/expiring',
  '/accounts/:account_id/publickey',
  '/accounts/:account_id/multisigs',
  '/accounts/:account_id/diff',
  '/accounts/:account_id/defi/assets',
  '/accounts/:account_id/extra-currency/:id/history',
  '/dns/:domain_name',
  '/dns/:domain_name/bids',
  '/dns/auctions',
  '/nfts/collections',
  '/nfts/collections/:account_id',
  '/nfts/collections/:account_id/items',
  '/nfts/:account_id',
  '/nfts/:account_id/history',
  '/jettons/:account_id/holders',
  '/jettons/:jetton_id/transfer/:account_id/payload',
  '/events/:event_id/jettons',
  '/jettons/:jetton_id/accounts/:account_id/history',
  '/extra-currency/:id',
  '/staking/nominator/:account_id/pools',
  '/staking/pool/:account_id',
  '/staking/pool/:account_id/history',
  '/staking/pools',
  '/storage/providers',
  '/rates/chart',
  '/rates/markets',
  '/tonconnect/payload',
  '/gasless/config',
  '/pubkeys/:public_key/wallets',
  '/liteserver/get_masterchain_info',
  '/liteserver/get_masterchain_info_ext',
  '/liteserver/get_time',
  '/liteserver/get_block/:block_id',
  '/liteserver/get_state/:block_id',
  '/liteserver/get_block_header/:block_id',
  '/liteserver/get_account_state/:account_id',
  '/liteserver/get_shard_info/:block_id',
  '/liteserver/get_all_shards_info/:block_id',
  '/liteserver/get_transactions/:account_id',
  '/liteserver/list_block_transactions/:block_id',
  '/liteserver/get_block_proof',
  '/liteserver/get_config_all/:block_id',
  '/liteserver/get_shard_block_proof/:block_id',
  '/liteserver/get_out_msg_queue_sizes',
  '/multisig/:account_id',
  '/multisig/order/:account_id',
  '/purchases/:account_id/history',
  '/rewards/validators',
  '/rewards/validation-rounds',
  '/rewards/round-rewards',
  '/rewards/stats',
  '/rewards/apy',
]

const missingPosts = [
  '/migration/wallets',
  '/migration/prepare',
  '/accounts/:account_id/reindex',
  '/nfts/collections/_bulk',
  '/nfts/_bulk',
  '/jettons/_bulk',
  '/tonconnect/stateinit',
  '/wallet/auth/proof',
  '/gasless/estimate/:master_id',
  '/gasless/send',
  '/pubkeys/wallets/_bulk',
  '/liteserver/send_message',
]

/** To be matched before the others: `/accounts/:account_id/jettons/history` is no jetton's balance. */
export function missingRoutes(): Route[] {
  const refuse = ({ req }: Context): never => {
    throw refusal(
      `the sandbox does not have ${req.method} /v2${req.path}; docs/sandbox.md lists what it has`,
      501,
    )
  }
  return [
    // Posts have fixed words where the gets beside them have parameters.
    ...missingPosts.map((path) => ({ path, post: refuse })),
    ...missingGets.map((path) => ({ path, get: refuse })),
  ]
}
