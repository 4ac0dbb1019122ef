import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** A request, or what should have been one, that was refused before anything of it could be captured. */
type Refusal = {
  /** Microseconds since the epoch. */
  readonly at: number
  /** Null where the connection was closed without a response. */
  readonly status: number | null
  readonly reason: string
  readonly peer: string
  /** The first bytes as Latin-1, as far as they are known: the sender's content, tokens included. */
  readonly start: string
}

/** Counts refused requests and keeps the latest, in memory only. */
export type Refusals = {
  add(refusal: Omit<Refusal, 'at'>): void
  total(): number
  /** Newest first. */
  latest(): readonly Refusal[]
}

const maxKept = 100
const maxStartBytes = 512

export function createRefusals(onAdded: () => void): Refusals {
  const kept: Refusal[] = []
  let total = 0
  return {
    add(refusal) {
      total += 1
      const at = Math.round((performance.timeOrigin + performance.now()) * 1000)
      kept.unshift({ ...refusal, at, start: refusal.start.slice(0, maxStartBytes) })
      if (kept.length > maxKept) kept.pop()
      onAdded()
    },
    total: () => total,
    latest: () => kept,
  }
}

/** Request line and headers as they were parsed, up to what is kept. */
export function startOf(request: IncomingMessage): string {
  let start = `${request.method ?? ''} ${request.url ?? ''} HTTP/${request.httpVersion}\r\n`
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    if (start.length > maxStartBytes) break
    start += `${request.rawHeaders[index] ?? ''}: ${request.rawHeaders[index + 1] ?? ''}\r\n`
  }
  return start
}

/** Why a connection ended before its request did. */
type Breakage = {
  /** In plain words, to be followed by how far the body had come. */
  readonly problem: string
  /** The status answered; null when the other side was gone. */
  readonly status: number | null
}

/** What node emits; `rawPacket` is what the parser was given last. */
export type ClientError = Error & { readonly code?: string; readonly rawPacket?: Buffer }

export type BrokenConnections = {
  /** For the server's `clientError`: answers, ends the connection and remembers why. */
  onClientError(error: ClientError, socket: Socket): void
  of(socket: Socket): Breakage | null
}

const unanswered = ['HPE_INVALID_EOF_STATE', 'ECONNRESET', 'EPIPE']

/**
 * Ends connections that bring no valid HTTP, too much of it, or too slowly.
 * @param afterAnswers calls back when what was received before has been answered: a refusal must not
 *   overtake the answer to a delivery that came whole on the same connection
 * @param onRefused what is not answered, because the other side is gone, is no refusal
 */
export function createBrokenConnections(
  requestTimeoutMs: number,
  afterAnswers: (callback: () => void) => void,
  onRefused: (socket: Socket, refusal: Breakage, start: string) => void,
): BrokenConnections {
  const broken = new WeakMap<Socket, Breakage>()

  function explain(code: string): Breakage & { reason: string } {
    const seconds = requestTimeoutMs / 1000
    switch (code) {
      case 'ERR_HTTP_REQUEST_TIMEOUT':
        return refusal(
          408,
          'Request Timeout',
          `It did not end within ${seconds} seconds, it stopped`,
        )
      case 'HPE_HEADER_OVERFLOW':
        return refusal(431, 'Request Header Fields Too Large', 'The headers are larger than 64 KiB')
      case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
        return refusal(413, 'Payload Too Large', 'The chunk extensions are too large, it broke off')
      default:
        return refusal(400, 'Bad Request', `Not valid HTTP (${code}), it broke off`)
    }
  }

  return {
    of: (socket) => broken.get(socket) ?? null,
    onClientError(error, socket) {
      // Node tells of each further chunk of the same nonsense.
      if (broken.has(socket)) return
      const code = error.code ?? ''
      if (unanswered.includes(code) || !socket.writable) {
        const verb = code === 'ECONNRESET' ? 'reset' : 'closed'
        broken.set(socket, { problem: `The sender ${verb} the connection`, status: null })
        afterAnswers(() => socket.destroySoon())
        return
      }
      const { problem, status, reason } = explain(code)
      broken.set(socket, { problem, status })
      onRefused(
        socket,
        { problem: reason, status },
        error.rawPacket?.toString('latin1', 0, 512) ?? '',
      )
      socket.pause()
      afterAnswers(() => {
        socket.end(emptyResponse(`${status ?? 400} ${reason}`), () => socket.destroy())
      })
    },
  }
}

function refusal(status: number, reason: string, problem: string) {
  return { status, reason, problem }
}

export function emptyResponse(status: string): string {
  return `HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
}
