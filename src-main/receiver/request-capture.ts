import type { IncomingMessage } from 'node:http'
import type { Completeness } from '../../src-preload/contract/index.ts'

/** A request read as far as it came. */
export type ReadRequest = {
  readonly body: Uint8Array
  /** Length on the wire as far as it is known. */
  readonly bodyBytes: number
  readonly completeness: Completeness
  readonly incident: string | null
}

const empty = new Uint8Array(0)

/**
 * Reads a request's body up to a limit and calls back once: when it is whole, when it is longer than
 * the limit (the rest is not waited for), or when the sender is gone.
 * @param whyBroken asked when it broke off: what the connection's own error was, if it had one
 */
export function readRequest(
  request: IncomingMessage,
  limitBytes: number,
  whyBroken: () => string | null,
  onRead: (read: ReadRequest) => void,
): void {
  const chunks: Buffer[] = []
  let received = 0
  let finished = false

  function finish(completeness: Completeness, incident: string | null): void {
    if (finished) return
    finished = true
    const [first] = chunks
    const body = first === undefined ? empty : chunks.length === 1 ? first : Buffer.concat(chunks)
    // Whoever holds the request, until a late answer, does not hold its body with it.
    chunks.length = 0
    const bodyBytes = Math.max(received, completeness === 'complete' ? 0 : declaredLength(request))
    onRead({ body, bodyBytes, completeness, incident })
  }

  request.on('data', (chunk: Buffer) => {
    if (finished) return
    const room = limitBytes - received
    received += chunk.length
    if (chunk.length <= room) {
      chunks.push(chunk)
      return
    }
    if (room > 0) chunks.push(chunk.subarray(0, room))
    finish('truncated', `The body is longer than the limit of ${limitBytes} bytes.`)
  })
  request.on('end', () => finish('complete', null))
  request.on('close', () => {
    const reason = whyBroken() ?? 'The sender closed the connection'
    finish('partial', `${reason} after ${received} bytes of the body.`)
  })
  // What went wrong comes with 'close', which always follows.
  request.on('error', () => undefined)
}

function declaredLength(request: IncomingMessage): number {
  const declared = Number(request.headers['content-length'] ?? 0)
  return Number.isSafeInteger(declared) && declared <= 0xffffffff ? declared : 0
}
