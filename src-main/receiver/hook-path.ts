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

/** True for `/hook/<token>` itself and anything below it. Takes the same time for any wrong token. */
export function isHookTarget(target: string, expected: Buffer): boolean {
  if (!target.startsWith(prefix) || target.length < hookLength) return false
  const after = target.charAt(hookLength)
  if (after !== '' && after !== '/' && after !== '?') return false
  const presented = Buffer.from(target.slice(prefix.length, hookLength), 'latin1')
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}

/** What a captured target says below the receiver's own path. */
export function subpathOf(target: string): string {
  return target.slice(hookLength)
}
