import {
  type AccountState,
  type StateView,
  layOver,
  neverSeen,
  parseShardAccount,
  serializeShardAccount,
} from './account-states.ts'
import { Address } from '@ton/core'
import { type RootMessage, executeBatch } from './batch.ts'
import { type BlockBeginning, randomSeedOf } from './block.ts'
import { type Emulation, NotAcceptedError, traceLimit } from './chain.ts'
import { describe } from './chain-store.ts'
import type { Emulator } from './emulator.ts'
import { buildTrace } from './trace.ts'

/** Executes on a copy of the states; nothing of it stays. @throws NotAcceptedError */
export async function emulateMessage(
  chain: {
    readonly emulator: Emulator
    readonly states: Pick<StateView, 'get'>
    beginning(): BlockBeginning
  },
  root: RootMessage,
  options: {
    readonly ignoreSignature?: boolean
    readonly balances?: ReadonlyMap<string, bigint>
  },
): Promise<Emulation> {
  const { emulator, states } = chain
  const copy = layOver(states)
  for (const [address, balance] of options.balances ?? []) {
    copy.set(address, withBalance(address, copy.get(address) ?? neverSeen, balance))
  }
  const next = chain.beginning()
  const batch = await executeBatch(
    emulator,
    { now: next.utime, randomSeed: randomSeedOf(next) },
    copy,
    {
      startLt: next.startLt,
      waiting: [],
      roots: [root],
      limit: traceLimit,
      ignoreSignature: options.ignoreSignature === true,
    },
  )
  const [refusal] = batch.refusals
  if (refusal !== undefined) throw new NotAcceptedError(refusal.message, refusal.exitCode)
  const trace = buildTrace(batch.executions.map((execution) => describe(execution, next.seqno)))
  if (trace === null) throw new Error('a message was taken and nothing came of it')
  return {
    root: trace,
    account: (address) => {
      const state = batch.changed.get(address) ?? copy.get(address)
      return state === null ? null : parseShardAccount(state.boc)
    },
  }
}

function withBalance(address: string, state: AccountState, coins: bigint): AccountState {
  const shard = parseShardAccount(state.boc)
  const account = shard.account ?? {
    addr: Address.parseRaw(address),
    storage: { lastTransLt: 0n, balance: { coins: 0n }, state: { type: 'uninit' as const } },
    storageStats: { used: { cells: 0n, bits: 0n }, storageExtra: null, lastPaid: 0 },
  }
  const { storage } = account
  const changed = {
    ...account,
    storage: { ...storage, balance: { ...storage.balance, coins } },
  }
  return { ...state, boc: serializeShardAccount({ ...shard, account: changed }) }
}
