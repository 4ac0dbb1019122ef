import { decodeBody, headerValue } from './decode-body.ts'

/** What is searched of a capture, as text; also what is classified of it, as bytes. */
export type CapturedText = {
  /** Method, and path and query. */
  readonly target: string
  readonly headers: string
  readonly bytes: Uint8Array
}

/** A body unpacks to this much for searching; what is beyond is found by no word. */
const decodeLimitBytes = 8 * 1024 * 1024

export type Captured = {
  readonly method: string
  readonly target: string
  readonly headers: [string, string][]
  readonly body: Uint8Array
}

export async function readCaptured(capture: Captured): Promise<CapturedText> {
  const encoding = headerValue(capture.headers, 'content-encoding')
  const bytes =
    encoding === null || capture.body.byteLength === 0
      ? capture.body
      : (await decodeBody(capture.body, encoding, decodeLimitBytes)).bytes
  return {
    target: `${capture.method} ${capture.target}`,
    headers: capture.headers.map(([name, value]) => `${name}: ${value}`).join('\n'),
    bytes,
  }
}
