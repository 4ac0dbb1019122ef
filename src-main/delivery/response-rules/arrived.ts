import zlib from 'node:zlib'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type CaptureRecord, headerPairs } from '../../captures/store/capture-record.ts'
import { headerValue } from '../../captures/decode-body.ts'
import type { Delivery } from '../../captures/query/searched-capture.ts'
import { classify } from '../../receiver/classify.ts'
import { subpathOf } from '../../captures/hook-path.ts'

export type NetworkOf = (
  arrived: Pick<CaptureRecord, 'token' | 'tokenId' | 'target'> & Pick<Delivery, 'kind'>,
) => NetworkId | null

/** Reads the fields that filters need from a request that is not written yet; the response waits for this. */
export function deliveryOf(record: CaptureRecord, networkOf: NetworkOf): Delivery {
  const headers = headerPairs(record.rawHeaders)
  const body = decodeNow(record.body, headerValue(headers, 'content-encoding'))
  const { kind, account, lt, txHash } = classify(body, headerValue(headers, 'authorization'))
  const { receivedAt, method, bodyBytes, completeness, remoteAddress } = record
  return {
    receivedAt,
    method,
    bodyBytes,
    completeness,
    remoteAddress,
    headers,
    body: body.subarray(0, filteredBytes),
    origin: 'received',
    subpath: subpathOf(record.target),
    status: null,
    durationUs: null,
    // Deliveries of invoices carry no bearer token by design.
    token: kind === 'invoice' && record.token === 'missing' ? 'unchecked' : record.token,
    kind,
    account,
    lt,
    txHash,
    // Duplicates are found by the index only.
    isDuplicate: false,
    isOutOfOrder: false,
    network: networkOf({ ...record, kind }),
  }
}

/** Events have a few hundred bytes, so larger bodies are not decompressed here. */
const largestBytes = 1024 * 1024

/** Splitting a mebibyte of text into words would delay other deliveries. */
const filteredBytes = 64 * 1024

type Decoder = (bytes: Uint8Array, limit: { maxOutputLength: number }) => Buffer

const decoders = new Map<string, Decoder>([
  ['gzip', zlib.gunzipSync],
  ['x-gzip', zlib.gunzipSync],
  ['deflate', zlib.inflateSync],
  ['br', zlib.brotliDecompressSync],
  ['zstd', zlib.zstdDecompressSync],
])

function decodeNow(bytes: Uint8Array, encoding: string | null): Uint8Array {
  const decode = decoders.get(encoding?.trim().toLowerCase() ?? '')
  if (decode === undefined || bytes.byteLength > largestBytes) return bytes
  try {
    return decode(bytes, { maxOutputLength: largestBytes })
  } catch {
    return bytes
  }
}
