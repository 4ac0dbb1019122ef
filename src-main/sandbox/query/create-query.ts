import { setImmediate } from 'node:timers/promises'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'
import type { Context, Hono } from 'hono'
import type { Cell } from '@ton/core'
import { readAddress } from '../../ton/address.ts'
import type { Chain } from '../chain/create-chain.ts'
import { usdtMaster } from '../chain/contracts.ts'
import { developmentWallets, faucetWallet } from '../chain/wallets.ts'
import { jsonResponse } from '../http.ts'
import { accountRoutes } from './account-routes.ts'
import { blockchainRoutes, methodRoutes } from './blockchain-routes.ts'
import { emulationRoutes } from './emulation-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { decodeRoutes, messageRoutes } from './message-routes.ts'
import { fixedRatesHeader, serializeTokenRates, tonRates, usdtRate } from './rates.ts'
import {
  listQuery,
  notFound,
  queryProblem,
  refusal,
  accountParameter,
  intQuery,
  limitQuery,
  readAccount,
} from './request.ts'
import { type QueryDeps, type Route, createQueryDeps, createRoutes } from './routes.ts'
import { codeHashOf, initOf } from './accounts.ts'
import {
  serializeJettonMetadata,
  serializeJettonPreview,
  type Jetton,
  type OwnedJetton,
  jettonMasters,
  ownedJetton,
  ownedJettons,
} from './jettons.ts'

/** Counting more would block other requests. */
const maxCounted = 1_000

