import type { CaptureKind, ForwardSummary } from '../../../src-preload/domain/capture-values.ts'
import type { ExplanationFacts } from '../../../src-preload/contract/capture.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { StoredCaptureDetail } from '../store/captures.ts'

/**
 * Data that is known when a capture arrives, which rules use. The fields below (explanation, marks,
 * forwarding) are only for lists and views.
 */
export type Delivery = Pick<
  StoredCaptureDetail,
  'origin' | 'receivedAt' | 'method' | 'bodyBytes' | 'completeness' | 'token' | 'remoteAddress'
> & {
  /** The path and query after the receiver's path. */
  readonly subpath: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
  /** Null before a response, and if none was sent. */
  readonly status: number | null
  readonly durationUs: number | null
  readonly kind: CaptureKind
  readonly account: string | null
  readonly lt: bigint | null
  readonly txHash: string | null
  readonly isDuplicate: boolean
  readonly isOutOfOrder: boolean
  readonly network: NetworkId | null
}

export type DeliveryFilter = (delivery: Delivery) => boolean

type Later = {
  readonly id: number
  readonly tokenId: string | null
  readonly meaning: ExplanationFacts
  /** A sentence with raw addresses instead of names. */
  readonly explanation: string | null
  readonly summary: string
  readonly pinned: boolean
  readonly note: string
  readonly forward: ForwardSummary | null
}

export type SearchedCapture = Delivery & {
  readonly later: Later | null
}
