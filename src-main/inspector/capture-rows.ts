import type { CaptureDetail, CaptureRow, MeaningFacts } from '../../src-preload/contract/index.ts'
import type { Facts } from '../store/capture-index/facts.ts'
import type { StoredCapture, StoredCaptureDetail } from '../store/captures.ts'
import { headerValue } from './decode-body.ts'
import { maskHeader, maskTarget } from './mask.ts'

export type ReadPath = {
  /** Path and query below the receiver's own. */
  readonly subpathOf: (target: string) => string
  readonly readVia: (headers: [string, string][]) => { source: string; value: string }[]
}

const noMeaning: MeaningFacts = {
  state: 'none',
  amount: null,
  sender: null,
  recipient: null,
  comment: null,
  opcode: null,
  exitCode: null,
  success: null,
  invoice: null,
}

/** A capture with what is known of it, as the list shows it. */
export function toRow(
  capture: StoredCapture,
  facts: Facts | undefined,
  path: ReadPath,
): CaptureRow {
  return {
    id: capture.id,
    origin: capture.origin,
    receivedAt: capture.receivedAt,
    method: capture.method,
    subpath: maskTarget(path.subpathOf(capture.target)),
    bodyBytes: capture.bodyBytes,
    completeness: capture.completeness,
    status: capture.status,
    durationUs: capture.durationUs,
    // An invoice's delivery carries no bearer by design.
    token: facts?.kind === 'invoice' && capture.token === 'missing' ? 'unchecked' : capture.token,
    kind: facts?.kind ?? null,
    account: facts?.account ?? null,
    lt: facts?.lt ?? null,
    txHash: facts?.txHash ?? null,
    summary: facts?.summary ?? '',
    duplicateOf: facts?.duplicateOf ?? null,
    outOfOrder: facts?.outOfOrder ?? false,
    pinned: capture.pinned,
    note: capture.note,
    network: null,
    meaning: noMeaning,
    forward: null,
  }
}

/** All but the body. Secrets are masked unless revealed. */
export function toDetail(
  capture: StoredCaptureDetail,
  facts: Facts | undefined,
  reveal: boolean,
  path: ReadPath,
): CaptureDetail {
  const headers = reveal ? capture.headers : capture.headers.map(maskHeader)
  const target = reveal ? capture.target : maskTarget(capture.target)
  const masked =
    target !== capture.target ||
    headers.some(([, value], index) => value !== capture.headers[index]?.[1])
  return {
    ...toRow(capture, facts, path),
    target,
    httpVersion: capture.httpVersion,
    headers,
    masked,
    remoteAddress: capture.remoteAddress,
    via: path.readVia(capture.headers),
    encoding: headerValue(capture.headers, 'content-encoding'),
    contentType: headerValue(capture.headers, 'content-type'),
    incident: capture.incident,
  }
}