function jettonRoutes(deps: QueryDeps): Route[] {
  const { chain, contracts, jettons, usdt } = deps

  function currenciesOf(context: Context): string[] {
    return listQuery(context, 'currencies').map((currency) => currency.toUpperCase())
  }

  async function serializeBalance(
    { address, wallet }: OwnedJetton,
    currencies: readonly string[],
  ): Promise<object | null> {
    const jetton = await jettons.find(wallet.master)
    const balance = await contracts.jettonBalance(address)
    if (jetton === null || balance === null) return null
    const rate = wallet.master === usdt ? usdtRate : () => undefined
    return {
      balance: balance.toString(),
      ...(currencies.length === 0 ? {} : { price: serializeTokenRates(currencies, rate) }),
      wallet_address: deps.book.describe(address),
      jetton: serializeJettonPreview(jetton),
      extensions: [],
    }
  }

  async function getBalances(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const limit = limitQuery(context, { most: 1_000, preset: 1_000 })
    const offset = intQuery(context, 'offset', { least: 0, most: 2 ** 31 - 1, preset: 0 })
    const currencies = currenciesOf(context)
    const balances: object[] = []
    for (const owned of (await ownedJettons(account, deps)).slice(offset, offset + limit)) {
      const balance = await serializeBalance(owned, currencies)
      if (balance !== null) balances.push(balance)
    }
    return jsonResponse({ balances }, 200, currencies.length === 0 ? {} : fixedRatesHeader)
  }

  async function getBalance(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const jetton = accountParameter(context, 'jetton_id')
    const currencies = currenciesOf(context)
    const owned = await ownedJetton(account, jetton, deps)
    const balance = owned && (await serializeBalance(owned, currencies))
    if (balance === null) throw notFound(`account has no jetton wallet of ${jetton}`)
    return jsonResponse(balance, 200, currencies.length === 0 ? {} : fixedRatesHeader)
  }

  async function getJetton(context: Context): Promise<Response> {
    const info = await serializeJetton(accountParameter(context))
    if (info === null) throw notFound()
    return jsonResponse(info)
  }

  async function serializeJetton(address: string): Promise<object | null> {
    const jetton = await jettons.find(address)
    const state = chain.account(address)
    if (jetton === null || state === null) return null
    return {
      mintable: jetton.isMintable,
      total_supply: jetton.totalSupply.toString(),
      admin: jetton.admin === null ? undefined : deps.book.describe(jetton.admin),
      metadata: serializeJettonMetadata(jetton),
      preview: jetton.image,
      verification: jetton.isVerified ? 'whitelist' : 'none',
      holders_count: countHolders(jetton),
      interfaces: ['jetton_master'],
      code_hash: codeHashOf(state) ?? undefined,
      data_hash: initOf(state)?.data?.hash().toString('hex'),
      last_transaction_lt: state.lastTransactionLt.toString(),
    }
  }

  /** Wallets with a balance; above `maxCounted` all deployed ones. */
  function countHolders(jetton: Jetton): number {
    const wallets = chain.accountsByCode(jetton.walletCodeHash)
    if (wallets.length > maxCounted) return wallets.length
    return wallets.filter((address) => readHolder(address, jetton) !== null).length
  }

  function readHolder(address: string, { address: master }: Jetton) {
    const data = readWalletData(initOf(chain.account(address))?.data)
    if (data === null || data.balance === 0n || data.master !== master) return null
    return { address, owner: data.owner, balance: data.balance }
  }

  async function getHolders(context: Context): Promise<Response> {
    const jetton = await jettons.find(accountParameter(context))
    if (jetton === null) throw notFound()
    const limit = limitQuery(context, { most: 1_000, preset: 1_000 })
    const offset = intQuery(context, 'offset', { least: 0, most: 9_000, preset: 0 })
    const isByAddress = context.req.query('sort_by') === 'address'
    const after = isByAddress ? context.req.query('last_account_id') : undefined
    const from = after === undefined ? '' : readAccount(after)
    const holders = []
    for (const [index, wallet] of chain.accountsByCode(jetton.walletCodeHash).entries()) {
      const holder = readHolder(wallet, jetton)
      if (holder !== null) holders.push(holder)
      // Other requests get their responses meanwhile.
      if (index % maxCounted === maxCounted - 1) await setImmediate()
    }
    const sorted = isByAddress
      ? holders.filter(({ owner }) => owner > from).sort((a, b) => (a.owner < b.owner ? -1 : 1))
      : holders.sort((a, b) => (a.balance < b.balance ? 1 : a.balance > b.balance ? -1 : 0))
    const start = isByAddress ? 0 : offset
    const addresses = sorted.slice(start, start + limit).map(({ address, owner, balance }) => ({
      address,
      owner: deps.book.describe(owner),
      balance: balance.toString(),
    }))
    return jsonResponse({ addresses, total: holders.length })
  }

  async function listJettons(context: Context): Promise<Response> {
    const limit = limitQuery(context, { most: 1_000, preset: 100 })
    const offset = intQuery(context, 'offset', { least: 0, most: 2 ** 31 - 1, preset: 0 })
    const list: object[] = []
    for (const master of (await jettonMasters(deps)).slice(offset, offset + limit)) {
      const info = await serializeJetton(master)
      if (info !== null) list.push(info)
    }
    return jsonResponse({ jettons: list })
  }

  return [
    { path: '/accounts/:account_id/jettons', get: getBalances },
    { path: '/accounts/:account_id/jettons/:jetton_id', get: getBalance },
    { path: '/jettons', get: listJettons },
    { path: '/jettons/:account_id', get: getJetton },
    { path: '/jettons/:account_id/holders', get: getHolders },
  ]
}

/** The sandbox has no NFTs: lists are empty, and each item is unknown. */
const nftRoutes: Route[] = [
  { path: '/accounts/:account_id/nfts', get: emptyList('nft_items', 'account_id') },
  { path: '/nfts/collections', get: emptyList('nft_collections', null) },
  { path: '/nfts/collections/:account_id', get: unknownNft },
  { path: '/nfts/collections/:account_id/items', get: unknownNft },
  { path: '/nfts/:account_id', get: unknownNft },
]

function emptyList(name: string, parameter: string | null) {
  return (context: Context): Response => {
    if (parameter !== null) accountParameter(context, parameter)
    limitQuery(context, { most: 1_000, preset: 100 })
    intQuery(context, 'offset', { least: 0, most: 2 ** 31 - 1, preset: 0 })
    return jsonResponse({ [name]: [] })
  }
}

