/**
 * JSON Lines, a capture a line: complete, and read back exactly. Moments are microseconds since the
 * epoch; `headers` are names and values in order, their characters bytes (Latin-1); `body` is base64.
 * `kind` to `meaning` are what Tondesk made of it: a reader works them out again.
 */
import type { Exported } from '../exported.ts'
import { formatMoment } from '../moments.ts'
import { base64 } from '../printed-body.ts'
import type { Printer } from './formatter.ts'

/** The version of these columns. */
export const jsonlFormat = 1

export function createJsonlPrinter(): Printer {
  return {
    begin: () => '',
    one: (capture) => `${JSON.stringify(lineOf(capture))}\n`,
    end: () => '',
  }
}

function lineOf(capture: Exported): object {
  return {
    tondesk: jsonlFormat,
    id: capture.id,
    origin: capture.origin,
    received_at: capture.receivedAt,
    received_at_iso: formatMoment(capture.receivedAt),
    duration_us: capture.durationUs,
    status: capture.status,
    method: capture.method,
    target: capture.target,
    http_version: capture.httpVersion,
    headers: capture.headers,
    body: base64(capture.body),
    body_bytes: capture.bodyBytes,
    completeness: capture.completeness,
    incident: capture.incident,
    token: capture.token,
    remote_address: capture.remoteAddress,
    pinned: capture.pinned,
    note: capture.note,
    kind: capture.kind,
    account: capture.account,
    lt: capture.lt,
    tx_hash: capture.txHash,
    duplicate_of: capture.duplicateOf,
    out_of_order: capture.outOfOrder,
    network: capture.network,
    meaning: capture.meaning,
  }
}
