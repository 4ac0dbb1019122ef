/**
 * The receiver's HTTP server. Threat model: its port is reachable by every program and web page on
 * this computer and, through a tunnel, by the whole internet. A sender needs the 128-bit path to
 * deliver, and can do nothing else: nothing is read back, reflected or allowed across origins,
 * every request ends in bounded time and memory, and the window treats stored content as hostile.
 */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { Socket } from 'node:net'
import type { Settings } from '../../src-preload/contract/settings.ts'
import type { CaptureRecord, UnwrittenRecord } from '../captures/store/capture-record.ts'
import {
  type BrokenConnections,
  type ClientError,
  createBrokenConnections,
  emptyResponse,
  type Refusals,
  startOf,
} from './refusals.ts'
import { classify } from './classify.ts'
import type { CommitQueue } from './commit-queue.ts'
import { isHookTarget } from '../captures/hook-path.ts'
import { type DecideResponse, type OverriddenResponses, statusOf } from './overridden-responses.ts'
import { type Probes, type TakenProbe, rawHeader } from './probes.ts'
import { type ReadRequest, readRequest } from './request-capture.ts'
import type { TokenCheck, TokenChecker } from './token-check.ts'

type ServerDeps = {
  readonly tokens: TokenChecker
  readonly settings: () => Settings['receiver']
  /** Null while no rule changes the response, so that deliveries have no extra cost. */
  readonly decide: () => DecideResponse | null
  /** Reports a status that became known after its capture was written, or that was never sent. */
  readonly onAnswered: (capture: number, status: number | null) => void
  /** @returns id of the test capture, which does not count as a delivery */
  readonly keepTest: (record: CaptureRecord) => Promise<number>
  readonly times?: ReceiverTimes
  /** A lower limit for tests. */
  readonly maxConnections?: number
  readonly queue: CommitQueue
  readonly others: OverriddenResponses
  readonly probes: Probes
  readonly refusals: Refusals
  readonly counts: { captured: number; refused: number }
  /** The bytes of the token's hex form; read again for each request. */
  readonly expectedToken: () => Buffer
}

export type ReceiverTimes = Readonly<Record<keyof typeof receiverTimes, number>>

/** Timeouts in milliseconds. */
export const receiverTimes = {
  headersMs: 10_000,
  requestMs: 30_000,
  /** Longer than the gateway's retry delay and a tunnel's reuse of connections. */
  keepAliveMs: 75_000,
  /** A refused sender's data is read for this long, because a reset would discard the response. */
  lingerMs: 5_000,
  checkEveryMs: 1_000,
}

const maxHeaderBytes = 64 * 1024
const maxConnections = 4_096

export function createReceiverServer(deps: ServerDeps): Server {
  const times = deps.times ?? receiverTimes
  const broken = createBrokenConnections(
    times.requestMs,
    (callback) => {
      // One turn later, complete requests are in the queue and pipelined responses are written.
      setImmediate(() => deps.queue.settled(() => setImmediate(callback)))
    },
    (socket, refusal) => {
      // A request that is still being read is captured as far as it has arrived.
      if (connections.get(socket)?.complete === false) return
      deps.refusals.add({ ...refusal, peer: socket.remoteAddress ?? '' })
    },
  )
  const connections = new Map<Socket, IncomingMessage | null>()
  /** False while the server stops: connections then end with their next response. */
  const isOpen = () => server.listening
  const context = { ...deps, broken, connections, lingerMs: times.lingerMs, isOpen }
  const server: Server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: times.headersMs,
      requestTimeout: times.requestMs,
      keepAliveTimeout: times.keepAliveMs,
      connectionsCheckingInterval: times.checkEveryMs,
      // Tunnels send any Host, and a delivery without one still counts.
      requireHostHeader: false,
      noDelay: true,
    },
    (request, response) => receive(request, response, context),
  )
  // The value 0 means no limit by number, because Node silently drops headers beyond the limit. The
  // size limit remains.
  server.maxHeadersCount = 0
  // Senders that half-close after the request (`nc -N`) still get a response; otherwise Node would close
  // while the commit is pending. This option is missing from Node's types.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('clientError', (error: ClientError, socket: Socket) => {
    broken.onClientError(error, socket)
  })
  server.on('connection', (socket) => {
    // Node removes its own error listener from sockets of CONNECT and upgrade requests.
    socket.on('error', () => undefined)
    connections.set(socket, null)
    socket.once('close', () => connections.delete(socket))
    if (connections.size > (deps.maxConnections ?? maxConnections)) dropOne()
  })
  /** Drops the connection that has waited longest without a request; the newest if none waits. */
  function dropOne(): void {
    let dropped: Socket | undefined
    for (const [socket, request] of connections) {
      dropped = socket
      if (request === null) break
    }
    if (dropped === undefined) return
    deps.refusals.add({
      status: null,
      reason: 'Too many connections: one without a request was closed',
      peer: dropped.remoteAddress ?? '',
      start: '',
    })
    connections.delete(dropped)
    dropped.destroy()
  }
  // The server no longer tracks such a socket; left open, it would block a stop.
  server.on('connect', (request, socket: Socket) => {
    addRefusal(request, 404, 'CONNECT is not supported', deps)
    socket.end(emptyResponse(404), () => socket.destroy())
  })
  server.on('checkContinue', (request, response) => {
    if (isHookTarget(request.url ?? '', deps.expectedToken())) response.writeContinue()
    receive(request, response, context)
  })
  // By default Node responds 417 to an unknown expectation, and the delivery is lost.
  server.on('checkExpectation', (request, response) => receive(request, response, context))
  return server
}

