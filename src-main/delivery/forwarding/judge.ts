/** What a try came to, and when to try again. Pure. */
import type { SentAnswer } from '../sender/sender.ts'

type Judged = {
  readonly kind: 'delivered' | 'dropped' | 'failed'
  /** True where it says more of the target than of what was sent: nothing else gets through either. */
  readonly isDown: boolean
}

/** Gone for good (RFC 9110, 15.5.11). */
const gone = 410
/** Overloaded, restarting, or only a proxy there. */
const downStatuses = [429, 502, 503, 504]

export function judge({ status, failure }: SentAnswer): Judged {
  if (failure === 'invalid') return { kind: 'dropped', isDown: false }
  if (status === null) return { kind: 'failed', isDown: true }
  // Its head is enough: what was acknowledged is not sent again, however the rest went.
  if (status >= 200 && status <= 299) return { kind: 'delivered', isDown: false }
  if (status === gone) return { kind: 'dropped', isDown: false }
  return { kind: 'failed', isDown: downStatuses.includes(status) }
}

const firstMs = 1_000
export const maxMs = 300_000

/**
 * Milliseconds until the next try.
 * @param failures so far, one at least
 * @param random from 0 to 1: what failed together is not tried again together
 */
export function backoff(failures: number, random: number, max = maxMs): number {
  const base = Math.min(max, firstMs * 2 ** Math.min(30, failures - 1))
  return Math.round(Math.min(max, base * (0.75 + random / 2)))
}

/** What the target asks for (RFC 9110, 10.2.3), in milliseconds and within bounds; 0 where it does not. */
export function retryAfter({ status, headers }: SentAnswer): number {
  if (status !== 429 && status !== 503) return 0
  const value = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1] ?? ''
  return /^\d{1,6}$/.test(value) ? Math.min(maxMs, Number(value) * 1000) : 0
}
