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
 * The `X-Tondesk-Delivery` header, the same in each attempt of one capture at one target. The arrival
 * time is part of the id, since a restored backup assigns capture ids again.
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
  /** True if the target itself fails, so that other deliveries would fail too. */
  readonly isDown: boolean
  readonly problem: string | null
}

/** RFC 9110, 15.5.11: the target wants no further requests. */
const gone = 410
/** Statuses of a target that is overloaded, restarting, or behind a proxy that cannot reach it. */
const downStatuses = [429, 502, 503, 504]

export function resultOf({ status, failure, problem }: SentAnswer): AttemptResult {
  const because = problem ?? `It answered ${status ?? '?'}.`
  if (failure === 'invalid') return { state: 'dropped', isDown: false, problem: because }
  if (status === null) return { state: 'failed', isDown: true, problem: because }
  // The status alone decides: an acknowledged delivery is not sent again, even if the body broke off.
  if (status >= 200 && status <= 299) return { state: 'delivered', isDown: false, problem: null }
  if (status === gone) return { state: 'dropped', isDown: false, problem: because }
  return { state: 'failed', isDown: downStatuses.includes(status), problem: because }
}

const firstMs = 1_000

/** Returns milliseconds; `random`, from 0 to 1, spreads the retries of deliveries that failed together. */
export function backoff(failures: number, random: number, maxMs = maxWaitMs): number {
  const base = Math.min(maxMs, firstMs * 2 ** Math.min(30, failures - 1))
  return Math.round(Math.min(maxMs, base * (0.75 + random / 2)))
}

/** Returns `Retry-After` (RFC 9110, 10.2.3) in milliseconds, limited; 0 without the header. */
export function retryAfter({ status, headers }: SentAnswer): number {
  if (status !== 429 && status !== 503) return 0
  const value = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1] ?? ''
  return /^\d{1,6}$/.test(value) ? Math.min(maxWaitMs, Number(value) * 1000) : 0
}
