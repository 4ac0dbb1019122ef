import { randomBytes, timingSafeEqual } from 'node:crypto'

/** 128 bits: nobody guesses it, so knowing the URL is what entitles to deliver. */
const tokenBytes = 16
const prefix = '/hook/'
const hookLength = prefix.length + tokenBytes * 2

export function newReceiverToken(): string {
  return randomBytes(tokenBytes).toString('hex')
}

export function hookPath(token: string): string {
  return prefix + token
}

/** `http://host` and such before the path: what a client sends that takes us for its proxy (RFC 9112, 3.2.2). */
const schemeAndHost = /^https?:\/\/[^/?#]*/i

/** Where the path begins in a request target, of either form. */
function pathStart(target: string): number {
  return target.startsWith('/') ? 0 : (schemeAndHost.exec(target)?.[0].length ?? 0)
}

/** True for `/hook/<token>` itself and anything below it. Takes the same time for any wrong token. */
export function isHookTarget(target: string, expected: Buffer): boolean {
  const start = pathStart(target)
  const end = start + hookLength
  if (!target.startsWith(prefix, start) || target.length < end) return false
  const after = target.charAt(end)
  if (after !== '' && after !== '/' && after !== '?') return false
  const presented = Buffer.from(target.slice(start + prefix.length, end), 'latin1')
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}

/** What a captured target says below the receiver's own path. */
export function subpathOf(target: string): string {
  return target.slice(pathStart(target) + hookLength)
}
