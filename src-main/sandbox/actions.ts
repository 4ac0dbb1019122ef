import { createHash } from 'node:crypto'
import type { Address } from '@ton/core'
import { comment as commentBody } from '@ton/core'
import type { Chain, ExecutedBlock } from './chain/chain.ts'
import { NotAcceptedError } from './chain/chain.ts'
import { faucetMessages } from './chain/faucet.ts'
import {
  opcodeContractAddress,
  opcodeContractDeployOrder,
  opcodeOrder,
} from './chain/opcode-contract.ts'
import { usdtBalance, usdtMintMessage, usdtTransferOrder } from './chain/usdt.ts'
import type { WalletOrder } from './chain/wallet-message.ts'
import { walletMessage } from './chain/wallet-message.ts'
import type { DevelopmentWallet } from './chain/wallets.ts'
import { HttpProblem } from './http.ts'

export type Currency = 'TON' | 'USDT'

/** What the development wallets and the faucet of one network can be made to do. Amounts are minimal units. */
export type Actions = {
  faucet(order: { to: Address; amount: bigint; currency: Currency }): Promise<ExecutedBlock>
  /** @throws HttpProblem 409 when the wallet has not got as much */
  send(order: {
    from: DevelopmentWallet
    to: Address
    amount: bigint
    currency: Currency
    comment?: string | undefined
  }): Promise<ExecutedBlock>
  /**
   * Another contract that answers opcodes.
   * @param order.name decides its address; by default one that was not used yet
   * @throws HttpProblem 409 when that one is there already
   */
  deploy(order: {
    from: DevelopmentWallet
    name?: string | number | undefined
  }): Promise<{ readonly address: Address; readonly executed: ExecutedBlock }>
  /** @param order.to by default the contract that answers opcodes */
  opcode(order: {
    from: DevelopmentWallet
    to?: Address | undefined
    opcode: number
    amount?: bigint | undefined
  }): Promise<ExecutedBlock>
}

/** Nanotons a wallet keeps back for fees. */
const feeReserve = 50_000_000n

export function createActions(chain: Chain): Actions {
  const { network } = chain
  let lastTurn: Promise<unknown> = Promise.resolve()

  /** A wallet's message names its seqno, so the one before has to have been executed. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = lastTurn.then(work)
    lastTurn = turn.catch(() => undefined)
    return turn
  }

  /** To be called in turn. */
  async function tell(from: DevelopmentWallet, order: WalletOrder): Promise<ExecutedBlock> {
    const account = chain.account(from.address.toRawString())?.account
    const balance = account?.storage.balance.coins ?? 0n
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
      // A message that somebody else has signed for this wallet may have come first.
      throw new HttpProblem(409, `${from.name} refused the message: ${error.message}`)
    }
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
    faucet: ({ to, amount, currency }) =>
      chain.inject(
        currency === 'TON'
          ? faucetMessages([{ to, value: amount }])
          : [usdtMintMessage(network, to, amount)],
      ),
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
