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
import { createHash } from 'node:crypto'
import { opcodeResponder } from '../contracts/code.ts'
import type { Chain, NetworkName } from './chain.ts'
import { type WalletOrder, faucetWallet, fromFaucet } from './wallets.ts'

/** The sandbox's own jetton: a real minter and real wallets, with the name of the stablecoin. */
const usdtMetadata = {
  name: 'Tether USD',
  symbol: 'USDT',
  decimals: '6',
  description: 'Play money of the Tondesk sandbox; the faucet mints it.',
}

const [minterCode] = Cell.fromBoc(Buffer.from(code.jettonMinter, 'hex'))
const [walletCode] = Cell.fromBoc(Buffer.from(code.jettonWallet, 'hex'))
if (minterCode === undefined || walletCode === undefined) throw new Error('code.ts holds no code')
const jettonWalletCode = walletCode

const minterInit: StateInit = {
  code: minterCode,
  data: beginCell()
    .storeCoins(0)
    .storeAddress(faucetWallet.address)
    .storeRef(onChainContent(usdtMetadata))
    .storeRef(jettonWalletCode)
    .endCell(),
}
const master = contractAddress(0, minterInit)
const masters: Readonly<Record<NetworkName, Address>> = { mainnet: master, testnet: master }

/** 64 hex; for `chain.accountsByCode`. */
export const usdtWalletCodeHash = jettonWalletCode.hash().toString('hex')

/** The jetton's own address: the same on both networks, which are chains of their own. */
export function usdtMaster(network: NetworkName): Address {
  return masters[network]
}

export function usdtWalletOf(owner: Address, network: NetworkName): Address {
  const data = beginCell()
    .storeCoins(0)
    .storeAddress(owner)
    .storeAddress(usdtMaster(network))
    .endCell()
  return contractAddress(0, { code: jettonWalletCode, data })
}

/** Millionths; 0 where the wallet was never used. */
export function usdtBalance(chain: Chain, owner: Address): bigint {
  const wallet = usdtWalletOf(owner, chain.network).toRawString()
  const state = chain.account(wallet)?.account?.storage.state
  if (state?.type !== 'active') return 0n
  return state.state.data?.beginParse().loadCoins() ?? 0n
}

/** Nanotons. What comes back of it as excesses is nearly all. */
const attached = toNano('0.1')

/** Nanotons that the owner's wallet sends along with a transfer. */
export const usdtTransferValue = attached + 1n

/**
 * What the owner's wallet is told to send so that USDT moves.
 * @param transfer.amount millionths
 * @param transfer.forwardTon nanotons that go to the receiver with the notification; 1 unless said
 *   otherwise, and with 0 nobody is notified
 */
export function usdtTransferOrder(transfer: {
  readonly network: NetworkName
  readonly owner: Address
  readonly to: Address
  readonly amount: bigint
  readonly text?: string
  readonly forwardTon?: bigint
  readonly queryId?: bigint
}): WalletOrder {
  const { network, owner, to, amount, text, forwardTon = 1n, queryId = 0n } = transfer
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
  return { to: usdtWalletOf(owner, network), value: attached + forwardTon, body, bounce: true }
}

/**
 * For `chain.inject`: the faucet, the minter's admin, has the minter make new USDT.
 * @param amount millionths
 * @param isQuiet nobody is notified and nothing comes back: two transactions instead of four
 */
export function usdtMintMessage(
  network: NetworkName,
  to: Address,
  amount: bigint,
  isQuiet = false,
): Message {
  const body = beginCell()
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
  return fromFaucet({ to: usdtMaster(network), value: toNano('0.2'), bounce: true, body })
}

/** Brings the minter into being. */
export function usdtDeployMessage(): Message {
  return fromFaucet({ to: master, value: toNano(1), bounce: false, init: minterInit })
}

/** TEP-64, kept on the chain: a dictionary by the hash of each attribute's name. */
function onChainContent(attributes: Readonly<Record<string, string>>): Cell {
  const content = Dictionary.empty(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell())
  for (const [name, value] of Object.entries(attributes)) {
    const key = createHash('sha256').update(name).digest()
    content.set(key, beginCell().storeUint(0, 8).storeStringTail(value).endCell())
  }
  return beginCell().storeUint(0, 8).storeDict(content).endCell()
}

const [responderCode] = Cell.fromBoc(Buffer.from(opcodeResponder, 'hex'))
if (responderCode === undefined) throw new Error('code.ts holds no code')

/**
 * A contract that answers each message with an opcode by the same opcode with its highest bit set;
 * see contracts/opcode-responder.tolk. Each salt (64 bits) has an address of its own.
 */
const opcodeContractCode: Cell = responderCode

function opcodeContractInit(salt: bigint): StateInit {
  return {
    code: opcodeContractCode,
    data: beginCell().storeUint(salt, 64).storeUint(0, 32).storeUint(0, 32).endCell(),
  }
}

/** The one that genesis deploys has salt 0. */
export function opcodeContractAddress(salt = 0n): Address {
  return contractAddress(0, opcodeContractInit(salt))
}

/** For `chain.inject`: the faucet deploys it. */
export function opcodeContractDeployMessage(salt: bigint): Message {
  return fromFaucet({
    to: opcodeContractAddress(salt),
    value: toNano('0.1'),
    bounce: false,
    init: opcodeContractInit(salt),
  })
}

/** For a wallet: it deploys it. */
export function opcodeContractDeployOrder(salt: bigint): WalletOrder {
  return {
    to: opcodeContractAddress(salt),
    value: toNano('0.1'),
    bounce: false,
    init: opcodeContractInit(salt),
  }
}

/** For a wallet: a message with this opcode, and the query's id that the answer will carry. */
export function opcodeOrder(message: {
  readonly to: Address
  readonly opcode: number
  readonly queryId?: bigint
  /** Nanotons; what is left of them comes back with the answer. */
  readonly value?: bigint
}): WalletOrder {
  const { to, opcode, queryId = 0n, value = toNano('0.05') } = message
  const body = beginCell().storeUint(opcode, 32).storeUint(queryId, 64).endCell()
  return { to, value, body, bounce: true }
}
