import type { Context, Hono } from 'hono'
import { readAddress } from '../../ton/address.ts'
import type { Chain } from '../chain/create-chain.ts'
import { usdtMaster } from '../chain/contracts.ts'
import { developmentWallets, faucetWallet } from '../chain/wallets.ts'
import { answerJson } from '../http.ts'
import { accountRoutes } from './account-routes.ts'
import { blockchainRoutes, methodRoutes } from './blockchain-routes.ts'
import { emulationRoutes } from './emulation-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { jettonRoutes } from './jetton-routes.ts'
import { decodeRoutes, messageRoutes } from './message-routes.ts'
import { fixedRatesHeader, serializeTokenRates, tonRates, usdtRate } from './rates.ts'
import { listQuery, notFound, queryProblem, refusal } from './request.ts'
import { type QueryDeps, type Route, createQueryDeps, createRoutes } from './routes.ts'

/** The query API of one network, mounted at `/v2`. */
export function createQuery({ chain }: { readonly chain: Chain }): Hono {
  const names = new Map([[usdtMaster.toRawString(), 'Tether USD']])
  for (const { name, address } of [...developmentWallets, faucetWallet]) {
    names.set(address.toRawString(), name)
  }
  const deps = createQueryDeps(chain, names)
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

const maxTokens = 100

function utilityRoutes({ chain, usdt }: QueryDeps): Route[] {
  function status(): Response {
    const { seqno } = chain.head()
    return answerJson({
      rest_online: true,
      indexing_latency: 0,
      last_known_masterchain_seqno: seqno,
    })
  }

  function getRates(context: Context): Response {
    const tokens = requiredList(context, 'tokens')
    const currencies = requiredList(context, 'currencies').map((each) => each.toUpperCase())
    if (tokens.length > maxTokens || currencies.length > maxTokens) {
      throw refusal(`max params limit is ${maxTokens} items`)
    }
    const rates: Record<string, object> = {}
    for (const token of tokens) {
      const rateIn = rateOf(token)
      const name = isTon(token) ? token.toUpperCase() : token
      if (rateIn !== null) rates[name] = serializeTokenRates(currencies, rateIn)
    }
    return answerJson({ rates }, 200, fixedRatesHeader)
  }

  function rateOf(token: string): ((currency: string) => number | undefined) | null {
    if (readAddress(token)?.raw === usdt) return usdtRate
    return isTon(token) ? (currency) => tonRates.get(currency) : null
  }

  return [
    { path: '/status', get: status },
    { path: '/rates', get: getRates },
    {
      path: '/dns/:domain_name/resolve',
      get: () => {
        throw notFound()
      },
    },
  ]
}

function requiredList(context: Context, name: string): string[] {
  if (context.req.query(name) === undefined) throw queryProblem(name, 'it is required')
  const list = listQuery(context, name)
  if (list.length === 0) throw refusal(`${name} is required param`)
  return list
}

function isTon(token: string): boolean {
  return /^(ton|gram)$/i.test(token)
}

/**
 * Operations of `api/openapi.yml` of tonkeeper/opentonapi (August 2026) that the sandbox lacks
 * (docs/sandbox.md). They answer 501: clients take 404 for a missing entity.
 */
const missingGets = `
  /openapi.json /openapi.yml
  /blockchain/reduced/blocks /blockchain/blocks/:block_id/boc
  /blockchain/masterchain/:masterchain_seqno/shards
  /blockchain/masterchain/:masterchain_seqno/blocks
  /blockchain/masterchain/:masterchain_seqno/transactions
  /blockchain/masterchain/:masterchain_seqno/config
  /blockchain/masterchain/:masterchain_seqno/config/raw /blockchain/validators
  /blockchain/accounts/:account_id/inspect /blockchain/libraries/:hash
  /accounts/:account_id/dns/backresolve /accounts/:account_id/jettons/history
  /accounts/:account_id/jettons/:jetton_id/history /accounts/:account_id/nfts
  /accounts/:account_id/nfts/history /accounts/:account_id/subscriptions
  /accounts/:account_id/dns/expiring /accounts/:account_id/publickey
  /accounts/:account_id/multisigs /accounts/:account_id/diff /accounts/:account_id/defi/assets
  /accounts/:account_id/extra-currency/:id/history
  /dns/:domain_name /dns/:domain_name/bids /dns/auctions
  /nfts/collections /nfts/collections/:account_id /nfts/collections/:account_id/items
  /nfts/:account_id /nfts/:account_id/history
  /jettons/:account_id/holders /jettons/:jetton_id/transfer/:account_id/payload
  /jettons/:jetton_id/accounts/:account_id/history
  /events/:event_id/jettons
  /extra-currency/:id
  /staking/nominator/:account_id/pools /staking/pool/:account_id /staking/pool/:account_id/history
  /staking/pools
  /storage/providers
  /rates/chart /rates/markets
  /tonconnect/payload
  /gasless/config
  /pubkeys/:public_key/wallets
  /liteserver/get_masterchain_info /liteserver/get_masterchain_info_ext /liteserver/get_time
  /liteserver/get_block/:block_id /liteserver/get_state/:block_id
  /liteserver/get_block_header/:block_id /liteserver/get_account_state/:account_id
  /liteserver/get_shard_info/:block_id /liteserver/get_all_shards_info/:block_id
  /liteserver/get_transactions/:account_id /liteserver/list_block_transactions/:block_id
  /liteserver/get_block_proof /liteserver/get_config_all/:block_id
  /liteserver/get_shard_block_proof/:block_id /liteserver/get_out_msg_queue_sizes
  /multisig/:account_id /multisig/order/:account_id
  /purchases/:account_id/history
  /rewards/validators /rewards/validation-rounds /rewards/round-rewards /rewards/stats /rewards/apy
`

const missingPosts = `
  /migration/wallets /migration/prepare
  /accounts/:account_id/reindex
  /nfts/collections/_bulk /nfts/_bulk
  /jettons/_bulk
  /tonconnect/stateinit
  /wallet/auth/proof
  /gasless/estimate/:master_id /gasless/send
  /pubkeys/wallets/_bulk
  /liteserver/send_message
`

/** These come first: `/accounts/:account_id/jettons/history` is no jetton's balance. */
function missingRoutes(): Route[] {
  const refuse = ({ req }: Context): never => {
    throw refusal(
      `the sandbox does not have ${req.method} /v2${req.path}; docs/sandbox.md lists what it has`,
      501,
    )
  }
  return [
    // POST paths are static where GET paths have parameters.
    ...pathsOf(missingPosts).map((path) => ({ path, post: refuse })),
    ...pathsOf(missingGets).map((path) => ({ path, get: refuse })),
  ]
}

function pathsOf(text: string): string[] {
  return text.trim().split(/\s+/)
}
