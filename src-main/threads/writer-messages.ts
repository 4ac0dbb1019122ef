import type { CaptureOrigin } from '../../src-preload/domain/capture-words.ts'
import type { RetentionLimits } from '../captures/store/capture-deletion.ts'

export type LogState = {
  /** Number of received captures. */
  readonly total: number
  readonly others: number
  readonly newestId: number | null
}

/** Origin of captures that were not received, with one `madeFrom` per capture. */
export type PutOrigin = {
  readonly origin: Exclude<CaptureOrigin, 'received'>
  readonly madeFrom: readonly string[]
  /** Without details the captures count as just arrived. */
  readonly details?: readonly PutDetail[]
}

export type PutDetail = {
  readonly durationUs: number
  readonly pinned: boolean
  readonly note: string
}

/** Range of ids; null when nothing was put. */
export type PutRange = { readonly first: number; readonly last: number } | null

export type Answered = {
  readonly statuses: readonly { readonly capture: number; readonly status: number | null }[]
  readonly uses: readonly AnswerRuleUse[]
}

/** Use of a response rule: the contract's counters and the values behind them. */
export type AnswerRuleUse = {
  readonly id: number
  readonly enabled: boolean
  readonly used: number
  readonly spent: number
  /** Deliveries that match the filter; the rule answers a share of them. */
  readonly seen: number
}

/** Requests to the writer thread, in order. Records come as a bare ArrayBuffer. */
export type WriterRequest =
  | {
      readonly type: 'mark'
      readonly call: number
      readonly ids: readonly number[]
      readonly pinned?: boolean
      readonly note?: string
    }
  | { readonly type: 'delete'; readonly call: number; readonly ids: readonly number[] }
  /** Packed records; what was rebuilt already is left out. */
  | {
      readonly type: 'put'
      readonly call: number
      readonly records: ArrayBuffer
      readonly origin: PutOrigin
    }
  | { readonly type: 'answered'; readonly call: number; readonly answered: Answered }
  | { readonly type: 'clear'; readonly call: number; readonly keepPinned: boolean }
  | { readonly type: 'prune'; readonly call: number; readonly limits: RetentionLimits }
  /** Writes something that changes nothing, to see whether it can. */
  | { readonly type: 'probe'; readonly call: number }
  | { readonly type: 'forgetDeletions'; readonly upTo: number }
  | { readonly type: 'close' }

export type WriterReport =
  | { readonly type: 'ready'; readonly state: LogState }
  /** The oldest `count` records posted and not yet reported are on disk, the last with this id. */
  | { readonly type: 'committed'; readonly count: number; readonly state: LogState }
  | { readonly type: 'refused'; readonly count: number; readonly message: string }
  | {
      readonly type: 'done'
      readonly call: number
      readonly changed: number
      readonly state: LogState
    }
  | {
      readonly type: 'failed'
      readonly call: number | null
      readonly message: string
      readonly damage: boolean
      readonly errcode: number | null
    }
  | { readonly type: 'closed' }

export type WriterData = { readonly database: string; readonly index: string }
