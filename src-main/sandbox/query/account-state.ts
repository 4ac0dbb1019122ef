/** What a shard account holds, in the service's words. */
import type { Cell, ShardAccount, StateInit } from '@ton/core'

type AccountStatus = 'nonexist' | 'uninit' | 'active' | 'frozen'

export function statusOf(state: ShardAccount | null): AccountStatus {
  return state?.account?.storage.state.type ?? 'nonexist'
}

export function balanceOf(state: ShardAccount | null): bigint {
  return state?.account?.storage.balance.coins ?? 0n
}

/** Code and data, of an active account only. */
export function initOf(state: ShardAccount | null): StateInit | null {
  const account = state?.account?.storage.state
  return account?.type === 'active' ? account.state : null
}

function codeOf(state: ShardAccount | null): Cell | null {
  return initOf(state)?.code ?? null
}

/** 64 lower-case hex digits; null when it has no code. */
export function codeHashOf(state: ShardAccount | null): string | null {
  return codeOf(state)?.hash().toString('hex') ?? null
}
