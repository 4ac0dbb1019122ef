import type {
  CaptureKind,
  CaptureOrigin,
  TokenVerdict,
} from '../../../src-preload/domain/capture-words.ts'
import type { Completeness, MeaningFacts } from '../../../src-preload/contract/capture.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'

/** A capture with all that is known of it, on its way into a file. */
export type Exported = {
  readonly id: number
  readonly origin: CaptureOrigin
  /** Microseconds since the epoch. */
  readonly receivedAt: number
  readonly durationUs: number
  readonly status: number | null
  readonly method: string
  readonly target: string
  readonly httpVersion: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
  /** On the wire: more than `body` holds when that was cut. */
  readonly bodyBytes: number
  readonly completeness: Completeness
  readonly incident: string | null
  readonly token: TokenVerdict
  readonly remoteAddress: string
  readonly pinned: boolean
  readonly note: string
  readonly kind: CaptureKind | null
  readonly account: string | null
  readonly lt: string | null
  readonly txHash: string | null
  readonly duplicateOf: number | null
  readonly outOfOrder: boolean
  readonly network: NetworkId | null
  /** Null while nothing is known. */
  readonly meaning: MeaningFacts | null
}
