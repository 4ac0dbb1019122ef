import type { ShardAccount } from '@ton/core'
import { formatCell } from '../../ton/boc.ts'
import { hashOfBigint } from '../../ton/hash.ts'
import { type WalletVersion, walletInterface } from '../../ton/wallet.ts'
import type { Chain } from '../chain/chain.ts'
import { balanceOf, initOf, statusOf } from './account-state.ts'
import type { AccountBook } from './account-book.ts'
import type { Contract, Contracts } from './contracts.ts'
import { tonRates } from './rates.ts'

/** Account of the service. @param currency fills `currencies_balance` where its rate is known */
export async function serializeAccount(
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
    // One that was never used may become a wallet yet, and is shown as one.
    is_wallet: contract.kind === 'wallet' || state === null,
  }
}

/** BlockchainRawAccount of the service; of an address nobody has used, too. */
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

/** Wallet of the service. */
export function serializeWallet(
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

/** Those everyone may rely on; the others of a contract are not listed anywhere on the chain. */
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
