import type { SendableCapture } from '../store/replay-captures.ts'
import { decodeBody, headerValue } from '../../captures/decode-body.ts'
import { type HeaderPairs, endToEnd } from '../sender/request-headers.ts'

/** Says which replay a request is: the job, and its place in it. */
export const replayHeader = 'X-Tondesk-Replay'

/** A captured request as it can be sent again and edited. */
export type Sendable = {
  readonly method: string
  /** Path and query below the receiver's own. */
  readonly subpath: string
  /** Without those that are about one connection, which are made anew; `Host` is kept. */
  readonly headers: HeaderPairs
  /** As received. */
  readonly raw: Uint8Array
  /** Unpacked, where it was compressed and could be; else as received. */
  readonly body: Uint8Array
  /** Content-Encoding, where `body` is unpacked. */
  readonly unpacked: string | null
}

/** A body unpacks to this much for an edit. */
const decodeLimitBytes = 64 * 1024 * 1024

/** What goes on of a captured request's headers, one by one as received. */
export function headersToSend(headers: HeaderPairs): HeaderPairs {
  const host = headers.find(([name]) => name.toLowerCase() === 'host')
  const rest = endToEnd(headers).filter(
    ([name]) => name.toLowerCase() !== replayHeader.toLowerCase(),
  )
  return host === undefined ? rest : [host, ...rest]
}

/** @param subpathOf what a target says below the receiver's own path */
export async function toSendable(
  capture: SendableCapture,
  subpathOf: (target: string) => string,
): Promise<Sendable> {
  const encoding = headerValue(capture.headers, 'content-encoding')
  const decoded = await decodeBody(capture.body, encoding, decodeLimitBytes)
  const isUnpacked = decoded.problem === null && decoded.bytes !== capture.body
  return {
    method: capture.method,
    subpath: subpathOf(capture.target),
    headers: headersToSend(capture.headers),
    raw: capture.body,
    body: isUnpacked ? decoded.bytes : capture.body,
    unpacked: isUnpacked ? encoding : null,
  }
}
