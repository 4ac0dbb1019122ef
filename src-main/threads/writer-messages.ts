import type { CaptureOrigin } from '../../src-preload/domain/capture-words.ts'
import type { RetentionLimits } from '../captures/store/capture-deletion.ts'

/** Where the log stands, after each change to it. */
export type LogState = {
  /** Captures that were received. */
  readonly total: number
  /** Those that a person put here. */
  readonly others: number
  readonly newestId: number | null
}

/** What captures are that were not received: one of `madeFrom` for each. */
export type PutOrigin = {
  readonly origin: Exclude<CaptureOrigin, 'received'>
  readonly madeFrom: readonly string[]
  /** What is known of each beside its record; else they are as if they had arrived just now. */
  readonly details?: readonly PutDetail[]
}

export type PutDetail = {
  readonly durationUs: number
  readonly pinned: boolean
  readonly note: string
}

/** Where a put has come to lie; null where nothing was put. */
export type PutRange = { readonly first: number; readonly last: number } | null

/** What is written of answers after the captures themselves. */
export type Answered = {
  /** The status that was answered in the end; null when nobody was there for it any more. */
  readonly statuses: readonly { readonly capture: number; readonly status: number | null }[]
  readonly uses: readonly AnswerRuleUse[]
}

/** How often an answer rule was used; the counters of the contract, and those that they come from. */
export type AnswerRuleUse = {
  readonly id: number
  readonly enabled: boolean
  readonly used: number
  /** Of its `next`. */
  readonly spent: number
  /** Deliveries that its filter took, of which it answers a share. */
  readonly seen: number
}

/** What the writer thread is asked, in the order asked. Records come as a bare ArrayBuffer. */
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
