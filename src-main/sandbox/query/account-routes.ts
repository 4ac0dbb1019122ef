import type { ShardAccount } from '@ton/core'
import type { Context } from 'hono'
import { formatFriendly, parseAddress } from '../../ton/address.ts'
import { formatCell } from '../../ton/boc.ts'
import { hashOfBigint } from '../../ton/hash.ts'
import { type WalletVersion, walletInterface } from '../../ton/wallet.ts'
import type { Chain } from '../chain/create-chain.ts'
import { answerJson } from '../http.ts'
import {
  type AccountBook,
  type Contract,
  type Contracts,
  balanceOf,
  initOf,
  statusOf,
} from './accounts.ts'
import { ownedJettons } from './jettons.ts'
import { fixedRatesHeader, tonRates } from './rates.ts'
import {
  accountParameter,
  accountsBody,
  listQuery,
  pathParameter,
  queryProblem,
  readAccounts,
  readBody,
  refusal,
} from './request.ts'
import type { QueryDeps, Route } from './routes.ts'
import { intOf } from './stack.ts'

export function accountRoutes(deps: QueryDeps): Route[] {
  const { chain, contracts, book } = deps

  async function answerAccounts(context: Context, texts: readonly string[]): Promise<Response> {
    const currency = context.req.query('currency')
    const shared = { chain, contracts, book: book() }
    const accounts: object[] = []
    for (const address of readAccounts(texts)) {
      accounts.push(await serializeAccount(address, shared, currency))
    }
    return answerJson({ accounts }, 200, currency === undefined ? {} : fixedRatesHeader)
  }

  async function postAccounts(context: Context): Promise<Response> {
    const { account_ids } = await readBody(context, accountsBody)
    return answerAccounts(context, account_ids)
  }

  async function getAccount(context: Context): Promise<Response> {
    const account = accountParameter(context)
    return answerJson(await serializeAccount(account, { chain, contracts, book: book() }))
  }

  /** An unused address may still become a wallet. */
  async function walletVersionAt(address: string, otherwise: string) {
    const contract = await contracts.of(address)
    if (contract.kind === 'wallet') return contract.version
    if (contract.kind === 'none') return null
    throw refusal(otherwise)
  }

  async function getWallet(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const version = await walletVersionAt(account, 'unsupported wallet version')
    const jettons = (await ownedJettons(account, deps)).length
    return answerJson(serializeWallet(account, { chain, book: book() }, { version, jettons }))
  }

  async function getSeqno(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const version = await walletVersionAt(account, 'contract is not a supported wallet')
    if (version === null) return answerJson({ seqno: 0 })
    const result = await chain.runMethod(account, 'seqno', [])
    const seqno = result?.exitCode === 0 ? intOf(result.stack[0]) : null
    if (seqno === null) throw refusal("contract doesn't have a seqno")
    return answerJson({ seqno: Number(seqno) })
  }

  function search(context: Context): Response {
    const name = context.req.query('name')
    if (name === undefined) throw queryProblem('name', 'it is required')
    if (name.length < 3 || name.length > 15)
      throw queryProblem('name', 'it is not 3 to 15 characters long')
    const wanted = name.toLowerCase()
    const found = deps.names.filter((each) => each.name.toLowerCase().startsWith(wanted))
    return answerJson({
      addresses: found.map(({ address, name: known }) => ({
        address,
        name: known,
        preview: '',
        trust: address === deps.usdt ? 'whitelist' : 'none',
      })),
    })
  }

  function parse(context: Context): Response {
    accountParameter(context)
    const { raw, form, isTestOnly } = parseAddress(pathParameter(context, 'account_id'))
    const testOnly = chain.network === 'testnet'
    const printed = (bounceable: boolean) => ({
      b64: formatFriendly(raw, { bounceable, testOnly, urlSafe: false }),
      b64url: formatFriendly(raw, { bounceable, testOnly }),
    })
    return answerJson({
      raw_form: raw,
      bounceable: printed(true),
      non_bounceable: printed(false),
      given_type: form === 'raw' ? 'raw_form' : `friendly_${form}`,
      test_only: isTestOnly,
    })
  }

  return [
    {
      path: '/accounts/_bulk',
      get: (context) => answerAccounts(context, listQuery(context, 'account_ids')),
      post: postAccounts,
    },
    { path: '/accounts/search', get: search },
    { path: '/accounts/:account_id', get: getAccount },
    { path: '/wallet/:account_id/seqno', get: getSeqno },
    { path: '/wallet/:account_id', get: getWallet },
    { path: '/address/:account_id/parse', get: parse },
  ]
}

