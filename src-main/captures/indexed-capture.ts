import type { Classified } from './store/index/index-writer.ts'
import type { LoggedCapture } from './store/index/log-reader.ts'
import { headerValue, decodeBody } from './decode-body.ts'
import { subpathOf } from './hook-path.ts'
import type { NetworkOf } from './explanation/network-of.ts'
import { firstExplanation } from './explanation/facts.ts'
import type { SearchedCapture } from './query/searched-capture.ts'

/** Only this number of bytes of an unpacked body is searchable. */
const decodeLimitBytes = 8 * 1024 * 1024

async function decodedBody({ headers, body }: LoggedCapture): Promise<Uint8Array> {
  const encoding = headerValue(headers, 'content-encoding')
  if (encoding === null || body.byteLength === 0) return body
  return (await decodeBody(body, encoding, decodeLimitBytes)).bytes
}

type IndexedCaptureDeps = {
  /** Never throws. */
  readonly classify: (body: Uint8Array, authorization: string | null) => Classified
  readonly networkOf: NetworkOf
  readonly forwardOf: (id: number) => NonNullable<SearchedCapture['later']>['forward']
}

export type IndexedCapture = SearchedCapture & {
  readonly id: number
  isDuplicate: boolean
  isOutOfOrder: boolean
  classified(): Classified
}

/** Properties are computed on demand, because most queries need only a header or a word. */
export async function createIndexedCapture(
  capture: LoggedCapture,
  { classify, networkOf, forwardOf }: IndexedCaptureDeps,
): Promise<IndexedCapture> {
  const { id, headers, tokenId, pinned, note } = capture
  const body = await decodedBody(capture)
  let classification: Classified | undefined
  const classified = () =>
    (classification ??= classify(body, headerValue(headers, 'authorization')))
  // Until an explanation is known, a search finds the capture by the text that the list displays.
  const isLearnt = capture.network !== null || capture.meaning.state !== 'none'
  let atFirst: ReturnType<typeof firstExplanation> | undefined
  const first = () =>
    (atFirst ??= firstExplanation({ ...capture, kind: classified().kind }, networkOf))
  return {
    ...capture,
    classified,
    subpath: subpathOf(capture.target),
    body,
    get kind() {
      return classified().kind
    },
    get account() {
      return classified().account
    },
    get lt() {
      return classified().lt
    },
    get txHash() {
      return classified().txHash
    },
    isDuplicate: false,
    isOutOfOrder: false,
    get network() {
      return isLearnt ? capture.network : first().network
    },
    later: {
      id,
      tokenId,
      get meaning() {
        return isLearnt ? capture.meaning : first().facts
      },
      explanation: capture.explanation,
      get summary() {
        return classified().summary
      },
      pinned,
      note,
      get forward() {
        return forwardOf(id)
      },
    },
  }
}
