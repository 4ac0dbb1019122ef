import type { Cell } from '@ton/core'
import type { Context } from 'hono'
import { answerJson } from '../http.ts'
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
import { accountParameter, intQuery, limitQuery, listQuery, notFound } from './request.ts'
import type { QueryDeps, Route } from './routes.ts'
import { fixedRatesHeader, serializeTokenRates, usdtRate } from './rates.ts'

/** Counting more would block other requests. */
const maxCounted = 1_000

export function jettonRoutes(deps: QueryDeps): Route[] {
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
    return answerJson({ balances }, 200, currencies.length === 0 ? {} : fixedRatesHeader)
  }

  async function getBalance(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const jetton = accountParameter(context, 'jetton_id')
    const currencies = currenciesOf(context)
    const owned = await ownedJetton(account, jetton, deps)
    const balance = owned && (await serializeBalance(owned, currencies))
    if (balance === null) throw notFound(`account has no jetton wallet of ${jetton}`)
    return answerJson(balance, 200, currencies.length === 0 ? {} : fixedRatesHeader)
  }

  async function getJetton(context: Context): Promise<Response> {
    const info = await serializeJetton(accountParameter(context))
    if (info === null) throw notFound()
    return answerJson(info)
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
  function countHolders({ address: master, walletCodeHash }: Jetton): number {
    const wallets = chain.accountsByCode(walletCodeHash)
    if (wallets.length > maxCounted) return wallets.length
    return wallets.filter((address) => {
      const data = readWalletData(initOf(chain.account(address))?.data)
      return data !== null && data.balance > 0n && data.master === master
    }).length
  }

  async function listJettons(context: Context): Promise<Response> {
    const limit = limitQuery(context, { most: 1_000, preset: 100 })
    const offset = intQuery(context, 'offset', { least: 0, most: 2 ** 31 - 1, preset: 0 })
    const list: object[] = []
    for (const master of (await jettonMasters(deps)).slice(offset, offset + limit)) {
      const info = await serializeJetton(master)
      if (info !== null) list.push(info)
    }
    return answerJson({ jettons: list })
  }

  return [
    { path: '/accounts/:account_id/jettons', get: getBalances },
    { path: '/accounts/:account_id/jettons/:jetton_id', get: getBalance },
    { path: '/jettons', get: listJettons },
    { path: '/jettons/:account_id', get: getJetton },
  ]
}

function readWalletData(data: Cell | null | undefined) {
  try {
    const slice = data?.beginParse()
    if (slice === undefined) return null
    const balance = slice.loadCoins()
    slice.loadAddress()
    return { balance, master: slice.loadAddress().toRawString() }
  } catch {
    return null
  }
}
