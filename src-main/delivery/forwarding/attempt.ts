/** One attempt to send a capture: its id, its result, and when the next one follows. */
import type { ForwardedRequest } from '../store/forward-log.ts'
import type { StoredRule, StoredTarget } from '../store/forward-rules.ts'
import { maxWaitMs } from '../store/forward-queue.ts'
import { deliveryHeader } from '../sender/request-headers.ts'
import type { Sender, SentAnswer } from '../sender/sender.ts'

type DeliveryKey = {
  readonly target: number
  readonly capture: number
  readonly receivedAt: number
}

/**
 * `X-Tondesk-Delivery`: the same in each attempt of one capture at one target. The moment of
 * arrival is part of it, since a restored backup gives ids of captures out again.
 */
export function deliveryId(install: string, { target, capture, receivedAt }: DeliveryKey): string {
  return `${install}-${target}-${capture}-${receivedAt.toString(36)}`
}

export function readDeliveryId(id: string): { target: number; capture: number } | null {
  const [, target, capture] = /^[0-9a-f]+-(\d{1,15})-(\d{1,15})-[0-9a-z]+$/.exec(id) ?? []
  if (target === undefined || capture === undefined) return null
  return { target: Number(target), capture: Number(capture) }
}

export type Attempter = (
  delivery: { readonly capture: number; readonly receivedAt: number },
  request: ForwardedRequest,
  rule: StoredRule,
  target: StoredTarget,
  options: { readonly keepBytes?: number; readonly signal?: AbortSignal },
) => Promise<SentAnswer>

export function createAttempter(
  install: string,
  send: Sender['send'],
  subpathOf: (target: string) => string,
): Attempter {
  return (delivery, request, rule, target, options) =>
    send(request, target.url, {
      timeoutMs: rule.timeoutSeconds * 1000,
      keepHost: rule.keepHost,
      subpath: rule.appendPath ? subpathOf(request.target) : null,
      extraHeaders: [[deliveryHeader, deliveryId(install, { ...delivery, target: target.id })]],
      ...options,
    })
}

type AttemptResult = {
  readonly state: 'delivered' | 'dropped' | 'failed'
  /** True where the target itself is at fault: nothing else gets through either. */
  readonly isDown: boolean
  readonly problem: string | null
}

/** Gone for good (RFC 9110, 15.5.11). */
const gone = 410
/** Overloaded, restarting, or only a proxy there. */
const downStatuses = [429, 502, 503, 504]

export function resultOf({ status, failure, problem }: SentAnswer): AttemptResult {
  const because = problem ?? `It answered ${status ?? '?'}.`
  if (failure === 'invalid') return { state: 'dropped', isDown: false, problem: because }
  if (status === null) return { state: 'failed', isDown: true, problem: because }
  // The status is enough: what was acknowledged is not sent again, even if the body broke off.
  if (status >= 200 && status <= 299) return { state: 'delivered', isDown: false, problem: null }
  if (status === gone) return { state: 'dropped', isDown: false, problem: because }
  return { state: 'failed', isDown: downStatuses.includes(status), problem: because }
}

const firstMs = 1_000

/**
 * Milliseconds until the next attempt.
 * @param failures so far, at least one
 * @param random from 0 to 1, so that deliveries that failed together are not retried together
 */
export function backoff(failures: number, random: number, maxMs = maxWaitMs): number {
  const base = Math.min(maxMs, firstMs * 2 ** Math.min(30, failures - 1))
  return Math.round(Math.min(maxMs, base * (0.75 + random / 2)))
}

/** `Retry-After` (RFC 9110, 10.2.3) in milliseconds, limited; 0 where there is none. */
export function retryAfter({ status, headers }: SentAnswer): number {
  if (status !== 429 && status !== 503) return 0
  const value = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1] ?? ''
  return /^\d{1,6}$/.test(value) ? Math.min(maxWaitMs, Number(value) * 1000) : 0
}
