/** What the thread that reads files is asked, and what it tells, in this order. */
import type { SubscriptionsFormat } from '../../../src-preload/contract/subscription.ts'
import type { Fault, WantedAccount, WantedWebhook } from './wanted.ts'

export type FileQuestion = {
  readonly pieces: readonly Uint8Array[]
  readonly format: SubscriptionsFormat
  readonly testOnly: boolean
}

export type FileReport =
  | {
      readonly type: 'webhook'
      readonly webhook: Omit<WantedWebhook, 'accounts' | 'faults' | 'untouchable'>
      readonly namesAccounts: boolean
    }
  /** Of the webhook told last. */
  | {
      readonly type: 'more'
      readonly accounts: readonly WantedAccount[]
      readonly faults: readonly Fault[]
      readonly untouchable: readonly string[]
    }
  | { readonly type: 'end'; readonly network: string | null }
  | {
      readonly type: 'problem'
      readonly message: string
      readonly line: number | null
      readonly column: number | null
    }
