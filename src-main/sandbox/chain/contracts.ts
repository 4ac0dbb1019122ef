import * as code from '../contracts/code.ts'
import {
  type Address,
  type Message,
  type StateInit,
  beginCell,
  Cell,
  comment,
  contractAddress,
  Dictionary,
  toNano,
} from '@ton/core'
import { WalletContractV4 } from '@ton/ton/dist/wallets/WalletContractV4.js'
import { createHash } from 'node:crypto'
import type { ChainState } from './chain.ts'
import { type AccountState, serializeShardAccount } from './account-states.ts'
import {
  type DevelopmentWallet,
  type WalletOrder,
  developmentWallets,
  faucetWallet,
  fromFaucet,
  walletNamed,
} from './wallets.ts'

const usdtMetadata = {
  name: 'Tether USD',
  symbol: 'USDT',
  decimals: '6',
  description: 'Play money of the Tondesk sandbox; the faucet mints it.',
}

const minterCode = Cell.fromHex(code.jettonMinter)
const jettonWalletCode = Cell.fromHex(code.jettonWallet)
const opcodeContractCode = Cell.fromHex(code.opcodeResponder)

/** The same code and metadata with another administrator give another master. */
export function jettonMinterInit(
  administrator: Address,
  metadata: Readonly<Record<string, string>>,
): StateInit {
  return {
    code: minterCode,
    data: beginCell()
      .storeCoins(0)
      .storeAddress(administrator)
      .storeRef(onChainContent(metadata))
      .storeRef(jettonWalletCode)
      .endCell(),
  }
}

const minterInit = jettonMinterInit(faucetWallet.address, usdtMetadata)
/** The address is the same on both networks. */
export const usdtMaster = contractAddress(0, minterInit)

export const usdtWalletCodeHash = jettonWalletCode.hash().toString('hex')

export function usdtWalletOf(owner: Address, master = usdtMaster): Address {
  const data = beginCell().storeCoins(0).storeAddress(owner).storeAddress(master).endCell()
  return contractAddress(0, { code: jettonWalletCode, data })
}

/** Millionths of a USDT; 0 for a wallet that was never used. */
export function usdtBalance(chain: ChainState, owner: Address): bigint {
  const wallet = usdtWalletOf(owner).toRawString()
  const state = chain.account(wallet)?.account?.storage.state
  if (state?.type !== 'active') return 0n
  return state.state.data?.beginParse().loadCoins() ?? 0n
}

/** Nanotons, most of which return as excess. */
const attached = toNano('0.1')

export const usdtTransferValue = attached + 1n

/**
 * Amounts are millionths of a USDT.
 * @param transfer.forwardTon nanotons for the receiver's notification; 1 by default, 0 for no notification
 */
export function usdtTransferOrder(transfer: {
  readonly owner: Address
  readonly to: Address
  readonly amount: bigint
  readonly text?: string | undefined
  readonly forwardTon?: bigint
  readonly queryId?: bigint
  /** The default is the sandbox's USDT. */
  readonly master?: Address
}): WalletOrder {
  const { owner, to, amount, text, forwardTon = 1n, queryId = 0n, master = usdtMaster } = transfer
  const body = beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(queryId, 64)
    .storeCoins(amount)
    .storeAddress(to)
    .storeAddress(owner)
    .storeMaybeRef(null)
    .storeCoins(forwardTon)
    .storeMaybeRef(text === undefined ? null : comment(text))
    .endCell()
  return { to: usdtWalletOf(owner, master), value: attached + forwardTon, body, bounce: true }
}

/**
 * Builds a message for `chain.inject`.
 * @param amount millionths of a USDT
 * @param isQuiet true to send no notification and no excess: two transactions instead of four
 */
export function usdtMintMessage(to: Address, amount: bigint, isQuiet = false): Message {
  const body = jettonMintBody(to, amount, isQuiet)
  return fromFaucet({ to: usdtMaster, value: toNano('0.2'), bounce: true, body })
}

