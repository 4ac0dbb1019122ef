import type { IncomingMessage } from 'node:http'
import type { Completeness } from '../../src-preload/contract/capture.ts'

/** A request read as far as it came. */
export type ReadRequest = {
  /** In the pieces that it came in: joined only where somebody has to read it. */
  readonly body: readonly Uint8Array[]
  /** Length on the wire as far as it is known. */
  readonly bodyBytes: number
  readonly completeness: Completeness
  readonly incident: string | null
}

/** A piece of one byte costs a hundred times that: so many pieces at most are held before they are joined. */
const maxPieces = 1024

/** Counts the memory of all bodies that are being received; see `commit-queue.ts`. */
type BodyMemory = {
  reserve(bytes: number, received: number): boolean
  release(bytes: number): void
}

export function lengthOf(body: Uint8Array | readonly Uint8Array[]): number {
  if (body instanceof Uint8Array) return body.byteLength
  return body.reduce((sum, piece) => sum + piece.byteLength, 0)
}

/**
 * Reads a request's body up to a limit and calls back once: when it is whole, when it is longer than
 * the limit (the rest is not waited for), or when the sender is gone. What the body has reserved is
 * released before that call: whoever keeps the body counts it from there on.
 * @param whyBroken asked when it broke off: what the connection's own error was, if it had one
 * @param onRead gets null when there is no memory for the body; nothing of it is kept
 */
export function readRequest(
  request: IncomingMessage,
  limitBytes: number,
  memory: BodyMemory,
  whyBroken: () => string | null,
  onRead: (read: ReadRequest | null) => void,
): void {
  let chunks: Buffer[] = []
  /** Of the first pieces, how many have been joined from others. */
  let joined = 0
  let received = 0
  let reserved = 0
  let finished = false

  function take(chunk: Buffer): boolean {
    if (!memory.reserve(chunk.length, reserved)) return false
    reserved += chunk.length
    chunks.push(chunk)
    if (chunks.length - joined === maxPieces) {
      chunks.push(Buffer.concat(chunks.splice(joined)))
      joined += 1
    }
    return true
  }

  function end(read: ReadRequest | null): void {
    finished = true
    // Whoever holds the request, until a late answer, does not hold its body with it.
    chunks = []
    memory.release(reserved)
    onRead(read)
  }

  function finish(completeness: Completeness, incident: string | null): void {
    if (finished) return
    const bodyBytes = Math.max(received, completeness === 'complete' ? 0 : declaredLength(request))
    end({ body: chunks, bodyBytes, completeness, incident })
  }

  request.on('data', (chunk: Buffer) => {
    if (finished) return
    const room = limitBytes - received
    received += chunk.length
    const isWithin = chunk.length <= room
    if (room > 0 && !take(isWithin ? chunk : chunk.subarray(0, room))) {
      end(null)
      return
    }
    if (!isWithin) finish('truncated', `The body is longer than the limit of ${limitBytes} bytes.`)
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
