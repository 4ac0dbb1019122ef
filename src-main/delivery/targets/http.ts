import { maxWaitMs } from '../store/forward-queue.ts'
import { type TargetResponse, createHttpSender } from '../sender/sender.ts'
import type { DeliveryResult, TargetKind } from './target-kind.ts'

export const httpTargets: TargetKind = {
  handles: (url) => /^https?:/i.test(url),
  open(guard) {
    const sender = createHttpSender(guard)
    return {
      ...sender,
      send: async (request, url, options) => resultOf(await sender.send(request, url, options)),
    }
  },
}

/** RFC 9110, 15.5.11: the target wants no more requests. */
const gone = 410
/** Statuses of a target that is overloaded, restarting, or behind a proxy that cannot reach it. */
const downStatuses = [429, 502, 503, 504]

export function resultOf({ failure, ...detail }: TargetResponse): DeliveryResult {
  const { status, problem } = detail
  const outcome = outcomeOf(status, failure)
  return {
    outcome,
    cause: causeOf(failure),
    hasResponded: status !== null,
    problem:
      outcome === 'delivered' ? null : (problem ?? `The target responded ${status ?? 'nothing'}.`),
    retryAfterMs: retryAfter(detail),
    detail,
  }
}

function outcomeOf(
  status: number | null,
  failure: TargetResponse['failure'],
): DeliveryResult['outcome'] {
  if (failure === 'invalid') return 'refused'
  if (status === null) return 'down'
  // The status alone decides: an acknowledged delivery is not sent again, even if its body broke off.
  if (status >= 200 && status <= 299) return 'delivered'
  if (status === gone) return 'refused'
  return downStatuses.includes(status) ? 'down' : 'failed'
}

function causeOf(failure: TargetResponse['failure']): DeliveryResult['cause'] {
  if (failure === 'aborted' || failure === 'timeout') return failure
  return failure === 'refused' || failure === 'unconfirmed' ? 'blocked' : null
}

/** Parses `Retry-After` (RFC 9110, 10.2.3) and limits it. */
function retryAfter({ status, headers }: DeliveryResult['detail']): number {
  if (status !== 429 && status !== 503) return 0
  const value = headers.find(([name]) => name.toLowerCase() === 'retry-after')?.[1] ?? ''
  return /^\d{1,6}$/.test(value) ? Math.min(maxWaitMs, Number(value) * 1000) : 0
}
