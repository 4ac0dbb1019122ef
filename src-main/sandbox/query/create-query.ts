import { setImmediate } from 'node:timers/promises'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'
import { type Context, Hono } from 'hono'
import type { Cell } from '@ton/core'
import { readAddress } from '../../ton/address.ts'
import type { Chain } from '../chain/create-chain.ts'
import { usdtMaster } from '../chain/contracts.ts'
import { developmentWallets, faucetWallet } from '../chain/wallets.ts'
import { type Handler, type Routes, addRoutes, jsonResponse } from '../http.ts'
import { accountRoutes } from './account-routes.ts'
import { blockRoutes, methodRoutes, transactionRoutes } from './blockchain-routes.ts'
import { emulationRoutes } from './emulation-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { messageRoutes } from './message-routes.ts'
import missing from './missing-operations.json' with { type: 'json' }
import { ratesResponse, serializeTokenRates, tonRates, usdtRate } from './rates.ts'
import { QueryRequest, notFound, problemOf, queryProblem, readAccount, refusal } from './request.ts'
import { codeHashOf, initOf } from './accounts.ts'
import {
  createQueryDeps,
  serializeJettonMetadata,
  serializeJettonPreview,
  type Jetton,
  type OwnedJetton,
  type QueryDeps,
  jettonMasters,
  ownedJetton,
  ownedJettons,
} from './jettons.ts'

function balanceRoutes(deps: QueryDeps): Routes<QueryRequest> {
  const currenciesOf = (request: QueryRequest) =>
    request.list('currencies').map((currency) => currency.toUpperCase())

  async function serializeBalance(
    { address, wallet }: OwnedJetton,
    currencies: readonly string[],
  ): Promise<object | null> {
    const jetton = await deps.jettons.find(wallet.master)
    const balance = await deps.contracts.jettonBalance(address)
    if (jetton === null || balance === null) return null
    const rate = wallet.master === deps.usdt ? usdtRate : () => undefined
    return {
      balance: balance.toString(),
      ...(currencies.length === 0 ? {} : { price: serializeTokenRates(currencies, rate) }),
      wallet_address: deps.book.describe(address),
      jetton: serializeJettonPreview(jetton),
      extensions: [],
    }
  }

  return {
    async '/accounts/:account_id/jettons'(request) {
      const account = request.account()
      const { limit, offset } = request.page(1_000)
      const currencies = currenciesOf(request)
      const balances: object[] = []
      for (const owned of (await ownedJettons(account, deps)).slice(offset, offset + limit)) {
        const balance = await serializeBalance(owned, currencies)
        if (balance !== null) balances.push(balance)
      }
      return ratesResponse({ balances }, currencies.length > 0)
    },
    async '/accounts/:account_id/jettons/:jetton_id'(request) {
      const account = request.account()
      const jetton = request.account('jetton_id')
      const currencies = currenciesOf(request)
      const owned = await ownedJetton(account, jetton, deps)
      const balance = owned && (await serializeBalance(owned, currencies))
      if (balance === null) throw notFound(`account has no jetton wallet of ${jetton}`)
      return ratesResponse(balance, currencies.length > 0)
    },
  }
}

function jettonRoutes(deps: QueryDeps): Routes<QueryRequest> {
  return {
    async '/jettons'(request) {
      const { limit, offset } = request.page(100)
      const list: object[] = []
      for (const master of (await jettonMasters(deps)).slice(offset, offset + limit)) {
        const info = await serializeJetton(master, deps)
        if (info !== null) list.push(info)
      }
      return { jettons: list }
    },
    async '/jettons/:account_id'(request) {
      const info = await serializeJetton(request.account(), deps)
      if (info === null) throw notFound()
      return info
    },
    '/jettons/:account_id/holders': (request) => listHolders(request, deps),
  }
}

