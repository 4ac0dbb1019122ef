import type { ShardAccount } from '@ton/core'
import type { Context } from 'hono'
import { formatFriendly, parseAddress } from '../../ton/address.ts'
import { formatCell } from '../../ton/boc.ts'
import { hashOfBigint } from '../../ton/hash.ts'
import { type WalletVersion, walletInterface } from '../../ton/wallet.ts'
import { jsonResponse } from '../http.ts'
import { type Contract, balanceOf, initOf, statusOf } from './accounts.ts'
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
  const { chain, contracts } = deps

  async function answerAccounts(context: Context, texts: readonly string[]): Promise<Response> {
    const currency = context.req.query('currency')
    const accounts: object[] = []
    for (const address of readAccounts(texts)) {
      accounts.push(await serializeAccount(address, deps, currency))
    }
    return jsonResponse({ accounts }, 200, currency === undefined ? {} : fixedRatesHeader)
  }

  async function postAccounts(context: Context): Promise<Response> {
    const { account_ids } = await readBody(context, accountsBody)
    return answerAccounts(context, account_ids)
  }

  async function getAccount(context: Context): Promise<Response> {
    const account = accountParameter(context)
    return jsonResponse(await serializeAccount(account, deps))
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
    return jsonResponse(serializeWallet(account, deps, version, jettons))
  }

  async function getSeqno(context: Context): Promise<Response> {
    const account = accountParameter(context)
    const version = await walletVersionAt(account, 'contract is not a supported wallet')
    if (version === null) return jsonResponse({ seqno: 0 })
    const result = await chain.runMethod(account, 'seqno', [])
    const seqno = result?.exitCode === 0 ? intOf(result.stack[0]) : null
    if (seqno === null) throw refusal("contract doesn't have a seqno")
    return jsonResponse({ seqno: Number(seqno) })
  }

  function search(context: Context): Response {
    const name = context.req.query('name')
    if (name === undefined) throw queryProblem('name', 'it is required')
    if (name.length < 3 || name.length > 15)
      throw queryProblem('name', 'it is not 3 to 15 characters long')
    const found = [...deps.names].filter(([, each]) =>
      each.toLowerCase().startsWith(name.toLowerCase()),
    )
    return jsonResponse({
      addresses: found.map(([address, each]) => ({
        address,
        name: each,
        preview: '',
        trust: address === deps.usdt ? 'whitelist' : 'none',
      })),
    })
  }

  function parse(context: Context): Response {
    accountParameter(context)
    const { raw, form, isTestOnly } = parseAddress(pathParameter(context, 'account_id'))
    const testOnly = chain.network === 'testnet'
    const text = (bounceable: boolean) => ({
      b64: formatFriendly(raw, { bounceable, testOnly, urlSafe: false }),
      b64url: formatFriendly(raw, { bounceable, testOnly }),
    })
    return jsonResponse({
      raw_form: raw,
      bounceable: text(true),
      non_bounceable: text(false),
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
  { chain, contracts, names }: QueryDeps,
  currency?: string,
) {
  const state = chain.account(address)
  const name = names.get(address)
  const contract = await contracts.of(address)
  const balance = balanceOf(state)
  const code = currency?.toUpperCase()
  const rate = tonRates.get(code ?? '')
  return {
    address,
    balance,
    currencies_balance: rate && { [String(code)]: (Number(balance) / 1e9) * rate },
    last_activity: chain.lastActivity(address),
    status: statusOf(state),
    interfaces: interfacesOf(contract),
    name,
    memo_required: name === undefined ? undefined : false,
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
  const lastHash = state?.lastTransactionHash ?? 0n
  return {
    address,
    balance: balanceOf(state),
    code: init?.code ? formatCell(init.code) : undefined,
    data: init?.data ? formatCell(init.data) : undefined,
    last_transaction_lt: state?.lastTransactionLt ?? 0n,
    last_transaction_hash: lastHash === 0n ? undefined : hashOfBigint(lastHash),
    frozen_hash: storage?.type === 'frozen' ? hashOfBigint(storage.stateHash) : undefined,
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
  { chain, names }: QueryDeps,
  version: WalletVersion | null,
  jettons: number,
) {
  const state = chain.account(address)
  return {
    address,
    is_wallet: true,
    balance: balanceOf(state),
    stats: { nfts_count: 0, jettons_count: jettons, multisig_count: 0, staking_count: 0 },
    plugins: [],
    status: statusOf(state),
    last_activity: chain.lastActivity(address),
    name: names.get(address),
    get_methods: [],
    interfaces: version === null ? [] : [walletInterface(version)],
    last_lt: state?.lastTransactionLt ?? 0n,
  }
}

function interfacesOf(contract: Contract): string[] {
  if (contract.kind === 'wallet') return [walletInterface(contract.version)]
  return contract.kind === 'other' || contract.kind === 'none' ? [] : [contract.kind]
}

const laterWallet = ['get_public_key', 'get_subwallet_id']
const walletMethods: Readonly<Record<WalletVersion, readonly string[]>> = {
  v1R1: [],
  v1R2: ['seqno'],
  v1R3: ['get_public_key', 'seqno'],
  v2R1: [],
  v2R2: ['seqno'],
  v3R1: ['seqno'],
  v3R2: ['get_public_key', 'seqno'],
  v4R2: ['get_plugin_list', ...laterWallet, 'is_plugin_installed', 'seqno'],
  v5Beta: ['get_extensions', ...laterWallet, 'seqno'],
  v5R1: ['get_extensions', ...laterWallet, 'seqno'],
}

/** Standard methods only; the chain does not list others. */
function getMethodsOf(contract: Contract): readonly string[] {
  if (contract.kind === 'wallet') return walletMethods[contract.version]
  if (contract.kind === 'jetton_master') return ['get_jetton_data', 'get_wallet_address']
  return contract.kind === 'jetton_wallet' ? ['get_wallet_data'] : []
}
