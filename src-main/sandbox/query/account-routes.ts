import type { ShardAccount } from '@ton/core'
import { formatFriendly, parseAddress } from '../../ton/address.ts'
import { formatCell } from '../../ton/boc.ts'
import { hashOfBigint } from '../../ton/hash.ts'
import { type WalletVersion, walletInterface } from '../../ton/wallet.ts'
import type { Routes } from '../http.ts'
import { type Contract, balanceOf, initOf, statusOf } from './accounts.ts'
import { type QueryDeps, ownedJettons } from './jettons.ts'
import { ratesResponse, tonRates } from './rates.ts'
import { type QueryRequest, queryProblem, readAccounts, refusal } from './request.ts'
import { intOf } from './stack.ts'

export function accountRoutes(deps: QueryDeps): Routes<QueryRequest> {
  const { chain, contracts } = deps

  async function serializeAccounts(request: QueryRequest, addresses: readonly string[]) {
    const currency = request.optional('currency')
    const accounts: object[] = []
    for (const address of addresses) accounts.push(await serializeAccount(address, deps, currency))
    return ratesResponse({ accounts }, currency !== undefined)
  }

  /** An unused address may still become a wallet. */
  async function walletVersionAt(address: string, otherwise: string) {
    const contract = await contracts.of(address)
    if (contract.kind === 'wallet') return contract.version
    if (contract.kind === 'none') return null
    throw refusal(otherwise)
  }

  return {
    '/accounts/_bulk': {
      GET: (request) => serializeAccounts(request, readAccounts(request.list('account_ids'))),
      POST: async (request) => serializeAccounts(request, await request.accounts()),
    },
    '/accounts/search': (request) => findByName(request.required('name'), deps),
    '/accounts/:account_id': (request) => serializeAccount(request.account(), deps),
    async '/wallet/:account_id/seqno'(request) {
      const account = request.account()
      const version = await walletVersionAt(account, 'contract is not a supported wallet')
      if (version === null) return { seqno: 0 }
      const result = await chain.runMethod(account, 'seqno', [])
      const seqno = result?.exitCode === 0 ? intOf(result.stack[0]) : null
      if (seqno === null) throw refusal("contract doesn't have a seqno")
      return { seqno: Number(seqno) }
    },
    async '/wallet/:account_id'(request) {
      const account = request.account()
      const version = await walletVersionAt(account, 'unsupported wallet version')
      const jettons = (await ownedJettons(account, deps)).length
      return serializeWallet(account, deps, version, jettons)
    },
    '/address/:account_id/parse'(request) {
      request.account()
      const { raw, form, isTestOnly } = parseAddress(request.parameter('account_id'))
      const testOnly = chain.network === 'testnet'
      const text = (bounceable: boolean) => ({
        b64: formatFriendly(raw, { bounceable, testOnly, urlSafe: false }),
        b64url: formatFriendly(raw, { bounceable, testOnly }),
      })
      return {
        raw_form: raw,
        bounceable: text(true),
        non_bounceable: text(false),
        given_type: form === 'raw' ? 'raw_form' : `friendly_${form}`,
        test_only: isTestOnly,
      }
    },
  }
}

function findByName(name: string, { names, usdt }: QueryDeps) {
  if (name.length < 3 || name.length > 15) {
    throw queryProblem('name', 'it is not 3 to 15 characters long')
  }
  const found = [...names].filter(([, each]) => each.toLowerCase().startsWith(name.toLowerCase()))
  return {
    addresses: found.map(([address, each]) => ({
      address,
      name: each,
      preview: '',
      trust: address === usdt ? 'whitelist' : 'none',
    })),
  }
}

/** Serializes an Account of the service. @param currency adds `currencies_balance` */
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
    // An unused address counts as a wallet, because it may become one.
    is_wallet: contract.kind === 'wallet' || state === null,
  }
}

/** Serializes a BlockchainRawAccount of the service. */
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

/** Returns only standard methods, because the chain does not list others. */
function getMethodsOf(contract: Contract): readonly string[] {
  if (contract.kind === 'wallet') return walletMethods[contract.version]
  if (contract.kind === 'jetton_master') return ['get_jetton_data', 'get_wallet_address']
  return contract.kind === 'jetton_wallet' ? ['get_wallet_data'] : []
}
