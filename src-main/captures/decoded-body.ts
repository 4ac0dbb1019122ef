import { decodeBody, headerValue } from './decode-body.ts'

/** A body unpacks to this much for searching; what is beyond is found by no word. */
const decodeLimitBytes = 8 * 1024 * 1024

type Captured = {
  readonly headers: [string, string][]
  readonly body: Uint8Array
}

/** What is searched of a body, and classified: unpacked, where it was packed. */
export async function decodedBody({ headers, body }: Captured): Promise<Uint8Array> {
  const encoding = headerValue(headers, 'content-encoding')
  return encoding === null || body.byteLength === 0
    ? body
    : (await decodeBody(body, encoding, decodeLimitBytes)).bytes
}
