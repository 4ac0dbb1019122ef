import type { SendableCapture } from '../store/replay-captures.ts'
import type { EditedRequest, ReplayOptions } from '../store/replay-jobs.ts'
import type { OutgoingRequest, SendOptions } from '../sender/sender.ts'
import type { HeaderPairs } from '../sender/request-headers.ts'
import { replayHeader } from './sendable.ts'

/** One request of a job, as the sender takes it. */
export type ReplayRequest = {
  readonly request: OutgoingRequest
  readonly options: Omit<SendOptions, 'signal'>
}

/** Of an answer so much is kept; of the answers of a job of very many, less. */
const keepBytes = 64 * 1024
const keepBytesOfMany = 4 * 1024
const many = 10_000

type RequestsOptions = {
  readonly job: number
  readonly options: ReplayOptions
  readonly total: number
  /** What a target says below the receiver's own path. */
  readonly subpathOf: (target: string) => string
}

/** Makes requests of captures, or of an edit. */
export function createRequests({ job, options, total, subpathOf }: RequestsOptions) {
  const { keepHost, appendPath, timeoutSeconds } = options
  const same = {
    timeoutMs: timeoutSeconds * 1000,
    keepHost,
    keepBytes: total > many ? keepBytesOfMany : keepBytes,
  }
  const marked = (index: number, subpath: string) => ({
    ...same,
    subpath: appendPath ? subpath : null,
    extraHeaders: [[replayHeader, replayId(job, index)]] as const,
  })
  return {
    ofCapture: (
      { method, target, headers, body }: SendableCapture,
      index: number,
    ): ReplayRequest => ({
      request: { method, headers: unmarked(headers), body },
      options: marked(index, appendPath ? subpathOf(target) : ''),
    }),
    ofEdit: ({ method, subpath, headers, body }: EditedRequest, index: number): ReplayRequest => ({
      request: { method, headers, body },
      options: marked(index, subpath),
    }),
  }
}

/** Of what was itself a replay. What else does not go on, the sender leaves out. */
function unmarked(headers: HeaderPairs): HeaderPairs {
  const isMark = ([name]: readonly [string, string]) =>
    name.length === replayHeader.length && name.toLowerCase() === replayHeader.toLowerCase()
  return headers.some(isMark) ? headers.filter((header) => !isMark(header)) : headers
}

export function replayId(job: number, index: number): string {
  return `${job}-${index}`
}

/** Null for what is none. */
export function readReplayId(text: string): { job: number; index: number } | null {
  const found = /^([1-9]\d{0,8})-(0|[1-9]\d{0,7})$/.exec(text)
  return found === null ? null : { job: Number(found[1]), index: Number(found[2]) }
}
