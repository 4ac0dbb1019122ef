import zlib from 'node:zlib'
import type { CaptureKind, TokenVerdict } from '../../../src-preload/domain/capture-words.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { CaptureRecord } from '../../captures/store/capture-record.ts'
import type { Classified } from '../../captures/store/index/index-writer.ts'
import { headerValue } from '../../captures/decode-body.ts'
import type { Delivery } from '../../captures/query/subject.ts'

export type ArrivedDeps = {
  readonly classify: (body: Uint8Array, authorization: string | null) => Classified
  readonly subpathOf: (target: string) => string
  readonly networkOf: (arrived: {
    readonly token: TokenVerdict
    readonly tokenId: string | null
    readonly target: string
    readonly kind: CaptureKind
  }) => NetworkId | null
}

/** Builds the fields that filters read of a request before it is written; the response waits for this. */
export function deliveryOf(record: CaptureRecord, deps: ArrivedDeps): Delivery {
  const headers: [string, string][] = []
  for (let index = 0; index + 1 < record.rawHeaders.length; index += 2) {
    headers.push([record.rawHeaders[index] ?? '', record.rawHeaders[index + 1] ?? ''])
  }
  const body = decodeNow(record.body, headerValue(headers, 'content-encoding'))
  const { kind, account, lt, txHash } = deps.classify(body, headerValue(headers, 'authorization'))
  return {
    origin: 'received',
    receivedAt: record.receivedAt,
    method: record.method,
    subpath: deps.subpathOf(record.target),
    headers,
    body,
    bodyBytes: record.bodyBytes,
    completeness: record.completeness,
    status: null,
    durationUs: null,
    // Deliveries of invoices carry no bearer token by design.
    token: kind === 'invoice' && record.token === 'missing' ? 'unchecked' : record.token,
    remoteAddress: record.remoteAddress,
    kind,
    account,
    lt,
    txHash,
    // Only the index finds duplicates.
    isDuplicate: false,
    isOutOfOrder: false,
    network: deps.networkOf({ ...record, kind }),
  }
}

/** Events have a few hundred bytes; larger bodies are not decompressed here. */
const largestBytes = 1024 * 1024

const decoders = new Map<string, (bytes: Uint8Array, limit: { maxOutputLength: number }) => Buffer>(
  [
    ['gzip', zlib.gunzipSync],
    ['x-gzip', zlib.gunzipSync],
    ['deflate', zlib.inflateSync],
    ['br', zlib.brotliDecompressSync],
    ['zstd', zlib.zstdDecompressSync],
  ],
)

function decodeNow(bytes: Uint8Array, encoding: string | null): Uint8Array {
  const decode = decoders.get(encoding?.trim().toLowerCase() ?? '')
  if (decode === undefined || bytes.byteLength > largestBytes) return bytes
  try {
    return decode(bytes, { maxOutputLength: largestBytes })
  } catch {
    return bytes
  }
}
