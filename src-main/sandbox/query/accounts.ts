import { type ShardAccount, type StateInit, type TupleItem, Address, beginCell } from '@ton/core'
import { type WalletVersion, walletVersionOf } from '../../ton/wallet.ts'
import type { Chain } from '../chain/create-chain.ts'
import { EmulatorRefusal } from '../chain/emulator.ts'
import { LimitedMap } from '../../../src-preload/domain/limited-map.ts'
import { addressOf, cellOf, intOf } from './stack.ts'

type AccountStatus = 'nonexist' | 'uninit' | 'active' | 'frozen'

export const statusOf = (state: ShardAccount | null): AccountStatus =>
  state?.account?.storage.state.type ?? 'nonexist'

export const balanceOf = (state: ShardAccount | null): bigint =>
  state?.account?.storage.balance.coins ?? 0n

export function initOf(state: ShardAccount | null): StateInit | null {
  const account = state?.account?.storage.state
  return account?.type === 'active' ? account.state : null
}

export const codeHashOf = (state: ShardAccount | null): string | null =>
  initOf(state)?.code?.hash().toString('hex') ?? null

export type AccountBook = ReturnType<typeof createAccountBook>

/** Formats accounts as other objects of the API show them. */
export const createAccountBook = (chain: Chain, names: ReadonlyMap<string, string>) => ({
  describe: (address: string) => ({
    address,
    name: names.get(address),
    is_scam: false,
    is_wallet: walletVersionOf(codeHashOf(chain.account(address)) ?? '') !== null,
  }),
})

export type JettonWallet = {
  readonly kind: 'jetton_wallet'
  readonly owner: string
  readonly master: string
}

export type Contract =
  | { readonly kind: 'wallet'; readonly version: WalletVersion }
  | { readonly kind: 'jetton_master' }
  | JettonWallet
  | { readonly kind: 'other' }
  | { readonly kind: 'none' }

type Kind = 'wallet' | 'jetton_master' | 'jetton_wallet' | 'other'

export type Contracts = ReturnType<typeof createContracts>

/** Recognizes contracts by their get methods, not by known code hashes. */
export function createContracts(chain: Chain) {
  const kinds = new LimitedMap<string, Kind>(1_000)
  const wallets = new LimitedMap<string, JettonWallet>(20_000)

  /** @param findAddress returns the address of an account with the code; called for unclassified code */
  async function kindOf(codeHash: string, findAddress: () => string | undefined): Promise<Kind> {
    if (walletVersionOf(codeHash) !== null) return 'wallet'
    const cached = kinds.get(codeHash)
    if (cached !== undefined) return cached
    const address = findAddress()
    if (address === undefined) return 'other'
    const kind = await findKind(address).catch((error: unknown): Kind => {
      // A contract whose methods return more than fits into cells would prevent listing accounts.
      if (error instanceof EmulatorRefusal) return 'other'
      throw error
    })
    kinds.set(codeHash, kind)
    return kind
  }

  async function findKind(address: string): Promise<Kind> {
    if ((await readWalletData(address)) !== null) return 'jetton_wallet'
    const jetton = await chain.runMethod(address, 'get_jetton_data', [])
    return jetton?.exitCode === 0 && jetton.stack.length >= 5 ? 'jetton_master' : 'other'
  }

  async function readWalletData(address: string) {
    const result = await chain.runMethod(address, 'get_wallet_data', [])
    if (result?.exitCode !== 0) return null
    const [first, second, third, code] = result.stack
    const balance = intOf(first)
    const owner = addressOf(second)
    const master = addressOf(third)
    if (balance === null || owner === null || master === null) return null
    return cellOf(code) === null ? null : { balance, owner, master }
  }

  async function readWallet(address: string, codeHash: string): Promise<JettonWallet | null> {
    const key = `${address} ${codeHash}`
    const cached = wallets.get(key)
    if (cached !== undefined) return cached
    const data = await readWalletData(address)
    if (data === null) return null
    const { owner, master } = data
    if ((await walletAddress(master, owner)) !== address) return null
    const wallet = { kind: 'jetton_wallet' as const, owner, master }
    wallets.set(key, wallet)
    return wallet
  }

  /** Computes the wallet's address, even if it is not deployed. Null if the master does not report it. */
  async function walletAddress(master: string, owner: string): Promise<string | null> {
    const argument: TupleItem = {
      type: 'slice',
      cell: beginCell().storeAddress(Address.parseRaw(owner)).endCell(),
    }
    const result = await chain.runMethod(master, 'get_wallet_address', [argument])
    return result?.exitCode === 0 ? addressOf(result.stack[0]) : null
  }

  async function of(address: string): Promise<Contract> {
    const codeHash = codeHashOf(chain.account(address))
    if (codeHash === null) return { kind: 'none' }
    const version = walletVersionOf(codeHash)
    if (version !== null) return { kind: 'wallet', version }
    const kind = await kindOf(codeHash, () => address)
    if (kind === 'jetton_master') return { kind }
    const wallet = kind === 'jetton_wallet' ? await readWallet(address, codeHash) : null
    return wallet ?? { kind: 'other' }
  }

  return {
    of,
    /** Null unless the master confirms the wallet, because any contract can claim to be one. */
    jettonWallet: async (address: string): Promise<JettonWallet | null> => {
      const contract = await of(address)
      return contract.kind === 'jetton_wallet' ? contract : null
    },
    jettonBalance: async (wallet: string) => (await readWalletData(wallet))?.balance ?? null,
    /** Thousands of accounts may have this code. */
    isJettonMasterCode: async (codeHash: string) =>
      (await kindOf(codeHash, () => chain.accountsByCode(codeHash)[0])) === 'jetton_master',
    isJettonMaster: async (address: string) => (await of(address)).kind === 'jetton_master',
    walletAddress,
  }
}
