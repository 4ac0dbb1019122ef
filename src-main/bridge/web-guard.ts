/** Who may speak to browser mode's server, and what every answer of it carries. Pure. */
import type { IncomingMessage } from 'node:http'
import { contentSecurityPolicy } from './content-policy.ts'

export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/**
 * Another site's name can be made to resolve to 127.0.0.1 (DNS rebinding); its requests then still
 * carry that name in Host. Exactly one Host, and it must be ours.
 */
export function isOurHost(request: IncomingMessage, port: number): boolean {
  const sent = request.headersDistinct['host'] ?? []
  const [host] = sent
  return sent.length === 1 && host !== undefined && ourHosts(port).includes(host)
}

/**
 * A browser tells where a POST or a WebSocket comes from, and a page cannot change that. It must be
 * the very page this host serves; a program that sends none has no business here.
 */
export function isOurOrigin(request: IncomingMessage, port: number): boolean {
  const { host, origin } = request.headers
  return isOurHost(request, port) && origin === `http://${host ?? ''}`
}

/** The request's path as sent. Null for other forms of target, which only proxies have a use for. */
export function rawPath(request: IncomingMessage): string | null {
  const target = request.url ?? ''
  if (!target.startsWith('/')) return null
  return target.split('?', 1)[0] ?? null
}

function ourHosts(port: number): string[] {
  // A browser leaves HTTP's own port out.
  const end = port === 80 ? '' : `:${port}`
  return [`127.0.0.1${end}`, `localhost${end}`]
}
