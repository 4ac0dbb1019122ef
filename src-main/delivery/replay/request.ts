import { decodeBody, headerValue } from '../../captures/decode-body.ts'
import { type HeaderPairs, endToEnd } from '../sender/request-headers.ts'
import { subpathOf } from '../../captures/hook-path.ts'
import type { ForwardedRequest } from '../store/forward-log.ts'
import type { EditedRequest, ReplayRecord } from '../store/replay-jobs.ts'

const replayHeader = 'X-Tondesk-Replay'

/** `subpath` is the path and query after the receiver's own path. */
export type Sendable = EditedRequest & {
  readonly raw: Uint8Array
  /** The Content-Encoding of a body that was decompressed; null otherwise. */
  readonly unpacked: string | null
}

const decodeLimitBytes = 64 * 1024 * 1024

export function headersToSend(headers: HeaderPairs): HeaderPairs {
  const host = headers.find(([name]) => name.toLowerCase() === 'host')
  const rest = unmarked(endToEnd(headers))
  return host === undefined ? rest : [host, ...rest]
}

export async function toSendable(capture: ForwardedRequest): Promise<Sendable> {
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

/** Maximum stored bytes of each response; large jobs store less. */
const keepBytes = 64 * 1024
const keepBytesOfMany = 4 * 1024
const many = 10_000

/** Builds the request of a job, marked with its position in the job. */
export function toRequest(
  { id: job, options, total }: Pick<ReplayRecord, 'id' | 'options' | 'total'>,
  { method, subpath, headers, body }: EditedRequest,
  index: number,
) {
  const { keepHost, appendPath, timeoutSeconds } = options
  return {
    request: { method, headers: unmarked(headers), body },
    options: {
      timeoutMs: timeoutSeconds * 1000,
      keepHost,
      keepBytes: total > many ? keepBytesOfMany : keepBytes,
      subpath: appendPath ? subpath : null,
      extraHeaders: [[replayHeader, replayId(job, index)]] as const,
    },
  }
}

function unmarked(headers: HeaderPairs): HeaderPairs {
  const isMark = ([name]: readonly [string, string]) =>
    name.length === replayHeader.length && name.toLowerCase() === replayHeader.toLowerCase()
  return headers.some(isMark) ? headers.filter((header) => !isMark(header)) : headers
}

export const replayId = (job: number, index: number): string => `${job}-${index}`

export function readReplayId(text: string): { job: number; index: number } | null {
  const found = /^([1-9]\d{0,8})-(0|[1-9]\d{0,7})$/.exec(text)
  return found === null ? null : { job: Number(found[1]), index: Number(found[2]) }
}
