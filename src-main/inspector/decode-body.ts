import { promisify } from 'node:util'
import zlib from 'node:zlib'

export type DecodedBody = {
  readonly bytes: Uint8Array
  /** Why decoding stopped early or was not possible, in plain words. */
  readonly problem: string | null
}

export type Headers = readonly (readonly [string, string])[]

export function headerValue(headers: Headers, name: string): string | null {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? null
}

type Decoder = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify(zlib.gunzip),
  'x-gzip': promisify(zlib.gunzip),
  deflate: promisify(zlib.unzip),
  br: promisify(zlib.brotliDecompress),
  zstd: promisify(zlib.zstdDecompress),
}

/**
 * Undoes the Content-Encoding, off this thread and up to a limit: a few kilobytes can unpack to
 * gigabytes. What was received is never touched.
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
    return { bytes, problem: 'Encoded more than three times over; shown as received.' }
  }
  let decoded = bytes
  // The last coding named was applied last.
  for (const coding of codings.reverse()) {
    const decode = decoders[coding]
    if (decode === undefined) {
      return { bytes: decoded, problem: `The encoding ${coding} is not known; shown as received.` }
    }
    try {
      decoded = await decode(decoded, { maxOutputLength: limitBytes })
    } catch (error) {
      return { bytes: decoded, problem: explain(coding, error, limitBytes) }
    }
  }
  return { bytes: decoded, problem: null }
}

function explain(coding: string, error: unknown, limitBytes: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ERR_BUFFER_TOO_LARGE') {
    return `Unpacks to more than ${Math.round(limitBytes / 1_048_576)} MiB; shown as received.`
  }
  return `Not valid ${coding}; shown as received.`
}