async function serializeJetton(address: string, { chain, jettons, book }: QueryDeps) {
  const jetton = await jettons.find(address)
  const state = chain.account(address)
  if (jetton === null || state === null) return null
  return {
    mintable: jetton.isMintable,
    total_supply: jetton.totalSupply.toString(),
    admin: jetton.admin === null ? undefined : book.describe(jetton.admin),
    metadata: serializeJettonMetadata(jetton),
    preview: jetton.image,
    verification: jetton.isVerified ? 'whitelist' : 'none',
    holders_count: countHolders(chain, jetton),
    interfaces: ['jetton_master'],
    code_hash: codeHashOf(state) ?? undefined,
    data_hash: initOf(state)?.data?.hash().toString('hex'),
    last_transaction_lt: state.lastTransactionLt.toString(),
  }
}

/** A higher count would block other requests. */
const maxCounted = 1_000

/** Counts wallets with a balance; above `maxCounted` all deployed ones. */
function countHolders(chain: Chain, jetton: Jetton): number {
  const wallets = chain.accountsByCode(jetton.walletCodeHash)
  if (wallets.length > maxCounted) return wallets.length
  return wallets.filter((address) => readHolder(chain, address, jetton) !== null).length
}

function readHolder(chain: Chain, address: string, { address: master }: Jetton) {
  const data = readWalletData(initOf(chain.account(address))?.data)
  if (data === null || data.balance === 0n || data.master !== master) return null
  return { address, owner: data.owner, balance: data.balance }
}

async function listHolders(request: QueryRequest, { chain, jettons, book }: QueryDeps) {
  const jetton = await jettons.find(request.account())
  if (jetton === null) throw notFound()
  const { limit, offset } = request.page(1_000, 9_000)
  const isByAddress = request.optional('sort_by') === 'address'
  const after = isByAddress ? request.optional('last_account_id') : undefined
  const from = after === undefined ? '' : readAccount(after)
  const holders = []
  for (const [index, wallet] of chain.accountsByCode(jetton.walletCodeHash).entries()) {
    const holder = readHolder(chain, wallet, jetton)
    if (holder !== null) holders.push(holder)
    // Other requests are handled in between.
    if (index % maxCounted === maxCounted - 1) await setImmediate()
  }
  const sorted = isByAddress
    ? holders.filter(({ owner }) => owner > from).sort((a, b) => (a.owner < b.owner ? -1 : 1))
    : holders.sort((a, b) => (a.balance < b.balance ? 1 : a.balance > b.balance ? -1 : 0))
  const start = isByAddress ? 0 : offset
  const addresses = sorted.slice(start, start + limit).map(({ address, owner, balance }) => ({
    address,
    owner: book.describe(owner),
    balance: balance.toString(),
  }))
  return { addresses, total: holders.length }
}

/** The sandbox has no NFTs, so lists are empty, and each item is unknown. */
const nftRoutes: Routes<QueryRequest> = {
  '/accounts/:account_id/nfts'(request) {
    request.account()
    request.page(100)
    return { nft_items: [] }
  },
  '/nfts/collections'(request) {
    request.page(100)
    return { nft_collections: [] }
  },
  '/nfts/collections/:account_id': refuseNft,
  '/nfts/collections/:account_id/items': refuseNft,
  '/nfts/:account_id': refuseNft,
}

function refuseNft(request: QueryRequest): never {
  request.account()
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
  const app = new Hono()
  const table: Routes<QueryRequest> = {
    ...missingRoutes,
    ...utilityRoutes(deps),
    ...transactionRoutes(deps),
    ...blockRoutes(deps),
    ...methodRoutes(deps),
    ...messageRoutes(deps),
    ...emulationRoutes(deps),
    ...accountRoutes(deps),
    ...eventRoutes(deps),
    ...balanceRoutes(deps),
    ...jettonRoutes(deps),
    ...nftRoutes,
  }
  const inputOf = (context: Context) => new QueryRequest(context)
  addRoutes(app, table, inputOf, (_method, allowed) => {
    return new Response(null, { status: 405, headers: { Allow: allowed.join(', ') } })
  })
  app.notFound(({ req }) => jsonResponse({ error: `no such path: ${req.path}` }, 404))
  app.onError((error) => {
    const { status, message, isMalformed } = problemOf(error)
    return jsonResponse(isMalformed ? { Error: message } : { error: message }, status)
  })
  return app
}

