import {
  type Address,
  type Cell,
  type Message,
  type StateInit,
  beginCell,
  external,
  internal,
  SendMode,
  storeMessage,
} from '@ton/core'
import { WalletContractV4 } from '@ton/ton/dist/wallets/WalletContractV4.js'
import type { ChainState } from './chain.ts'
import keys from './development-wallets.json' with { type: 'json' }

export type DevelopmentWallet = {
  readonly name: string
  readonly mnemonic: readonly string[]
  readonly publicKey: Buffer
  readonly secretKey: Buffer
  readonly address: Address
}

/*
 * TEST KEYS, PUBLISHED WITH THE SOURCE. Never use them on a real network: anyone can take coins at
 * these addresses. The keys are stored with their mnemonics, because deriving one key takes longer
 * than all the rest of a start; a test derives them again.
 */
const all = keys.map(({ name, seed, ...wallet }): DevelopmentWallet => {
  const publicKey = Buffer.from(wallet.publicKey, 'hex')
  return {
    name,
    mnemonic: wallet.mnemonic.split(' '),
    publicKey,
    secretKey: Buffer.concat([Buffer.from(seed, 'hex'), publicKey]),
    address: WalletContractV4.create({ workchain: 0, publicKey }).address,
  }
})

/**
 * The wallets are `wallet-1` to `wallet-10` and `merchant`, each with 10,000 TON and 10,000 USDT at
 * genesis.
 */
export const developmentWallets: readonly DevelopmentWallet[] = all.filter(
  ({ name }) => name !== 'faucet',
)

export const faucetWallet = walletNamed('faucet')

export function walletNamed(name: string): DevelopmentWallet {
  const wallet = all.find((candidate) => candidate.name === name)
  if (wallet === undefined) throw new Error(`there is no wallet ${name}`)
  return wallet
}

/** Builds a message for `chain.inject`; the faucet's balance is not reduced. The value is in nanotons. */
export function fromFaucet(order: WalletOrder): Message {
  const message = toMessage(order)
  if (message.info.type !== 'internal') throw new Error('a gift is an internal message')
  return { ...message, info: { ...message.info, src: faucetWallet.address } }
}

export type WalletOrder = {
  readonly to: Address
  readonly value: bigint
  readonly body?: Cell | null
  readonly init?: StateInit
  /** The default is true. */
  readonly bounce?: boolean
}

const defaultSendMode = SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS

/** Maximum number of orders in a message of a version 4 wallet. */
const ordersAtMost = 4

const validFor = 600

/**
 * Signs an external message with the wallet's current seqno, so it must be executed before the next
 * one is created.
 * @throws RangeError for more than `ordersAtMost` orders
 */
export function walletMessage(
  chain: ChainState,
  wallet: DevelopmentWallet,
  orders: readonly WalletOrder[],
  sendMode: number = defaultSendMode,
): Cell {
  if (orders.length > ordersAtMost) {
    throw new RangeError(`a wallet sends at most ${ordersAtMost} messages at once`)
  }
  const contract = WalletContractV4.create({ workchain: 0, publicKey: wallet.publicKey })
  const seqno = walletSeqno(chain, wallet.address)
  const body = contract.createTransfer({
    seqno: seqno ?? 0,
    secretKey: wallet.secretKey,
    timeout: chain.now() + validFor,
    sendMode,
    messages: orders.map(toMessage),
  })
  const init = seqno === null ? contract.init : null
  return beginCell()
    .store(storeMessage(external({ to: contract.address, body, init })))
    .endCell()
}

const toMessage = ({ to, value, body, init, bounce = true }: WalletOrder) =>
  internal({ to, value, bounce, body: body ?? null, init: init ?? null })

export function walletSeqno(chain: ChainState, address: Address): number | null {
  const state = chain.account(address.toRawString())?.account?.storage.state
  if (state?.type !== 'active') return null
  return state.state.data?.beginParse().preloadUint(32) ?? null
}

/** The balance in nanotons. */
export const tonBalance = (chain: ChainState, address: Address): bigint =>
  chain.account(address.toRawString())?.account?.storage.balance.coins ?? 0n