/** Account of the service. @param currency adds `currencies_balance` */
async function serializeAccount(
  address: string,
  deps: { readonly chain: Chain; readonly contracts: Contracts; readonly book: AccountBook },
  currency?: string,
) {
  const { chain, contracts, book } = deps
  const state = chain.account(address)
  const { name } = book.describe(address)
  const contract = await contracts.of(address)
  const balance = balanceOf(state)
  const rate = currency === undefined ? undefined : tonRates.get(currency.toUpperCase())
  return {
    address,
    balance,
    ...(currency === undefined || rate === undefined
      ? {}
      : { currencies_balance: { [currency.toUpperCase()]: (Number(balance) / 1e9) * rate } }),
    last_activity: chain.lastActivity(address),
    status: statusOf(state),
    interfaces: interfacesOf(contract),
    ...(name === undefined ? {} : { name, memo_required: false }),
    is_scam: false,
    get_methods: getMethodsOf(contract),
    // An unused address is shown as a wallet: it may become one.
    is_wallet: contract.kind === 'wallet' || state === null,
  }
}

/** BlockchainRawAccount of the service. */
export function serializeRawAccount(address: string, state: ShardAccount | null) {
  const account = state?.account ?? null
  const init = initOf(state)
  const storage = account?.storage.state
  return {
    address,
    balance: balanceOf(state),
    ...(init?.code ? { code: formatCell(init.code) } : {}),
    ...(init?.data ? { data: formatCell(init.data) } : {}),
    last_transaction_lt: state?.lastTransactionLt ?? 0n,
    ...(state === null || state.lastTransactionHash === 0n
      ? {}
      : { last_transaction_hash: hashOfBigint(state.lastTransactionHash) }),
    ...(storage?.type === 'frozen' ? { frozen_hash: hashOfBigint(storage.stateHash) } : {}),
    status: statusOf(state),
    storage: {
      used_cells: account?.storageStats.used.cells ?? 0n,
      used_bits: account?.storageStats.used.bits ?? 0n,
      used_public_cells: 0,
      last_paid: account?.storageStats.lastPaid ?? 0,
      due_payment: account?.storageStats.duePayment ?? 0n,
    },
  }
}

function serializeWallet(
  address: string,
  deps: { readonly chain: Chain; readonly book: AccountBook },
  facts: { readonly version: WalletVersion | null; readonly jettons: number },
) {
  const { chain, book } = deps
  const state = chain.account(address)
  const { name } = book.describe(address)
  return {
    address,
    is_wallet: true,
    balance: balanceOf(state),
    stats: { nfts_count: 0, jettons_count: facts.jettons, multisig_count: 0, staking_count: 0 },
    plugins: [],
    status: statusOf(state),
    last_activity: chain.lastActivity(address),
    ...(name === undefined ? {} : { name }),
    get_methods: [],
    interfaces: facts.version === null ? [] : [walletInterface(facts.version)],
    last_lt: state?.lastTransactionLt ?? 0n,
  }
}

function interfacesOf(contract: Contract): string[] {
  switch (contract.kind) {
    case 'wallet':
      return [walletInterface(contract.version)]
    case 'jetton_master':
    case 'jetton_wallet':
      return [contract.kind]
    case 'other':
    case 'none':
      return []
  }
}

/** Standard methods only; the chain does not list others. */
function getMethodsOf(contract: Contract): string[] {
  switch (contract.kind) {
    case 'wallet':
      return walletMethods(contract.version)
    case 'jetton_master':
      return ['get_jetton_data', 'get_wallet_address']
    case 'jetton_wallet':
      return ['get_wallet_data']
    case 'other':
    case 'none':
      return []
  }
}

function walletMethods(version: WalletVersion): string[] {
  switch (version) {
    case 'v1R1':
    case 'v2R1':
      return []
    case 'v1R2':
    case 'v2R2':
    case 'v3R1':
      return ['seqno']
    case 'v1R3':
    case 'v3R2':
      return ['get_public_key', 'seqno']
    case 'v4R2':
      return [
        'get_plugin_list',
        'get_public_key',
        'get_subwallet_id',
        'is_plugin_installed',
        'seqno',
      ]
    case 'v5Beta':
    case 'v5R1':
      return ['get_extensions', 'get_public_key', 'get_subwallet_id', 'seqno']
  }
}
