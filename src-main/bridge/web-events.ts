/**
 * Sends browser mode's events on one WebSocket per tab. Threat model: any page may open a WebSocket
 * to any port, so Host and Origin are checked before the handshake. The first message must be the
 * tab's secret, which a URL would put into logs. Unauthenticated sockets are limited in number and
 * time; a socket that does not read is closed.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import type { EventMessage } from '../../src-preload/contract/routes.ts'
import { isOurOrigin, rawPath, type WebSessions } from './web-guard.ts'

type WebEventsOptions = {
  readonly port: () => number
  readonly sessions: WebSessions
  readonly firstMessageMs?: number | undefined
  readonly unreadLimitBytes?: number | undefined
}

const closeCodes = { restart: 1012, end: 1001 } as const
const refused = 4401
const maxStrangers = 32
const pulseMs = 30_000

export function createWebEvents(options: WebEventsOptions) {
  const { port, sessions, firstMessageMs = 30_000, unreadLimitBytes = 4 * 1024 * 1024 } = options
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: 4096,
    perMessageDeflate: false,
  })
  const strangers = new Set<WebSocket>()
  const listeners = new Set<WebSocket>()

  function greet(socket: WebSocket): void {
    // The window sends its secret at once, so the socket that has been silent longest belongs to no window.
    const [silent] = strangers
    if (silent !== undefined && strangers.size >= maxStrangers) {
      strangers.delete(silent)
      silent.terminate()
    }
    strangers.add(socket)
    const timer = setTimeout(() => socket.close(refused), firstMessageMs)
    // After a malformed or too large frame ws itself closes the connection.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(timer)
      strangers.delete(socket)
      listeners.delete(socket)
    })
    socket.once('message', (data, isBinary) => {
      clearTimeout(timer)
      strangers.delete(socket)
      const session = isBinary ? null : readSession(data)
      if (session === null || !sessions.isKnown(session)) {
        socket.close(refused)
        return
      }
      listeners.add(socket)
      // The empty batch confirms the subscription: the page gets every event after this one.
      socket.send('[]')
      keepPulse(socket)
    })
  }

  return {
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
      if (rawPath(request) !== '/events' || !isOurOrigin(request, port())) {
        const refusal = 'HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'
        socket.end(refusal, () => socket.destroy())
        return
      }
      server.handleUpgrade(request, socket, head, greet)
    },
    send(messages: readonly EventMessage[]): void {
      if (messages.length === 0) return
      const text = JSON.stringify(messages)
      for (const socket of listeners) {
        if (socket.bufferedAmount > unreadLimitBytes) socket.terminate()
        else socket.send(text)
      }
    },
    close(why: keyof typeof closeCodes): void {
      for (const socket of [...strangers, ...listeners]) {
        socket.close(closeCodes[why])
        setTimeout(() => socket.terminate(), 1000).unref()
      }
    },
  }
}

function keepPulse(socket: WebSocket): void {
  let alive = true
  const pulse = setInterval(() => {
    if (!alive) {
      socket.terminate()
      return
    }
    alive = false
    socket.ping()
  }, pulseMs)
  pulse.unref()
  socket.on('pong', () => (alive = true))
  socket.once('close', () => clearInterval(pulse))
}

function readSession(data: RawData): string | null {
  try {
    const text = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer)
    return z.object({ session: z.string() }).parse(JSON.parse(text.toString('utf8'))).session
  } catch {
    return null
  }
}
