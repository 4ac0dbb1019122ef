import type { CaptureDetail, CaptureRow } from '../../src-preload/contract/capture.ts'
import type { ForwardSummary } from '../../src-preload/domain/capture-words.ts'
import type { Facts } from './store/index/facts.ts'
import type { StoredCapture, StoredCaptureDetail } from './store/captures.ts'
import { headerValue } from './decode-body.ts'
import { maskHeader, maskTarget } from './mask.ts'
import type { RowMeaning } from './explanation/show.ts'

export type ReadPath = {
  /** Path and query below the receiver's own. */
  readonly subpathOf: (target: string) => string
  readonly readVia: (headers: [string, string][]) => { source: string; value: string }[]
}

/** A capture with what is known of it, as the list shows it. */
export function toRow(
  capture: StoredCapture,
  facts: Facts | undefined,
  meaning: RowMeaning,
  forward: ForwardSummary | null,
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
    network: meaning.network,
    meaning: meaning.facts,
    forward,
  }
}

/** All but the body. Secrets are masked unless revealed. */
export function toDetail(
  capture: StoredCaptureDetail,
  facts: Facts | undefined,
  meaning: RowMeaning,
  forward: ForwardSummary | null,
  reveal: boolean,
  path: ReadPath,
): CaptureDetail {
  const headers = reveal ? capture.headers : capture.headers.map(maskHeader)
  const target = reveal ? capture.target : maskTarget(capture.target)
  return {
    ...toRow(capture, facts, meaning, forward, path),
    target,
    httpVersion: capture.httpVersion,
    headers,
    masked: !reveal && hasSecrets(capture),
    remoteAddress: capture.remoteAddress,
    via: path.readVia(capture.headers),
    encoding: headerValue(capture.headers, 'content-encoding'),
    contentType: headerValue(capture.headers, 'content-type'),
    incident: capture.incident,
  }
}

/** Whether something of it is masked unless revealed. */
export function hasSecrets({ target, headers }: StoredCaptureDetail): boolean {
  return (
    maskTarget(target) !== target || headers.some((header) => maskHeader(header)[1] !== header[1])
  )
}