type Context = ServerDeps & {
  readonly broken: BrokenConnections
  readonly connections: Map<Socket, IncomingMessage | null>
  readonly lingerMs: number
  readonly isOpen: () => boolean
}

function receive(request: IncomingMessage, response: ServerResponse, deps: Context): void {
  const receivedAt = Math.round((performance.timeOrigin + performance.now()) * 1000)
  deps.connections.set(request.socket, request)
  if (!isHookTarget(request.url ?? '', deps.expectedToken())) {
    addRefusal(request, 404, 'The path is not that of the receiver URL', deps)
    refuse(request, response, 404, deps.lingerMs)
    return
  }
  if (!deps.queue.hasRoom()) {
    refuseForRoom(request, response, deps)
    return
  }
  function statusFor(read: ReadRequest, token: TokenCheck): number | null {
    switch (read.completeness) {
      case 'partial':
        return deps.broken.of(request.socket)?.status ?? null
      case 'truncated':
        return 413
      case 'complete': {
        const refused = token.verdict === 'wrong' || token.verdict === 'missing'
        if (!refused || !deps.settings().rejectWrongToken) return 200
        // Deliveries of invoices carry no bearer token by design.
        return classify(Buffer.concat(read.body), null).kind === 'invoice' ? 200 : 401
      }
    }
  }

  /** Responds to a probe like to a delivery, with an empty body, so that the response reveals nothing. */
  async function respondToProbe(probe: TakenProbe, record: CaptureRecord): Promise<void> {
    let status = record.status ?? 200
    if (probe.kind === 'check') {
      status = 200
      probe.arrive(record, null)
    } else {
      try {
        probe.arrive(record, await deps.keepTest(record))
      } catch {
        status = 503
      }
    }
    if (!response.destroyed) response.writeHead(status, lastAnswer).end()
  }

  const whyBroken = () => deps.broken.of(request.socket)?.problem ?? null
  readRequest(request, deps.settings().bodyLimitBytes, deps.queue, whyBroken, (read) => {
    if (read === null) {
      refuseForRoom(request, response, deps)
      return
    }
    const probe = deps.probes.take(request.rawHeaders)
    const token = (probe?.tokens ?? deps.tokens).check(
      rawHeader(request.rawHeaders, 'authorization'),
    )
    const usual = statusFor(read, token)
    const arrived: UnwrittenRecord = {
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
      status: usual,
      bodyBytes: read.bodyBytes,
      body: read.body,
    }
    if (probe !== null && read.completeness === 'complete') {
      void respondToProbe(probe, joined(arrived))
      return
    }
    const decide = read.completeness === 'complete' ? deps.decide() : null
    const other = decide === null ? null : decide(joined(arrived))
    const record = other === null ? arrived : { ...arrived, status: statusOf(other) }
    // A separate constant, because a late response would otherwise hold all of `read` with its body.
    const { completeness } = read
    deps.queue.add(record, (problem, id) => {
      if (problem === null) deps.counts.captured += 1
      else {
        deps.counts.refused += 1
        addRefusal(request, 503, 'The capture could not be written', deps)
      }
      if (usual === null || completeness === 'partial' || response.destroyed) return
      if (other !== null && id !== null) {
        deps.others.give(other, response, id, (status) => deps.onAnswered(id, status))
        return
      }
      const answered = problem === null ? usual : 503
      if (completeness === 'truncated') refuse(request, response, answered, deps.lingerMs)
      else response.writeHead(answered, deps.isOpen() ? anyAnswer : lastAnswer).end()
    })
  })
}

function refuseForRoom(request: IncomingMessage, response: ServerResponse, deps: Context): void {
  deps.counts.refused += 1
  addRefusal(request, 503, 'Too many bodies are waiting to be written', deps)
  refuse(request, response, 503, deps.lingerMs)
}

function addRefusal(
  request: IncomingMessage,
  status: number,
  reason: string,
  { refusals }: ServerDeps,
): void {
  const peer = request.socket.remoteAddress ?? ''
  refusals.add({ status, reason, peer, start: startOf(request) })
}

function joined(record: UnwrittenRecord): CaptureRecord {
  const { body } = record
  return { ...record, body: body instanceof Uint8Array ? body : Buffer.concat(body) }
}

const anyAnswer = { 'Content-Length': '0' }
const lastAnswer = { 'Content-Length': '0', Connection: 'close' }

/**
 * Responds while the rest of the body is arriving. The connection closes when the sender ends or
 * after a delay, because an earlier close would reset the connection and lose the response.
 */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  lingerMs: number,
): void {
  response.writeHead(status, lastAnswer)
  if (request.complete) {
    response.end()
    return
  }
  response.flushHeaders()
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, lingerMs)
  request.once('end', end)
  request.once('close', end)
  request.resume()
}
