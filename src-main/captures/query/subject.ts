import type {
  ForwardSummary,
  CaptureKind,
  CaptureOrigin,
  TokenVerdict,
} from '../../../src-preload/domain/capture-words.ts'
import type { MeaningFacts, Completeness } from '../../../src-preload/contract/capture.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'

/**
 * What is known of a capture on its arrival: all that rules (forwarding, answers) go by. What comes
 * later (meaning, marks, how it was forwarded) only the queries of lists and views know.
 */
export type Delivery = {
  readonly origin: CaptureOrigin
  /** Microseconds since the epoch. */
  readonly receivedAt: number
  readonly method: string
  /** Path and query below the receiver's own. */
  readonly subpath: string
  readonly headers: readonly (readonly [string, string])[]
  /** Decoded, where it was compressed. */
  readonly body: Uint8Array
  /** On the wire. */
  readonly bodyBytes: number
  readonly completeness: Completeness
  /** Null where nothing was answered, or nothing yet. */
  readonly status: number | null
  readonly durationUs: number | null
  readonly token: TokenVerdict
  readonly remoteAddress: string
  readonly kind: CaptureKind
  readonly account: string | null
  readonly lt: bigint | null
  readonly txHash: string | null
  readonly isDuplicate: boolean
  readonly isOutOfOrder: boolean
  readonly network: NetworkId | null
}

/**
 * A rule's filter, ready to be asked of deliveries.
 * Made by `readDeliveryFilter` in `delivery-filter.ts`.
 * @throws AppError QUERY_INVALID where it is wrong, or asks for what is not known on arrival
 */
export type DeliveryFilter = (delivery: Delivery) => boolean

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
