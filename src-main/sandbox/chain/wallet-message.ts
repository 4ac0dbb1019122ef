import {
  type Address,
  type Cell,
  type StateInit,
  SendMode,
  beginCell,
  external,
  internal,
  storeMessage,
} from '@ton/core'
import { WalletContractV4 } from '@ton/ton/dist/wallets/WalletContractV4.js'
import type { Chain } from './chain.ts'
import type { DevelopmentWallet } from './wallets.ts'

/** What a wallet is told to send. */
export type WalletOrder = {
  readonly to: Address
  /** Nanotons. */
  readonly value: bigint
  readonly body?: Cell
  readonly init?: StateInit
  /** True unless said otherwise, as wallet apps have it for contracts. */
  readonly bounce?: boolean
}

/** At most so many in one message of a wallet of version 4. */
const ordersAtMost = 4

/** Seconds; by the chain's clock. */
const validFor = 600

/**
 * A signed external message with the wallet's present seqno: the next one may be made only when
 * this one has been executed.
 * @throws RangeError for more than `ordersAtMost` orders
 */
export function walletMessage(
  chain: Chain,
  wallet: DevelopmentWallet,
  orders: readonly WalletOrder[],
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
    sendMode: SendMode.PAY_GAS_SEPARATELY | SendMode.IGNORE_ERRORS,
    messages: orders.map(({ to, value, body, init, bounce = true }) =>
      internal({ to, value, bounce, body: body ?? null, init: init ?? null }),
    ),
  })
  const init = seqno === null ? contract.init : null
  return beginCell()
    .store(storeMessage(external({ to: contract.address, body, init })))
    .endCell()
}

/** Null when the wallet is not deployed. */
export function walletSeqno(chain: Chain, address: Address): number | null {
  const state = chain.account(address.toRawString())?.account?.storage.state
  if (state?.type !== 'active') return null
  return state.state.data?.beginParse().preloadUint(32) ?? null
}
