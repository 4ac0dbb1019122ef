import { createHash } from 'node:crypto'
import { type Address, comment as commentBody } from '@ton/core'
import type { Chain } from './chain/create-chain.ts'
import { type ExecutedBlock, NotAcceptedError, type NetworkName } from './chain/chain.ts'
import {
  fromFaucet,
  type WalletOrder,
  tonBalance,
  walletMessage,
  type DevelopmentWallet,
  developmentWallets,
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
import type { Clock } from './clock.ts'
import type { Gate } from './snapshots.ts'

type Currency = 'TON' | 'USDT'

type FaucetOrder = {
  readonly to: Address
  readonly amount: bigint
  readonly currency: Currency
}

export type Actions = ReturnType<typeof createActions>

/**
 * The limit in minimal units per currency and network: half of an int64, so that the balances of
 * genesis fit too.
 */
const faucetLimit = 2n ** 62n

/** Nanotons that a wallet keeps for fees. */
const feeReserve = 50_000_000n

/** The actions of the development wallets and the faucet of one network. Amounts are minimal units. */
export function createActions(chain: Chain, store: ControlStore) {
  const { network } = chain
  /** A wallet's message contains its seqno, so the previous message must have been executed. */
  const { run: inTurn } = createMutex()

  /** @throws HttpProblem 409 if the wallet's balance is too low */
  async function send(from: DevelopmentWallet, order: WalletOrder): Promise<ExecutedBlock> {
    const balance = tonBalance(chain, from.address)
    const needed = order.value + feeReserve
    if (balance < needed) {
      throw new HttpProblem(
        409,
        `${from.name} has ${balance} nanotons, but ${needed} are needed, including fees`,
      )
    }
    return signAndSend(from, order)
  }

  /** @throws HttpProblem 409 if the wallet's contract refuses the message */
  async function signAndSend(
    from: DevelopmentWallet,
    order: WalletOrder,
    mode?: number,
  ): Promise<ExecutedBlock> {
    try {
      return await chain.send([walletMessage(chain, from, [order], mode)])
    } catch (error) {
      if (!(error instanceof NotAcceptedError)) throw error
      // Another signer's message for this wallet may have been executed first.
      throw new HttpProblem(409, `${from.name} rejected the message: ${error.message}`)
    }
  }

  /**
   * @throws HttpProblem 400 above `faucetLimit` in one call; 409 when the faucet has given this
   * much in total, so that no balance can exceed the service's int64
   */
  async function faucet({ to, amount, currency }: FaucetOrder): Promise<ExecutedBlock> {
    const unit = currency === 'TON' ? 'nanotons' : 'millionths of a USDT'
    if (amount > faucetLimit) {
      throw new HttpProblem(400, `amount: the faucet gives at most ${faucetLimit} ${unit}`, true)
    }
    const name = `faucet.${network}.${currency}`
    const total = BigInt((store.get(name) as string | undefined) ?? '0')
    if (total + amount > faucetLimit) {
      throw new HttpProblem(
        409,
        `the faucet gives at most ${faucetLimit} ${unit} per network and has already given ${total}: request less, or reset the sandbox`,
      )
    }
    store.set(name, String(total + amount))
    return chain.inject(
      currency === 'TON'
        ? [fromFaucet({ to, value: amount, bounce: false })]
        : [usdtMintMessage(to, amount)],
    )
  }

  return {
    faucet,
    /**
     * Gives a wallet the coins that it lacks to send the amount with fees. @throws HttpProblem as
     * `faucet` does
     */
    fund: ({ wallet, amount, currency }: Omit<FaucetOrder, 'to'> & { wallet: DevelopmentWallet }) =>
      inTurn(async () => {
        const to = wallet.address
        const tonNeeded = currency === 'TON' ? amount : usdtTransferValue
        const tonLack = tonNeeded + feeReserve - tonBalance(chain, to)
        if (tonLack > 0n) await faucet({ to, amount: tonLack + feeReserve, currency: 'TON' })
        if (currency === 'TON') return
        const lack = amount - usdtBalance(chain, to)
        if (lack > 0n) await faucet({ to, amount: lack, currency })
      }),
    send: (order: FaucetOrder & { from: DevelopmentWallet; comment?: string | undefined }) =>
      inTurn(() => {
        const { from, to, amount, currency, comment } = order
        if (currency === 'TON') {
          const body = comment === undefined ? null : commentBody(comment)
          return send(from, { to, value: amount, bounce: false, body })
        }
        const balance = usdtBalance(chain, from.address)
        if (balance < amount) {
          throw new HttpProblem(409, `${from.name} has ${balance} millionths of a USDT`)
        }
        return send(from, usdtTransferOrder({ owner: from.address, to, amount, text: comment }))
      }),
    /**
     * Deploys another opcode contract.
     * @param order.name determines its address; by default an unused one
     */
    deploy: ({ from, name }: { from: DevelopmentWallet; name?: string | number | undefined }) =>
      inTurn(async () => {
        const salt = name === undefined ? unusedSalt(chain) : saltOf(name)
        if (exists(chain, salt))
          throw new HttpProblem(409, 'a contract with that name already exists')
        const executed = await send(from, opcodeContractDeployOrder(salt))
        return { address: opcodeContractAddress(salt), executed }
      }),
    /** Sends any message; the balance is not checked, so that the action may fail on the chain. */
    message: ({ from, mode, ...order }: WalletOrder & { from: DevelopmentWallet; mode: number }) =>
      inTurn(() => signAndSend(from, order, mode)),
    opcode: (order: {
      readonly from: DevelopmentWallet
      readonly to?: Address | undefined
      readonly opcode: number
      readonly amount?: bigint | undefined
    }) =>
      inTurn(() => {
        const { from, to = opcodeContractAddress(), opcode, amount } = order
        return send(from, opcodeOrder({ to, opcode, value: amount }))
      }),
  }
}

function unusedSalt(chain: Chain): bigint {
  let salt = BigInt(chain.transactionCount())
  while (exists(chain, salt)) salt += 1n
  return salt
}

function exists(chain: Chain, salt: bigint): boolean {
  const account = chain.account(opcodeContractAddress(salt).toRawString())?.account
  return account?.storage.state.type === 'active'
}

function saltOf(name: string | number): bigint {
  if (typeof name === 'number') return BigInt(name)
  return createHash('sha256').update(name).digest().readBigUInt64BE()
}

export type Activity = ReturnType<typeof createActivity>

type Progress = {
  readonly perMinute: number
  /** The number of steps so far, which determines the next one. */
  readonly step: number
  readonly nextAt: number
}

const none: Progress = { perMinute: 0, step: 0, nextAt: 0 }
const minuteMs = 60_000

const comments = [
  'coffee',
  'lunch, my share',
  'rent',
  'for the tickets',
  'order 1042',
  'thank you',
  'subscription',
  'invoice 7',
  'refund',
  'savings',
]

/** Simulates traffic: actions at a rate, the same ones for the same seed. */
export function createActivity(deps: {
  readonly network: NetworkName
  readonly seed: string
  readonly store: ControlStore
  readonly clock: Clock
  readonly actions: Actions
  readonly gate: Gate
  readonly onError: (error: unknown) => void
}) {
  const { network, clock, store } = deps
  const name = `activity.${network}`
  const read = () => (store.get(name) as Progress | undefined) ?? none
  let progress = read()
  let running: Promise<void> | null = null

  function save(next: Progress): void {
    store.set(name, next)
    progress = next
  }

  async function takeStep(): Promise<void> {
    await deps.gate.shared(async () => {
      const { perMinute, step, nextAt } = progress
      const now = clock.now()
      if (perMinute === 0 || nextAt > now) return
      const interval = minuteMs / perMinute
      // The step is stored first, so that a failing step is not repeated forever. Steps that were
      // missed while the sandbox was stopped are skipped.
      save({ perMinute, step: step + 1, nextAt: Math.max(nextAt + interval, now) })
      try {
        await perform(randomFrom(deps.seed, network, step), deps.actions)
      } catch (error) {
        if (!(error instanceof HttpProblem)) deps.onError(error)
      }
    })
  }

  return {
    nextDue: () => (progress.perMinute === 0 || running !== null ? null : progress.nextAt),
    async runDue(): Promise<void> {
      running ??= takeStep().finally(() => {
        running = null
      })
      await running
    },
    rate: () => ({ perMinute: progress.perMinute }),
    setRate(perMinute: number): void {
      const nextAt = clock.now() + (perMinute === 0 ? 0 : minuteMs / perMinute)
      save({ perMinute, step: progress.step, nextAt })
    },
    async settled(): Promise<void> {
      await running
    },
    reload(): void {
      progress = read()
    },
  }
}

async function perform(random: Random, actions: Actions): Promise<void> {
  const payers = developmentWallets.filter(({ name }) => name !== 'merchant')
  const from = random.pick(payers)
  const to = random.pick(payers.filter((wallet) => wallet !== from)).address
  const kind = random.below(100)
  if (kind < 70) {
    const amount = BigInt(1 + random.below(100)) * 10_000_000n
    const comment = random.below(4) === 0 ? undefined : random.pick(comments)
    await actions.send({ from, to, amount, currency: 'TON', comment })
  } else if (kind < 90) {
    const amount = BigInt(1 + random.below(500)) * 10_000n
    const comment = random.below(2) === 0 ? undefined : random.pick(comments)
    await actions.send({ from, to, amount, currency: 'USDT', comment })
  } else if (kind < 96) {
    await actions.opcode({ from, opcode: 0x10000000 + random.below(8) })
  } else {
    await actions.deploy({ from })
  }
}

type Random = ReturnType<typeof randomFrom>

function randomFrom(...words: readonly (string | number)[]) {
  let state = createHash('sha256').update(words.join('\n')).digest()
  let offset = 0

  function below(limit: number): number {
    if (offset + 4 > state.length) {
      state = createHash('sha256').update(state).digest()
      offset = 0
    }
    const drawn = state.readUInt32BE(offset)
    offset += 4
    return Math.floor((drawn / 2 ** 32) * limit)
  }

  function pick<T>(items: readonly T[]): T {
    const item = items[below(items.length)]
    if (item === undefined) throw new RangeError('the list to choose from is empty')
    return item
  }

  return { below, pick }
}
