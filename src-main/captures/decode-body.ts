import { promisify } from 'node:util'
import zlib from 'node:zlib'

type DecodedBody = {
  readonly bytes: Uint8Array
  /** Why decoding stopped early or was impossible, as a sentence. */
  readonly problem: string | null
}

export type Headers = readonly (readonly [string, string])[]

export const headerValue = (headers: Headers, name: string): string | null =>
  headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? null

type Options = { maxOutputLength: number; finishFlush?: number }
type Decoder = {
  readonly decode: (bytes: Uint8Array, options: Options) => Promise<Buffer>
  readonly flush: number
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_continue } = zlib.constants
const inflateRaw = promisify(zlib.inflateRaw)
const inflate = promisify(zlib.inflate)
const gzip: Decoder = { decode: promisify(zlib.gunzip), flush: Z_SYNC_FLUSH }

const decoders = new Map<string, Decoder>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['deflate', { decode: inflateEither, flush: Z_SYNC_FLUSH }],
  ['br', { decode: promisify(zlib.brotliDecompress), flush: BROTLI_OPERATION_FLUSH }],
  ['zstd', { decode: promisify(zlib.zstdDecompress), flush: ZSTD_e_continue }],
])

/** `deflate` means zlib's format (RFC 9110, 8.4.1.2), but many senders use the raw stream. */
async function inflateEither(bytes: Uint8Array, options: Options): Promise<Buffer> {
  const zlibMethod = ((bytes[0] ?? 0) & 0x0f) === 8
  const zlibCheck = (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) % 31 === 0
  return zlibMethod && zlibCheck ? inflate(bytes, options) : inflateRaw(bytes, options)
}

/**
 * Decodes the Content-Encoding off this thread and up to a limit, because a few kilobytes can unpack to
 * gigabytes.
 */
export async function decodeBody(
  bytes: Uint8Array,
  encoding: string | null,
  limitBytes: number,
): Promise<DecodedBody> {
  const codings = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length > 3) {
    return { bytes, problem: 'Encoded more than three times; shown as received.' }
  }
  if (bytes.byteLength === 0) return { bytes, problem: null }
  let decoded = bytes
  let brokenOff: string | null = null
  // Codings are listed in the order of their application, so the last one is decoded first.
  for (const coding of codings.reverse()) {
    const decoder = decoders.get(coding)
    if (decoder === undefined) {
      return { bytes: decoded, problem: `Unknown encoding ${coding}; shown as received.` }
    }
    try {
      decoded = await decoder.decode(decoded, { maxOutputLength: limitBytes })
    } catch (error) {
      const options = { maxOutputLength: limitBytes, finishFlush: decoder.flush }
      const isCut = codeOf(error) === 'Z_BUF_ERROR'
      const beginning = isCut ? await decoder.decode(decoded, options).catch(() => null) : null
      // The body has more damage than a missing end.
      if (beginning === null || beginning.byteLength === 0) {
        return { bytes: decoded, problem: explain(coding, error, limitBytes) }
      }
      decoded = beginning
      brokenOff = `The ${coding} data is truncated; the readable part is shown.`
    }
  }
  return { bytes: decoded, problem: brokenOff }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

function explain(coding: string, error: unknown, limitBytes: number): string {
  const code = codeOf(error)
  if (code === 'ERR_BUFFER_TOO_LARGE') {
    return `Decompresses to more than ${Math.round(limitBytes / 1_048_576)} MiB; shown as received.`
  }
  if (code === 'Z_BUF_ERROR') return `The ${coding} data is truncated; shown as received.`
  return `Not valid ${coding}; shown as received.`
}
