import type { StoredAttempt } from '../store/forward-queue.ts'
import type { StoredDelivery } from '../store/forward-rows.ts'
import { type ComparedSide, statusLine } from '../replay/compare.ts'

/** The answer to a forwarded delivery, to be held against another. */
export function answerSide(delivery: StoredDelivery, attempt: StoredAttempt): ComparedSide {
  const { status, problem, headers, body, bodyBytes, at } = attempt
  return {
    kind: 'answer',
    title: `Capture ${delivery.capture} forwarded to ${delivery.url}`,
    at,
    firstLine: statusLine(status, problem),
    headers: headers.map(([name, value]) => [name, value]),
    body,
    bodyBytes,
  }
}
