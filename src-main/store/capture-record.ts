import type { Completeness, TokenVerdict } from '../../src-preload/contract/index.ts'

/** A request as it arrived, before it has an id. */
export type CaptureRecord = {
  /** Microseconds since the epoch. */
  readonly receivedAt: number
  readonly method: string
  /** Request target exactly as received; Latin-1. */
  readonly target: string
  readonly httpVersion: string
  readonly remoteAddress: string
  /** Names and values in turn, exactly as received; Latin-1. */
  readonly rawHeaders: readonly string[]
  readonly completeness: Completeness
  /** What went wrong with it, for a partial or truncated one. */
  readonly incident: string | null
  readonly token: TokenVerdict
  /** Id of the webhook token that matched. */
  readonly tokenId: string | null
  /** To be answered once it is on disk; null when the other side is already gone. */
  readonly status: number | null
  /** Length on the wire as far as it is known; more than `body` holds when truncated. */
  readonly bodyBytes: number
  readonly body: Uint8Array
}

/** The record as the writer thread binds it. */
export type DecodedRecord = Omit<CaptureRecord, 'rawHeaders'> & { readonly headers: string }

const completenesses: readonly Completeness[] = ['complete', 'truncated', 'partial']
const verdicts: readonly TokenVerdict[] = ['right', 'wrong', 'missing', 'unchecked']
const noStatus = 0
/** Numbers in a record's head, 8 bytes each: two times, sizes and small codes. */
const fixedBytes = 11 * 4 + 8

export function joinHeaders(rawHeaders: readonly string[]): string {
  return rawHeaders.join('\n')
}

export function splitHeaders(headers: string): [string, string][] {
  if (headers === '') return []
  const parts = headers.split('\n')
  const pairs: [string, string][] = []
  for (let index = 0; index + 1 < parts.length; index += 2) {
    pairs.push([parts[index] ?? '', parts[index + 1] ?? ''])
  }
  return pairs
}

/**
 * Packs records into one transferable buffer. Posting them as objects costs the receiver's thread
 * twice what receiving them does; one buffer costs next to nothing (docs/benchmarks.md).
 */
export function packRecords(records: readonly CaptureRecord[]): ArrayBuffer {
  const headers = records.map((record) => joinHeaders(record.rawHeaders))
  let size = 4
  for (const [index, record] of records.entries()) {
    size +=
      fixedBytes +
      record.method.length +
      record.target.length +
      record.httpVersion.length +
      record.remoteAddress.length +
      (record.incident?.length ?? 0) * 3 +
      (record.tokenId?.length ?? 0) +
      (headers[index]?.length ?? 0) +
      record.body.byteLength
  }
  const packed = new ArrayBuffer(size)
  const bytes = Buffer.from(packed)
  let at = bytes.writeUInt32LE(records.length, 0)

  for (const [index, record] of records.entries()) {
    at = bytes.writeDoubleLE(record.receivedAt, at)
    // Lengths follow once the strings are in place: UTF-8 is only measured by writing it.
    let lengthAt = at
    at = lengthAt + fixedBytes - 8
    const text = (value: string, encoding: 'latin1' | 'utf8') => {
      const written = bytes.write(value, at, encoding)
      lengthAt = bytes.writeUInt32LE(written, lengthAt)
      at += written
    }
    text(record.method, 'latin1')
    text(record.target, 'latin1')
    text(record.httpVersion, 'latin1')
    text(record.remoteAddress, 'latin1')
    text(record.incident ?? '', 'utf8')
    text(record.tokenId ?? '', 'latin1')
    text(headers[index] ?? '', 'latin1')
    lengthAt = bytes.writeUInt32LE(completenesses.indexOf(record.completeness), lengthAt)
    lengthAt = bytes.writeUInt32LE(
      verdicts.indexOf(record.token) * 1000 + (record.status ?? noStatus),
      lengthAt,
    )
    lengthAt = bytes.writeUInt32LE(record.bodyBytes, lengthAt)
    bytes.writeUInt32LE(record.body.byteLength, lengthAt)
    bytes.set(record.body, at)
    at += record.body.byteLength
  }
  return packed
}

/** The inverse. Bodies are views into the buffer, to be bound before it is let go. */
export function* unpackRecords(packed: ArrayBuffer): Generator<DecodedRecord> {
  const bytes = Buffer.from(packed)
  const count = bytes.readUInt32LE(0)
  let at = 4
  for (let index = 0; index < count; index += 1) {
    const receivedAt = bytes.readDoubleLE(at)
    let lengthAt = at + 8
    at += fixedBytes
    const text = (encoding: 'latin1' | 'utf8') => {
      const end = at + bytes.readUInt32LE(lengthAt)
      lengthAt += 4
      const value = bytes.toString(encoding, at, end)
      at = end
      return value
    }
    const method = text('latin1')
    const target = text('latin1')
    const httpVersion = text('latin1')
    const remoteAddress = text('latin1')
    const incident = text('utf8')
    const tokenId = text('latin1')
    const headers = text('latin1')
    const completeness = completenesses[bytes.readUInt32LE(lengthAt)] ?? 'partial'
    const codes = bytes.readUInt32LE(lengthAt + 4)
    const bodyBytes = bytes.readUInt32LE(lengthAt + 8)
    const bodyEnd = at + bytes.readUInt32LE(lengthAt + 12)
    const status = codes % 1000
    yield {
      receivedAt,
      method,
      target,
      httpVersion,
      remoteAddress,
      incident: incident === '' ? null : incident,
      tokenId: tokenId === '' ? null : tokenId,
      headers,
      completeness,
      token: verdicts[Math.floor(codes / 1000)] ?? 'unchecked',
      status: status === noStatus ? null : status,
      bodyBytes,
      body: bytes.subarray(at, bodyEnd),
    }
    at = bodyEnd
  }
}
