import type { Completeness } from '../../../src-preload/contract/capture.ts'
import {
  type TokenVerdict,
  completenesses,
  tokenVerdicts,
} from '../../../src-preload/domain/capture-words.ts'

export type CaptureRecord = {
  /** Microseconds since the epoch. */
  readonly receivedAt: number
  readonly method: string
  /** As received; Latin-1. */
  readonly target: string
  readonly httpVersion: string
  readonly remoteAddress: string
  /** Names and values alternate, as received; Latin-1. */
  readonly rawHeaders: readonly string[]
  readonly completeness: Completeness
  /** Error description of a partial or truncated capture. */
  readonly incident: string | null
  readonly token: TokenVerdict
  readonly tokenId: string | null
  /** Response status after the commit; null when the sender has disconnected. */
  readonly status: number | null
  /** Bytes on the wire, as far as known; more than `body` has when truncated. */
  readonly bodyBytes: number
  readonly body: Uint8Array
}

export type UnwrittenRecord = Omit<CaptureRecord, 'body'> & {
  readonly body: Uint8Array | readonly Uint8Array[]
}

export function bodyLength(body: UnwrittenRecord['body']): number {
  if (body instanceof Uint8Array) return body.byteLength
  return body.reduce((sum, piece) => sum + piece.byteLength, 0)
}

export type DecodedRecord = Omit<CaptureRecord, 'rawHeaders'> & { readonly headers: string }

const noStatus = 0
export function joinHeaders(rawHeaders: readonly string[]): string {
  return rawHeaders.join('\n')
}

export function splitHeaders(headers: string): [string, string][] {
  if (headers === '') return []
  return headerPairs(headers.split('\n'))
}

/** Pairs of alternating names and values. */
export function headerPairs(parts: readonly string[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index + 1 < parts.length; index += 2) {
    pairs.push([parts[index] ?? '', parts[index + 1] ?? ''])
  }
  return pairs
}

export const headerCodecs = {
  headers: {
    decode: (stored: unknown) => splitHeaders(stored as string),
    encode: (headers: readonly (readonly [string, string])[]) => joinHeaders(headers.flat()),
  },
}

/*
 * A record on its way to the writer: a fixed head, then its strings and its body one after another.
 *   0 receivedAt f64 · 8 completeness u8 · 9 verdict u8 · 10 status u16 · 12 bodyBytes u32
 *   16 method u8 · 17 version u8 · 18 address u8 · 19 tokenId u8 · 20 incident u16 · 22 (free)
 *   24 target u32 · 28 headers u32 · 32 body u32 (these are lengths)
 */
const headBytes = 36

/**
 * Packs records into one transferable buffer, because posting objects costs the receiver's thread twice
 * the time of receiving them (docs/benchmarks.md). Strings are Latin-1, as in HTTP; `incident` is ASCII.
 */
export function packRecords(records: readonly UnwrittenRecord[]): ArrayBuffer {
  const headers = records.map((record) => joinHeaders(record.rawHeaders))
  let size = 4
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index]
    if (record !== undefined) size += packedBytes(record, headers[index] ?? '')
  }
  const packed = new ArrayBuffer(size)
  const bytes = Buffer.from(packed)
  let at = bytes.writeUInt32LE(records.length, 0)
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index]
    if (record !== undefined) at = pack(bytes, at, record, headers[index] ?? '')
  }
  return packed
}

function packedBytes(record: UnwrittenRecord, headers: string): number {
  return (
    headBytes +
    record.method.length +
    record.httpVersion.length +
    record.remoteAddress.length +
    (record.tokenId?.length ?? 0) +
    (record.incident?.length ?? 0) +
    record.target.length +
    headers.length +
    bodyLength(record.body)
  )
}

function pack(bytes: Buffer, start: number, record: UnwrittenRecord, headers: string): number {
  const tokenId = record.tokenId ?? ''
  const incident = record.incident ?? ''
  bytes.writeDoubleLE(record.receivedAt, start)
  bytes[start + 8] = completenesses.indexOf(record.completeness)
  bytes[start + 9] = tokenVerdicts.indexOf(record.token)
  bytes.writeUInt16LE(record.status ?? noStatus, start + 10)
  bytes.writeUInt32LE(record.bodyBytes, start + 12)
  bytes[start + 16] = record.method.length
  bytes[start + 17] = record.httpVersion.length
  bytes[start + 18] = record.remoteAddress.length
  bytes[start + 19] = tokenId.length
  bytes.writeUInt16LE(incident.length, start + 20)
  bytes.writeUInt32LE(record.target.length, start + 24)
  bytes.writeUInt32LE(headers.length, start + 28)
  bytes.writeUInt32LE(bodyLength(record.body), start + 32)
  let at = start + headBytes
  at += bytes.write(record.method, at, 'latin1')
  at += bytes.write(record.httpVersion, at, 'latin1')
  at += bytes.write(record.remoteAddress, at, 'latin1')
  if (tokenId !== '') at += bytes.write(tokenId, at, 'latin1')
  if (incident !== '') at += bytes.write(incident, at, 'latin1')
  at += bytes.write(record.target, at, 'latin1')
  at += bytes.write(headers, at, 'latin1')
  for (const piece of record.body instanceof Uint8Array ? [record.body] : record.body) {
    bytes.set(piece, at)
    at += piece.byteLength
  }
  return at
}

export function countRecords(packed: ArrayBuffer): number {
  return new DataView(packed).getUint32(0, true)
}

/** Bodies are views into the buffer and must be bound before it is released. */
export function unpackRecords(packed: ArrayBuffer, each: (record: DecodedRecord) => void): void {
  const bytes = Buffer.from(packed)
  const count = bytes.readUInt32LE(0)
  let start = 4
  for (let index = 0; index < count; index += 1) {
    const versionAt = start + headBytes + byte(bytes, start + 16)
    const addressAt = versionAt + byte(bytes, start + 17)
    const tokenAt = addressAt + byte(bytes, start + 18)
    const incidentAt = tokenAt + byte(bytes, start + 19)
    const targetAt = incidentAt + bytes.readUInt16LE(start + 20)
    const headersAt = targetAt + bytes.readUInt32LE(start + 24)
    const bodyAt = headersAt + bytes.readUInt32LE(start + 28)
    const end = bodyAt + bytes.readUInt32LE(start + 32)
    const status = bytes.readUInt16LE(start + 10)
    each({
      receivedAt: bytes.readDoubleLE(start),
      completeness: completenesses[byte(bytes, start + 8)] ?? 'partial',
      token: tokenVerdicts[byte(bytes, start + 9)] ?? 'unchecked',
      status: status === noStatus ? null : status,
      bodyBytes: bytes.readUInt32LE(start + 12),
      method: bytes.toString('latin1', start + headBytes, versionAt),
      httpVersion: bytes.toString('latin1', versionAt, addressAt),
      remoteAddress: bytes.toString('latin1', addressAt, tokenAt),
      tokenId: incidentAt === tokenAt ? null : bytes.toString('latin1', tokenAt, incidentAt),
      incident: targetAt === incidentAt ? null : bytes.toString('latin1', incidentAt, targetAt),
      target: bytes.toString('latin1', targetAt, headersAt),
      headers: bytes.toString('latin1', headersAt, bodyAt),
      body: bytes.subarray(bodyAt, end),
    })
    start = end
  }
}

function byte(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0
}
