import { crc32 } from 'node:zlib'
import type { Completeness } from '../../../src-preload/contract/capture.ts'
import {
  type TokenVerdict,
  bodyCompleteness,
  tokenVerdicts,
} from '../../../src-preload/domain/capture-values.ts'

export type CaptureRecord = {
  /** The time in microseconds since the epoch. */
  readonly receivedAt: number
  readonly method: string
  /** The request target as received, as Latin-1. */
  readonly target: string
  readonly httpVersion: string
  readonly remoteAddress: string
  /** Header names and values in turn, as received, as Latin-1. */
  readonly rawHeaders: readonly string[]
  readonly completeness: Completeness
  /** The error of a partial or truncated capture. */
  readonly incident: string | null
  readonly token: TokenVerdict
  readonly tokenId: string | null
  /** The response status after the commit; null if the sender has disconnected. */
  readonly status: number | null
  /** Bytes on the wire, as far as known; more than the length of `body` if it was truncated. */
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
export const joinHeaders = (rawHeaders: readonly string[]): string => rawHeaders.join('\n')

export function splitHeaders(headers: string): [string, string][] {
  if (headers === '') return []
  return headerPairs(headers.split('\n'))
}

/** Converts alternating names and values to pairs. */
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

/** `headers` contains names and values, joined by line feeds. */
export type StoredContent = {
  readonly method: string
  readonly target: string
  readonly headers: string
  readonly body: Uint8Array
}

/** CRC-32 of the received data. Data that Tondesk adds later, such as the status, may change. */
export const checksumOf = ({ method, target, headers, body }: StoredContent): number =>
  crc32(body, crc32(`${method}\n${target}\n${headers}\n`))

/** For statements that read `captures` without an alias; null until older captures have a checksum. */
export const checksumColumn = `coalesce(captures.checksum, (SELECT k.checksum FROM capture_checksums k
  WHERE k.capture_id = captures.id)) AS checksum`

/** @returns a sentence about a capture that was changed on disk; null if it was not, or has no checksum yet */
export function describeChange(
  id: number,
  content: StoredContent & { readonly checksum: number | null },
): string | null {
  if (content.checksum === null || content.checksum === checksumOf(content)) return null
  return (
    `The body of capture ${id} was changed on disk, or its path or headers were: they do not match ` +
    'the checksum that was stored with them. Restore a backup, or delete the capture.'
  )
}

/** Stored when an imported file has no duration. */
export const unknownDuration = -1
export const durationColumn = `nullif(duration_us, ${unknownDuration}) AS duration_us`

/** @returns why a replay or a command must not send the capture; null if its body is known */
export function describeMissing(id: number, completeness: Completeness): string | null {
  if (completeness !== 'missing') return null
  return `The body of capture ${id} is not in the file from which the capture was imported, so it cannot be sent or copied as a request.`
}

/*
 * A record on its way to the writer: a fixed head, then its strings and its body one after another.
 *   0 receivedAt f64 · 8 bodyBytes u32 · 12 status u16 · 14 completeness u8 · 15 verdict u8
 *   16 lengths of the seven strings and the body u32
 */
const lengthsAt = 16
const bodyLengthAt = 44
const headBytes = 48

/**
 * Packs records into one transferable buffer, because posting objects would double the receiver thread's
 * time per delivery (docs/benchmarks.md). Strings are Latin-1, as in HTTP; `incident` is ASCII.
 */
export function packRecords(records: readonly UnwrittenRecord[]): ArrayBuffer {
  let size = 4
  const parts = records.map((record) => {
    const strings = stringsOf(record)
    const bodyBytes = bodyLength(record.body)
    size += headBytes + bodyBytes
    for (const text of strings) size += text.length
    return { record, strings, bodyBytes }
  })
  const packed = new ArrayBuffer(size)
  const bytes = Buffer.from(packed)
  let at = bytes.writeUInt32LE(records.length, 0)
  for (const { record, strings, bodyBytes } of parts) {
    bytes.writeDoubleLE(record.receivedAt, at)
    bytes.writeUInt32LE(record.bodyBytes, at + 8)
    bytes.writeUInt16LE(record.status ?? noStatus, at + 12)
    bytes[at + 14] = bodyCompleteness.indexOf(record.completeness)
    bytes[at + 15] = tokenVerdicts.indexOf(record.token)
    let lengthAt = at + lengthsAt
    at += headBytes
    for (const text of strings) {
      lengthAt = bytes.writeUInt32LE(text.length, lengthAt)
      if (text !== '') at += bytes.write(text, at, 'latin1')
    }
    bytes.writeUInt32LE(bodyBytes, lengthAt)
    for (const piece of record.body instanceof Uint8Array ? [record.body] : record.body) {
      bytes.set(piece, at)
      at += piece.byteLength
    }
  }
  return packed
}

function stringsOf(record: UnwrittenRecord): string[] {
  const { method, httpVersion, remoteAddress, tokenId, incident, target, rawHeaders } = record
  const headers = joinHeaders(rawHeaders)
  return [method, httpVersion, remoteAddress, tokenId ?? '', incident ?? '', target, headers]
}

export const countRecords = (packed: ArrayBuffer): number => new DataView(packed).getUint32(0, true)

/** Bodies are views into the buffer and must be bound before it is released. */
export function unpackRecords(packed: ArrayBuffer, each: (record: DecodedRecord) => void): void {
  const bytes = Buffer.from(packed)
  const count = bytes.readUInt32LE(0)
  let at = 4
  for (let index = 0; index < count; index += 1) {
    const start = at
    at += headBytes
    const strings: string[] = []
    for (let lengthAt = start + lengthsAt; lengthAt < start + bodyLengthAt; lengthAt += 4) {
      const from = at
      at += bytes.readUInt32LE(lengthAt)
      strings.push(from === at ? '' : bytes.toString('latin1', from, at))
    }
    const status = bytes.readUInt16LE(start + 12)
    const bodyAt = at
    at += bytes.readUInt32LE(start + bodyLengthAt)
    each({
      receivedAt: bytes.readDoubleLE(start),
      bodyBytes: bytes.readUInt32LE(start + 8),
      status: status === noStatus ? null : status,
      completeness: bodyCompleteness[bytes.readUInt8(start + 14)] ?? 'partial',
      token: tokenVerdicts[bytes.readUInt8(start + 15)] ?? 'unchecked',
      method: strings[0] ?? '',
      httpVersion: strings[1] ?? '',
      remoteAddress: strings[2] ?? '',
      tokenId: strings[3] || null,
      incident: strings[4] || null,
      target: strings[5] ?? '',
      headers: strings[6] ?? '',
      body: bytes.subarray(bodyAt, at),
    })
  }
}
