import type { Watch } from '../../src-preload/contract/watch.ts'
import type { CaptureOrigin } from '../../src-preload/domain/capture-values.ts'

export type LogState = {
  /** Number of received captures. */
  readonly total: number
  readonly others: number
  readonly newestId: number | null
}

/** The origin of captures that were not received, with one `madeFrom` per capture. */
export type PutOrigin = {
  readonly origin: Exclude<CaptureOrigin, 'received'>
  readonly madeFrom: readonly string[]
  /** Captures without details count as received now. */
  readonly details?: readonly PutDetail[]
  /** The watch is moved in the same transaction. If it has moved since, nothing is written. */
  readonly watch?: WatchMove
}

/** The result of reading new transactions of one account. */
export type WatchMove = {
  readonly watch: number
  readonly network: string
  /** The account whose transactions were read: the watched account or one of its jetton wallets. */
  readonly address: string
  /** Logical times of the last transaction read, before and after. */
  readonly fromLt: string
  readonly toLt: string
  readonly matches: number
  readonly lastMatch: Omit<NonNullable<Watch['lastMatch']>, 'capture'> | null
  readonly gap: Watch['gap']
  /** True if forwarding rules also send these captures. */
  readonly isForwarded: boolean
}

export type PutDetail = {
  readonly durationUs: number | null
  readonly pinned: boolean
  readonly note: string
}

/** The range of the new ids; null if nothing was written. */
export type PutRange = { readonly first: number; readonly last: number } | null

export type ResponseUpdates = {
  readonly statuses: readonly { readonly capture: number; readonly status: number | null }[]
  readonly uses: readonly ResponseRuleUse[]
}

/** Use of a response rule: the contract's counters and the values behind them. */
export type ResponseRuleUse = {
  readonly id: number
  readonly enabled: boolean
  readonly used: number
  readonly spent: number
}

/**
 * Reports on the oldest `count` records that were sent through this port: the id of the last
 * record, or why they are not on disk.
 */
export type BatchReport = {
  readonly count: number
  readonly problem: string | null
  readonly newestId: number | null
}

export type WriterData = { readonly database: string; readonly index: string }