export function jettonMintBody(to: Address, amount: bigint, isQuiet: boolean): Cell {
  return beginCell()
    .storeUint(0x642b7d07, 32)
    .storeUint(0, 64)
    .storeAddress(to)
    .storeCoins(isQuiet ? toNano('0.05') : toNano('0.1'))
    .storeRef(
      beginCell()
        .storeUint(0x178d4519, 32)
        .storeUint(0, 64)
        .storeCoins(amount)
        .storeAddress(null)
        .storeAddress(isQuiet ? null : faucetWallet.address)
        .storeCoins(isQuiet ? 0n : 1n)
        .storeMaybeRef(null)
        .endCell(),
    )
    .endCell()
}

/** Builds on-chain content (TEP-64): a dictionary by the SHA-256 of each attribute name. */
function onChainContent(attributes: Readonly<Record<string, string>>): Cell {
  const content = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell())
  for (const [name, value] of Object.entries(attributes)) {
    const key = createHash('sha256').update(name).digest()
    content.set(key, beginCell().storeUint(0, 8).storeStringTail(value).endCell())
  }
  return beginCell().storeUint(0, 8).storeDict(content).endCell()
}

/**
 * The contract replies to a message with an opcode by the same opcode with its highest bit set
 * (contracts/opcode-responder.tolk). Each 64-bit salt has its own address.
 */
const opcodeContractInit = (salt: bigint): StateInit => ({
  code: opcodeContractCode,
  data: beginCell().storeUint(salt, 64).storeUint(0, 32).storeUint(0, 32).endCell(),
})

export const opcodeContractAddress = (salt = 0n): Address =>
  contractAddress(0, opcodeContractInit(salt))

/** A merchant's second account, which forwards to a wallet (contracts/deposit-account.tolk). */
export const depositAccountInit: StateInit = {
  code: Cell.fromHex(code.depositAccount),
  data: beginCell().storeAddress(walletNamed('wallet-10').address).endCell(),
}
export const depositAccount = contractAddress(0, depositAccountInit)

export const opcodeContractDeployOrder = (salt: bigint) => ({
  to: opcodeContractAddress(salt),
  value: toNano('0.1'),
  bounce: false,
  init: opcodeContractInit(salt),
})

export function opcodeOrder(message: {
  readonly to: Address
  readonly opcode: number
  readonly queryId?: bigint
  readonly value?: bigint | undefined
}): WalletOrder {
  const { to, opcode, queryId = 0n, value = toNano('0.05') } = message
  const body = beginCell().storeUint(opcode, 32).storeUint(queryId, 64).endCell()
  return { to, value, body, bounce: true }
}

const walletBalance = toNano(10_000)
const walletUsdt = 10_000n * 1_000_000n
const faucetBalance = toNano(1_000_000_000)

export const genesisStates = (): Map<string, AccountState> =>
  new Map(
    [...developmentWallets, faucetWallet].map((wallet) => [
      wallet.address.toRawString(),
      activeWallet(wallet, wallet === faucetWallet ? faucetBalance : walletBalance),
    ]),
  )

export const genesisMessages = (): Message[] => [
  fromFaucet({ to: usdtMaster, value: toNano(1), bounce: false, init: minterInit }),
  ...developmentWallets.map(({ address }) => usdtMintMessage(address, walletUsdt, true)),
  fromFaucet(opcodeContractDeployOrder(0n)),
]

function activeWallet({ publicKey, address }: DevelopmentWallet, coins: bigint): AccountState {
  const { code, data } = WalletContractV4.create({ workchain: 0, publicKey }).init
  const boc = serializeShardAccount({
    account: {
      addr: address,
      storage: {
        lastTransLt: 0n,
        balance: { coins },
        state: { type: 'active', state: { code, data } },
      },
      storageStats: { used: { cells: 0n, bits: 0n }, storageExtra: null, lastPaid: 0 },
    },
    lastTransactionLt: 0n,
    lastTransactionHash: 0n,
  })
  return { id: null, boc, codeHash: code.hash().toString('hex'), lastActivity: 0 }
}
