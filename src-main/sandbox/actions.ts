import { createHash } from 'node:crypto'
import { type Address, comment as commentBody } from '@ton/core'
import { type Chain, type ExecutedBlock, NotAcceptedError } from './chain/chain.ts'
import {
  faucetMessages,
  type WalletOrder,
  walletMessage,
  type DevelopmentWallet,
} from './chain/wallets.ts'
import {
  opcodeContractAddress,
  opcodeContractDeployOrder,
  opcodeOrder,
  usdtBalance,
  usdtMintMessage,
  usdtTransferOrder,
  usdtTransferValue,
} from './chain/contracts.ts'
import { HttpProblem } from './http.ts'
import type { ControlStore } from './store/database.ts'
import { createMutex } from '../../src-preload/domain/mutex.ts'

type Currency = 'TON' | 'USDT'

/** What the development wallets and the faucet of one network can be made to do. Amounts are minimal units. */
export type Actions = {
  /**
   * @throws HttpProblem 400 above `faucetLimit` in one call, 409 when the faucet has given as much in
   *   all: no balance can then leave the int64 that the service has for it
   */
  faucet(order: { to: Address; amount: bigint; currency: Currency }): Promise<ExecutedBlock>
  /** Gives a wallet what it lacks for sending the amount, fees included. @throws HttpProblem as `faucet` */
  fund(order: { wallet: DevelopmentWallet; amount: bigint; currency: Currency }): Promise<void>
  /** @throws HttpProblem 409 when the wallet's balance is too low */
  send(order: {
    from: DevelopmentWallet
    to: Address
    amount: bigint
    currency: Currency
    comment?: string | undefined
  }): Promise<ExecutedBlock>
  /**
   * Deploys another opcode contract.
   * @param order.name decides its address; default: an unused one
   * @throws HttpProblem 409 when that contract exists
   */
  deploy(order: {
    from: DevelopmentWallet
    name?: string | number | undefined
  }): Promise<{ readonly address: Address; readonly executed: ExecutedBlock }>
  opcode(order: {
    from: DevelopmentWallet
    to?: Address | undefined
    opcode: number
    amount?: bigint | undefined
  }): Promise<ExecutedBlock>
}

/** Minimal units per currency and network: half of an int64, so that genesis balances fit too. */
const faucetLimit = 2n ** 62n

/** Nanotons a wallet keeps back for fees. */
const feeReserve = 50_000_000n

export function createActions(chain: Chain, store: ControlStore): Actions {
  const { network } = chain
  /** A wallet's message names its seqno, so the one before has to have been executed. */
  const { run: inTurn } = createMutex()

  function tonBalance(address: Address): bigint {
    return chain.account(address.toRawString())?.account?.storage.balance.coins ?? 0n
  }

  async function tell(from: DevelopmentWallet, order: WalletOrder): Promise<ExecutedBlock> {
    const balance = tonBalance(from.address)
    const needed = order.value + feeReserve
    if (balance < needed) {
      throw new HttpProblem(
        409,
        `${from.name} has ${balance} nanotons, ${needed} are needed with fees`,
      )
    }
    try {
      return await chain.send([walletMessage(chain, from, [order])])
    } catch (error) {
      if (!(error instanceof NotAcceptedError)) throw error
      // Another signer's message for this wallet may have been executed first.
      throw new HttpProblem(409, `${from.name} refused the message: ${error.message}`)
    }
  }

  async function faucet({
    to,
    amount,
    currency,
  }: Parameters<Actions['faucet']>[0]): Promise<ExecutedBlock> {
    const unit = currency === 'TON' ? 'nanotons' : 'millionths of a USDT'
    if (amount > faucetLimit) {
      throw new HttpProblem(400, `amount: the faucet gives at most ${faucetLimit} ${unit}`, true)
    }
    const name = `faucet.${network}.${currency}`
    const given = BigInt((store.get(name) as string | undefined) ?? '0')
    if (given + amount > faucetLimit) {
      throw new HttpProblem(
        409,
        `the faucet gives at most ${faucetLimit} ${unit} on a network and has given ${given}: ask for less, or reset the sandbox`,
      )
    }
    store.set(name, String(given + amount))
    return chain.inject(
      currency === 'TON'
        ? faucetMessages([{ to, value: amount }])
        : [usdtMintMessage(network, to, amount)],
    )
  }

  function unusedSalt(): bigint {
    let salt = BigInt(chain.transactionCount())
    while (isThere(salt)) salt += 1n
    return salt
  }

  function isThere(salt: bigint): boolean {
    const account = chain.account(opcodeContractAddress(salt).toRawString())?.account
    return account?.storage.state.type === 'active'
  }

  return {
    faucet,
    fund: ({ wallet, amount, currency }) =>
      inTurn(async () => {
        const to = wallet.address
        const tonNeeded = currency === 'TON' ? amount : usdtTransferValue
        const tonLack = tonNeeded + feeReserve - tonBalance(to)
        // Receiving a gift costs a fee too.
        if (tonLack > 0n) await faucet({ to, amount: tonLack + feeReserve, currency: 'TON' })
        if (currency === 'TON') return
        const lack = amount - usdtBalance(chain, to)
        if (lack > 0n) await faucet({ to, amount: lack, currency })
      }),
    send: ({ from, to, amount, currency, comment }) =>
      inTurn(() => {
        if (currency === 'TON') {
          const body = comment === undefined ? {} : { body: commentBody(comment) }
          return tell(from, { to, value: amount, bounce: false, ...body })
        }
        const balance = usdtBalance(chain, from.address)
        if (balance < amount) {
          throw new HttpProblem(409, `${from.name} has ${balance} millionths of a USDT`)
        }
        const text = comment === undefined ? {} : { text: comment }
        return tell(from, usdtTransferOrder({ network, owner: from.address, to, amount, ...text }))
      }),
    deploy: ({ from, name }) =>
      inTurn(async () => {
        const salt = name === undefined ? unusedSalt() : saltOf(name)
        if (isThere(salt)) throw new HttpProblem(409, 'a contract of that name is there already')
        const executed = await tell(from, opcodeContractDeployOrder(salt))
        return { address: opcodeContractAddress(salt), executed }
      }),
    opcode: ({ from, to = opcodeContractAddress(), opcode, amount }) =>
      inTurn(() => {
        const value = amount === undefined ? {} : { value: amount }
        return tell(from, opcodeOrder({ to, opcode, ...value }))
      }),
  }
}

function saltOf(name: string | number): bigint {
  if (typeof name === 'number') return BigInt(name)
  return createHash('sha256').update(name).digest().readBigUInt64BE()
}
