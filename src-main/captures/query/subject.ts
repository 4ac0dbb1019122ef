import type { ForwardSummary } from '../../../src-preload/domain/capture-words.ts'
import type { MeaningFacts } from '../../../src-preload/contract/capture.ts'
import type { Delivery } from './delivery.ts'

/** What is learnt of a capture after its arrival. */
type Later = {
  readonly id: number
  /** Of the webhook token that matched. */
  readonly tokenId: string | null
  readonly meaning: MeaningFacts
  /** The sentence on its transaction, with raw addresses in the place of names. */
  readonly explanation: string | null
  /** The line on its content that lists show until more is known. */
  readonly summary: string
  readonly pinned: boolean
  readonly note: string
  readonly forward: ForwardSummary | null
}

/** What a query is asked of: a delivery, with what is known of it by now. */
export type Subject = Delivery & {
  /** Null on arrival. */
  readonly later: Later | null
}
