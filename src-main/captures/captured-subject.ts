import type { Classified } from './store/index/index-writer.ts'
import type { LoggedCapture } from './store/index/log-reader.ts'
import { headerValue, decodeBody } from './decode-body.ts'
import type { NetworkOf } from './explanation/network-of.ts'
import { firstExplanation } from './explanation/facts.ts'
import type { Subject } from './query/subject.ts'

/** A body unpacks to this much for searching; what is beyond is found by no word. */
const decodeLimitBytes = 8 * 1024 * 1024

type Captured = {
  readonly headers: [string, string][]
  readonly body: Uint8Array
}

/** What is searched of a body, and classified: unpacked, where it was packed. */
async function decodedBody({ headers, body }: Captured): Promise<Uint8Array> {
  const encoding = headerValue(headers, 'content-encoding')
  return encoding === null || body.byteLength === 0
    ? body
    : (await decodeBody(body, encoding, decodeLimitBytes)).bytes
}

type ReadSubject = {
  /** What a decoded body, delivered with this Authorization header, says it is. Never throws. */
  readonly classify: (body: Uint8Array, authorization: string | null) => Classified
  /** Path and query below the receiver's own. */
  readonly subpathOf: (target: string) => string
  /** Whose delivery it is, where nothing was learnt of it yet. */
  readonly networkOf: NetworkOf
  readonly forwardOf: (id: number) => NonNullable<Subject['later']>['forward']
}

/** A capture of the log as queries ask for it. How it stands to others is told by who knows. */
export type CapturedSubject = Subject & {
  readonly id: number
  isDuplicate: boolean
  isOutOfOrder: boolean
  classified(): Classified
}

/** Only what is asked for is made out: most questions are about a header or a word. */
export async function readSubject(
  capture: LoggedCapture,
  { classify, subpathOf, networkOf, forwardOf }: ReadSubject,
): Promise<CapturedSubject> {
  const { id, headers, tokenId, pinned, note } = capture
  const body = await decodedBody(capture)
  let told: Classified | undefined
  const classified = () => (told ??= classify(body, headerValue(headers, 'authorization')))
  // What is learnt later is looked for with all the rest; until then it is as lists show it.
  const isLearnt = capture.network !== null || capture.meaning.state !== 'none'
  let atFirst: ReturnType<typeof firstExplanation> | undefined
  const first = () =>
    (atFirst ??= firstExplanation({ ...capture, kind: classified().kind }, networkOf))
  return {
    id,
    classified,
    origin: capture.origin,
    receivedAt: capture.receivedAt,
    method: capture.method,
    subpath: subpathOf(capture.target),
    headers,
    body,
    bodyBytes: capture.bodyBytes,
    completeness: capture.completeness,
    status: capture.status,
    durationUs: capture.durationUs,
    token: capture.token,
    remoteAddress: capture.remoteAddress,
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