const maxTokens = 100
const maxPoints = 200
const daySeconds = 86_400
/** Dates are 32-bit Unix times. */
const dates = { least: 0, most: 2 ** 31 - 1 }

function utilityRoutes({ chain, usdt }: QueryDeps): Routes<QueryRequest> {
  function rateOf(token: string): ((currency: string) => number | undefined) | null {
    if (readAddress(token)?.raw === usdt) return usdtRate
    return isTon(token) ? (currency) => tonRates.get(currency) : null
  }

  return {
    '/status': () => ({
      rest_online: true,
      indexing_latency: 0,
      last_known_masterchain_seqno: chain.head().seqno,
    }),
    '/rates'(request) {
      const tokens = requiredList(request, 'tokens')
      const currencies = requiredList(request, 'currencies').map((each) => each.toUpperCase())
      if (tokens.length > maxTokens || currencies.length > maxTokens) {
        throw refusal(`max params limit is ${maxTokens} items`)
      }
      const rates = lookupTable<object>({})
      for (const token of tokens) {
        const rateIn = rateOf(token)
        const name = isTon(token) ? token.toUpperCase() : token
        if (rateIn !== null) rates[name] = serializeTokenRates(currencies, rateIn)
      }
      return ratesResponse({ rates })
    },
    /** Returns the fixed rate at evenly spaced times, the last one first, and none after the newest block. */
    '/rates/chart'(request) {
      const token = request.required('token')
      if (token === '') throw queryProblem('token', 'it is required')
      const now = chain.head().utime
      const range = { least: 0, most: maxPoints, preset: maxPoints }
      const count = request.int('points_count', range)
      const end = request.int('end_date', { ...dates, preset: now })
      const dayBefore = Math.max(0, end - daySeconds)
      const start = request.int('start_date', { ...dates, preset: dayBefore })
      if (start > end) throw refusal('start_date is after end_date')
      const rate = rateOf(token)?.((request.optional('currency') ?? 'usd').toUpperCase())
      const step = (end - start) / Math.max(1, count - 1)
      const moments = Array.from({ length: count }, (_, index) => Math.floor(end - index * step))
      const points = moments.flatMap((at) => (rate === undefined || at > now ? [] : [[at, rate]]))
      return ratesResponse({ points })
    },
    '/dns/:domain_name/resolve'() {
      throw notFound()
    },
  }
}

function requiredList(request: QueryRequest, name: string): string[] {
  request.required(name)
  const list = request.list(name)
  if (list.length === 0) throw refusal(`${name} is required param`)
  return list
}

const isTon = (token: string): boolean => /^(ton|gram)$/i.test(token)

const refuseMissing: Handler<QueryRequest> = ({ operation }) => {
  throw refusal(`the sandbox does not have ${operation}; docs/sandbox.md lists what it has`, 501)
}

/**
 * Operations of `api/openapi.yml` of tonkeeper/opentonapi (August 2026) that the sandbox lacks
 * (docs/sandbox.md). They respond 501, because clients interpret 404 as a missing object. They come first:
 * `/accounts/:account_id/jettons/history` is no jetton's balance. Among them, POST paths are static where GET
 * paths have parameters.
 */
const missingRoutes: Routes<QueryRequest> = {
  ...Object.fromEntries(missing.POST.map((path) => [path, { POST: refuseMissing }])),
  ...Object.fromEntries(missing.GET.map((path) => [path, refuseMissing])),
}
