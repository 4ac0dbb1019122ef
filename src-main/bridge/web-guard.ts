import type { IncomingMessage } from 'node:http'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { lookupTable } from '../../src-preload/domain/lookup-table.ts'

export const contentTypes: Readonly<Record<string, string>> = lookupTable({
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
})

/**
 * The page may load and run only its own scripts, styles, fonts and requests. Every host that serves
 * the page sends this header.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

export const securityHeaders: Readonly<Record<string, string>> = lookupTable({
  'Content-Security-Policy': contentSecurityPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
})

/**
 * DNS rebinding can make another site's name resolve to 127.0.0.1. The browser still sends that name
 * in Host, so exactly one Host header is accepted, and it must name this server.
 */
export function isOurHost(request: IncomingMessage, port: number): boolean {
  const sent = request.headersDistinct['host'] ?? []
  const [host] = sent
  return sent.length === 1 && host !== undefined && ourHosts(port).includes(host)
}

/**
 * A browser sends the origin of a POST or a WebSocket, and a page cannot change it. A request without
 * an origin is refused.
 */
export function isOurOrigin(request: IncomingMessage, port: number): boolean {
  const { host, origin } = request.headers
  return isOurHost(request, port) && origin === `http://${host ?? ''}`
}

/** Null for the absolute and authority forms of a target, which only proxies use. */
export function rawPath(request: IncomingMessage): string | null {
  const target = request.url ?? ''
  if (!target.startsWith('/')) return null
  return target.split('?', 1)[0] ?? null
}

function ourHosts(port: number): string[] {
  // A browser omits HTTP's default port.
  const end = port === 80 ? '' : `:${port}`
  return [`127.0.0.1${end}`, `localhost${end}`]
}

export type WebSessions = ReturnType<typeof createWebSessions>

const startLivesMs = 10 * 60 * 1000
/** Beyond these limits, the session that was unused longest and the oldest start token are dropped. */
const maxSessions = 256
const maxStarts = 256

/** Digests of the sessions' secrets as base64url, stored so that sessions survive a crash of the process. */
export type StoredSessions = {
  readonly earlier?: readonly string[]
  readonly onAdded?: (digests: string[]) => void
}

type StartToken = { readonly digest: Buffer; readonly expiresAt: number }

/**
 * Threat model: every program and web page on this computer can reach the port, but only a tab opened
 * with a start URL may send requests. A start token works once and for ten minutes, so a token found
 * later in a history is useless. Only digests are stored.
 */
export function createWebSessions(now: () => number = Date.now, kept: StoredSessions = {}) {
  let starts: StartToken[] = []
  let sessions: Buffer[] = (kept.earlier ?? []).map((each) => Buffer.from(each, 'base64url'))

  return {
    mintStart(): string {
      const start = randomBytes(16).toString('base64url')
      starts = starts.filter(({ expiresAt }) => expiresAt > now()).slice(-maxStarts + 1)
      starts.push({ digest: digest(start), expiresAt: now() + startLivesMs })
      return start
    },
    /** @returns a tab's secret; null if the token is unknown, used or too old */
    exchange(start: string): string | null {
      const wanted = digest(start)
      const found = starts.find((each) => timingSafeEqual(each.digest, wanted))
      if (!found) return null
      starts = starts.filter((each) => each !== found)
      if (found.expiresAt <= now()) return null
      const session = randomBytes(32).toString('base64url')
      sessions = [...sessions.slice(-maxSessions + 1), digest(session)]
      kept.onAdded?.(sessions.map((each) => each.toString('base64url')))
      return session
    },
    isKnown(session: string): boolean {
      const wanted = digest(session)
      const found = sessions.find((each) => timingSafeEqual(each, wanted))
      if (!found) return false
      sessions = [...sessions.filter((each) => each !== found), found]
      return true
    },
  }
}

/** Digests have equal length, which `timingSafeEqual` needs. */
const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest()