function unknownNft(context: Context): never {
  accountParameter(context)
  throw notFound()
}

function readWalletData(data: Cell | null | undefined) {
  try {
    const slice = data?.beginParse()
    if (slice === undefined) return null
    const balance = slice.loadCoins()
    const owner = slice.loadAddress().toRawString()
    return { balance, owner, master: slice.loadAddress().toRawString() }
  } catch {
    return null
  }
}

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
    ...nftRoutes,
  ])
}

const maxTokens = 100
const maxPoints = 200
const daySeconds = 86_400
/** Dates are 32-bit Unix times. */
const maxDate = 2 ** 31 - 1

function utilityRoutes({ chain, usdt }: QueryDeps): Route[] {
  function status(): Response {
    const { seqno } = chain.head()
    return jsonResponse({
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
    const rates = lookupTable<object>({})
    for (const token of tokens) {
      const rateIn = rateOf(token)
      const name = isTon(token) ? token.toUpperCase() : token
      if (rateIn !== null) rates[name] = serializeTokenRates(currencies, rateIn)
    }
    return jsonResponse({ rates }, 200, fixedRatesHeader)
  }

  function rateOf(token: string): ((currency: string) => number | undefined) | null {
    if (readAddress(token)?.raw === usdt) return usdtRate
    return isTon(token) ? (currency) => tonRates.get(currency) : null
  }

  /** The fixed rate at evenly spread moments, the last one first, none after the newest block. */
  function getChart(context: Context): Response {
    const token = context.req.query('token') ?? ''
    if (token === '') throw queryProblem('token', 'it is required')
    const now = chain.head().utime
    const dates = { least: 0, most: maxDate }
    const count = intQuery(context, 'points_count', {
      least: 0,
      most: maxPoints,
      preset: maxPoints,
    })
    const end = intQuery(context, 'end_date', { ...dates, preset: now })
    const start = intQuery(context, 'start_date', {
      ...dates,
      preset: Math.max(0, end - daySeconds),
    })
    if (start > end) throw refusal('start_date is after end_date')
    const rate = rateOf(token)?.((context.req.query('currency') ?? 'usd').toUpperCase())
    const step = (end - start) / Math.max(1, count - 1)
    const moments = Array.from({ length: count }, (_, index) => Math.floor(end - index * step))
    const points = moments.flatMap((at) => (rate === undefined || at > now ? [] : [[at, rate]]))
    return jsonResponse({ points }, 200, fixedRatesHeader)
  }

  return [
    { path: '/status', get: status },
    { path: '/rates', get: getRates },
    { path: '/rates/chart', get: getChart },
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
 * (docs/sandbox.md). They respond 501: clients take 404 for a missing entity.
 */
const missingGets = `
  /openapi.json /openapi.yml
  /blockchain/reduced/blocks /blockchain/blocks/:block_id/boc
  /blockchain/masterchain/:masterchain_seqno/config
  /blockchain/masterchain/:masterchain_seqno/config/raw /blockchain/validators
  /blockchain/accounts/:account_id/inspect /blockchain/libraries/:hash
  /accounts/:account_id/dns/backresolve /accounts/:account_id/jettons/history
  /accounts/:account_id/jettons/:jetton_id/history
  /accounts/:account_id/nfts/history /accounts/:account_id/subscriptions
  /accounts/:account_id/dns/expiring /accounts/:account_id/publickey
  /accounts/:account_id/multisigs /accounts/:account_id/diff /accounts/:account_id/defi/assets
  /accounts/:account_id/extra-currency/:id/history
  /dns/:domain_name /dns/:domain_name/bids /dns/auctions
  /nfts/:account_id/history
  /jettons/:jetton_id/transfer/:account_id/payload
  /jettons/:jetton_id/accounts/:account_id/history
  /events/:event_id/jettons
  /extra-currency/:id
  /staking/nominator/:account_id/pools /staking/pool/:account_id /staking/pool/:account_id/history
  /staking/pools
  /storage/providers
  /rates/markets
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
