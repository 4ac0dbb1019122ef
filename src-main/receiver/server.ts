/**
 * The receiver's HTTP server. Threat model: its port is reachable by every program and web page on
 * this computer and, through a tunnel, by the whole internet. Knowing the 128-bit path is what
 * entitles to deliver, and delivering is all that can be done: nothing is read back, reflected or
 * allowed across origins, every request ends in bounded time and memory, and what it holds is
 * treated as hostile wherever it is shown.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import type { CaptureRecord } from '../store/capture-record.ts'
import type { CommitQueue } from './commit-queue.ts'
import { isHookTarget } from './hook-path.ts'
import type { ReadRequest } from './request-capture.ts'
import { readRequest } from './request-capture.ts'
import type { TokenCheck, TokenChecker } from './token-check.ts'

export type ReceiverServerDeps = {
  readonly queue: CommitQueue
  readonly tokens: TokenChecker
  /** The receiver's own token, as bytes of its hex form; read anew for each request. */
  readonly expectedToken: () => Buffer
  readonly bodyLimitBytes: () => number
  /** With a token known, answer 401 to events whose bearer is wrong or missing. */
  readonly rejectWrongToken: () => boolean
  /** True for a delivery that carries no bearer by design. */
  readonly isInvoice: (body: Uint8Array) => boolean
  readonly onRefused: () => void
}

const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
/** Longer than the gateway's retry and a tunnel's reuse of its connections. */
const keepAliveMs = 75_000
const maxHeaderBytes = 64 * 1024
const maxConnections = 4_096

/** Why node ended a connection, kept for the request that was on it. */
const connectionProblems = new WeakMap<Socket, string>()

export function createReceiverServer(deps: ReceiverServerDeps): Server {
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: 1_000,
      // Tunnels send any Host, and a delivery without one is still a delivery.
      requireHostHeader: false,
      noDelay: true,
    },
    (request, response) => receive(request, response, deps),
  )
  // 0 means no limit of its own: node drops headers past the 2000th silently, the size limit does not.
  server.maxHeadersCount = 0
  server.maxConnections = maxConnections
  server.on('clientError', refuseMalformed)
  server.on('connect', (_request, socket: Socket) => socket.end(emptyResponse('404 Not Found')))
  return server
}

function receive(
  request: IncomingMessage,
  response: ServerResponse,
  deps: ReceiverServerDeps,
): void {
  const receivedAt = Math.round((performance.timeOrigin + performance.now()) * 1000)
  if (!isHookTarget(request.url ?? '', deps.expectedToken())) {
    turnAway(request, response, 404)
    return
  }
  if (!deps.queue.hasRoom()) {
    deps.onRefused()
    turnAway(request, response, 503)
    return
  }
  const whyBroken = () => connectionProblems.get(request.socket) ?? null
  readRequest(request, deps.bodyLimitBytes(), whyBroken, (read) => {
    const token = deps.tokens.check(authorizationOf(request.rawHeaders))
    const status = statusFor(read, token, deps)
    const record: CaptureRecord = {
      receivedAt,
      method: request.method ?? '',
      target: request.url ?? '',
      httpVersion: request.httpVersion,
      remoteAddress: request.socket.remoteAddress ?? '',
      rawHeaders: request.rawHeaders,
      completeness: read.completeness,
      incident: read.incident,
      token: token.verdict,
      tokenId: token.tokenId,
      status,
      bodyBytes: read.bodyBytes,
      body: read.body,
    }
    deps.queue.add(record, (problem) => {
      if (problem !== null) deps.onRefused()
      if (status === null || response.destroyed) return
      if (problem === null) answer(response, status, read)
      else answer(response, 503, read)
    })
  })
}

function statusFor(read: ReadRequest, token: TokenCheck, deps: ReceiverServerDeps): number | null {
  switch (read.completeness) {
    case 'partial':
      return null
    case 'truncated':
      return 413
    case 'complete': {
      const refused = token.verdict === 'wrong' || token.verdict === 'missing'
      return refused && deps.rejectWrongToken() && !deps.isInvoice(read.body) ? 401 : 200
    }
  }
}

const anyAnswer = { 'Content-Length': '0' }
const lastAnswer = { 'Content-Length': '0', Connection: 'close' }

function answer(response: ServerResponse, status: number, read: ReadRequest): void {
  // What is left of a body too long is not waited for: the connection ends with the answer.
  response.writeHead(status, read.completeness === 'truncated' ? lastAnswer : anyAnswer)
  response.end()
}

/** An empty answer, without reading what else is coming. */
function turnAway(request: IncomingMessage, response: ServerResponse, status: number): void {
  response.writeHead(status, lastAnswer)
  response.end()
  request.resume()
}

// Reading `request.headers` would build them all; the one looked for is nearly always there.
function authorizationOf(rawHeaders: readonly string[]): string | null {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 13 && name.toLowerCase() === 'authorization') {
      return rawHeaders[index + 1] ?? null
    }
  }
  return null
}

function refuseMalformed(error: Error & { code?: string }, socket: Socket): void {
  const [status, problem] = explain(error.code ?? '')
  connectionProblems.set(socket, problem)
  // Reset by the other side, or an answer is already on its way: nothing to be said any more.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy()
    return
  }
  socket.end(emptyResponse(status), () => socket.destroy())
}

function explain(code: string): [status: string, problem: string] {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [
        '408 Request Timeout',
        'The request did not come to an end within 30 seconds, it stopped',
      ]
    case 'HPE_HEADER_OVERFLOW':
      return ['431 Request Header Fields Too Large', 'The headers are larger than 64 KiB']
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return ['413 Payload Too Large', 'The chunk extensions are too large, it broke off']
    case 'ECONNRESET':
      return ['', 'The sender reset the connection']
    default:
      return ['400 Bad Request', `Not valid HTTP (${code}), it broke off`]
  }
}

function emptyResponse(status: string): string {
  return `HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
}
