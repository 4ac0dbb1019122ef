import type { IncomingMessage } from 'node:http'
import type { CaptureRecord } from '../captures/store/capture-record.ts'
import type { CommitQueue } from './commit-queue.ts'

export type ReadRequest = Pick<CaptureRecord, 'bodyBytes' | 'incident'> & {
  readonly completeness: Exclude<CaptureRecord['completeness'], 'missing'>
  /** The received pieces of the body, joined only for readers of the body. */
  readonly body: readonly Uint8Array[]
}

/** A piece of one byte costs a hundred bytes of memory, so pieces are joined beyond this number. */
const maxPieces = 1024

/**
 * Reads a body up to a limit and calls back once: when the body is complete, exceeds the limit (the rest
 * is not awaited) or breaks off. Its reserved memory is released before the call, so the owner of the body
 * counts it from there.
 * @param whyBroken called for an incomplete body: the connection's error, if any
 * @param onRead gets null when there is no memory for the body
 */
export function readRequest(
  request: IncomingMessage,
  limitBytes: number,
  memory: Pick<CommitQueue, 'reserve' | 'release'>,
  whyBroken: () => string | null,
  onRead: (read: ReadRequest | null) => void,
): void {
  let chunks: Buffer[] = []
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
    // A delayed response keeps the request in memory, but must not keep its body.
    chunks = []
    memory.release(reserved)
    onRead(read)
  }

  function finish(completeness: ReadRequest['completeness'], incident: string | null): void {
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
  // 'close' always follows and reports the error.
  request.on('error', () => undefined)
}

function declaredLength(request: IncomingMessage): number {
  const declared = Number(request.headers['content-length'] ?? 0)
  return Number.isSafeInteger(declared) && declared <= 0xffffffff ? declared : 0
}
