import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

type Refusal = {
  /** The time in microseconds since the epoch. */
  readonly at: number
  /** Null if the connection was closed without a response. */
  readonly status: number | null
  readonly reason: string
  readonly peer: string
  /** The first bytes as Latin-1, including tokens. */
  readonly start: string
}

export type Refusals = ReturnType<typeof createRefusals>

const maxRefusals = 100
const maxStartBytes = 512

export function createRefusals(onAdded: () => void) {
  const latest: Refusal[] = []
  let total = 0
  return {
    add(refusal: Omit<Refusal, 'at'>): void {
      total += 1
      const at = Math.round((performance.timeOrigin + performance.now()) * 1000)
      latest.unshift({ ...refusal, at, start: refusal.start.slice(0, maxStartBytes) })
      if (latest.length > maxRefusals) latest.pop()
      onAdded()
    },
    total: () => total,
    latest: (): readonly Refusal[] => latest,
  }
}

export function startOf(request: IncomingMessage): string {
  let start = `${request.method ?? ''} ${request.url ?? ''} HTTP/${request.httpVersion}\r\n`
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    if (start.length > maxStartBytes) break
    start += `${request.rawHeaders[index] ?? ''}: ${request.rawHeaders[index + 1] ?? ''}\r\n`
  }
  return start
}

type Breakage = {
  /** A sentence; the number of received body bytes is appended to it. */
  readonly problem: string
  /** Null if the sender has disconnected. */
  readonly status: number | null
}

/** `rawPacket` is the last data that Node's parser received. */
export type ClientError = Error & { readonly code?: string; readonly rawPacket?: Buffer }

export type BrokenConnections = ReturnType<typeof createBrokenConnections>

const unanswered = ['HPE_INVALID_EOF_STATE', 'ECONNRESET', 'EPIPE']

/**
 * Ends connections with invalid, too large or too slow requests.
 * @param afterAnswers calls back when earlier requests have their responses, because a refusal must
 * not overtake the response to a complete delivery on the same connection
 * @param onRefused not called if the sender has disconnected
 */
export function createBrokenConnections(
  requestTimeoutMs: number,
  afterAnswers: (callback: () => void) => void,
  onRefused: (socket: Socket, refusal: { status: number; reason: string; start: string }) => void,
) {
  const broken = new WeakMap<Socket, Breakage>()

  function explain(code: string): { readonly status: number; readonly problem: string } {
    switch (code) {
      case 'ERR_HTTP_REQUEST_TIMEOUT': {
        const seconds = requestTimeoutMs / 1000
        return {
          status: 408,
          problem: `The request did not end within ${seconds} seconds: it stopped`,
        }
      }
      case 'HPE_HEADER_OVERFLOW':
        return { status: 431, problem: 'The headers are larger than 64 KiB' }
      case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
        return { status: 413, problem: 'The chunk extensions are too large: reading stopped' }
      default:
        return { status: 400, problem: `Not valid HTTP (${code}): reading stopped` }
    }
  }

  return {
    of: (socket: Socket) => broken.get(socket) ?? null,
    onClientError(error: ClientError, socket: Socket): void {
      // Node emits an error for each further chunk of the invalid request.
      if (broken.has(socket)) return
      const code = error.code ?? ''
      if (unanswered.includes(code) || !socket.writable) {
        const verb = code === 'ECONNRESET' ? 'reset' : 'closed'
        broken.set(socket, { problem: `The sender ${verb} the connection`, status: null })
        afterAnswers(() => socket.destroySoon())
        return
      }
      const isTls = isClientHello(error.rawPacket)
      const { problem, status } = explain(code)
      broken.set(socket, { problem, status })
      const start = error.rawPacket?.toString('latin1', 0, maxStartBytes) ?? ''
      const reason = isTls ? tlsReason : (STATUS_CODES[status] ?? '')
      onRefused(socket, { status, reason, start })
      socket.pause()
      afterAnswers(() => {
        socket.end(emptyResponse(status), () => socket.destroy())
      })
    },
  }
}

/** The first bytes of a TLS handshake record with a ClientHello: RFC 8446, section 5.1. */
const isClientHello = (packet: Buffer | undefined): boolean =>
  packet !== undefined && packet[0] === 0x16 && packet[1] === 0x03 && packet[5] === 0x01

const tlsReason =
  'The sender uses TLS (https), which the receiver does not. Set the tunnel to forward to http:// and the receiver’s port'

export function emptyResponse(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
}
