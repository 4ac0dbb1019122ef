import { randomBytes, timingSafeEqual } from 'node:crypto'

/** 128 bits cannot be guessed, so the URL itself authorizes deliveries. */
const tokenBytes = 16
const prefix = '/hook/'
const hookLength = prefix.length + tokenBytes * 2

export const newReceiverToken = (): string => randomBytes(tokenBytes).toString('hex')

export const hookPath = (token: string): string => prefix + token

/** Clients that treat the receiver as a proxy send `http://host` before the path (RFC 9112, 3.2.2). */
const schemeAndHost = /^https?:\/\/[^/?#]*/i

const pathStart = (target: string): number =>
  target.startsWith('/') ? 0 : (schemeAndHost.exec(target)?.[0].length ?? 0)

/** True for `/hook/<token>` and anything below it. The comparison takes constant time. */
export function isHookTarget(target: string, expected: Buffer): boolean {
  const start = pathStart(target)
  const end = start + hookLength
  if (!target.startsWith(prefix, start) || target.length < end) return false
  const after = target.charAt(end)
  if (after !== '' && after !== '/' && after !== '?') return false
  const presented = Buffer.from(target.slice(start + prefix.length, end), 'latin1')
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}

export const subpathOf = (target: string): string => target.slice(pathStart(target) + hookLength)
