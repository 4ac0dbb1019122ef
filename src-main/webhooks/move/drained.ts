/** Whether the old webhook of a move has delivered what it has to. */
import { setImmediate } from 'node:timers/promises'
import type { Webhook } from '../../../src-preload/contract/webhook.ts'
import type { Moves } from '../store/moves.ts'
import { words } from './words.ts'

/** Accounts at a time: deliveries are written between two. */
const step = 2000

/** Accounts of the old webhook with an undelivered event, of what was last read of the two. */
export async function countUndelivered(
  moves: Pick<Moves, 'undelivered'>,
  keys: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<number> {
  let total = 0
  for (let after = ''; ;) {
    const counted = moves.undelivered(keys, after, step)
    if (counted === null) return total
    total += counted.count
    after = counted.last
    await setImmediate()
    signal.throwIfAborted()
  }
}

/**
 * Pure. Of events that are no account's the gateway tells one thing only: that the webhook's last
 * attempts have failed. One that is not online is not even tried.
 */
export function readDrained(
  { status, failedAttempts, endpoint }: Pick<Webhook, 'status' | 'failedAttempts' | 'endpoint'>,
  undelivered: number,
): { readonly isQuiet: true } | { readonly isQuiet: false; readonly problem: string } {
  if (status === 'offline' || status === 'suspended') {
    return { isQuiet: false, problem: words.notOnline(endpoint, status, undelivered) }
  }
  if (undelivered > 0 || (failedAttempts ?? 0) > 0) {
    return { isQuiet: false, problem: words.undelivered(endpoint, undelivered) }
  }
  return { isQuiet: true }
}
