/**
 * Handles rules whose target determines the response to the gateway. The main thread chooses the
 * rules of a delivery (`createPassThrough`), and the send thread sends it (`passThrough`).
 */
import type { CaptureRecord } from '../../captures/store/capture-record.ts'
import type { Delivery, DeliveryFilter } from '../../captures/query/searched-capture.ts'
import type { NewDelivery } from '../store/forward-queue.ts'
import type { StoredRule } from '../store/forward-rules.ts'
import type { CompleteResponse } from '../../receiver/overridden-responses.ts'
import { endToEnd, wasForwarded } from '../sender/request-headers.ts'
import type { DeliveryResult } from '../targets/target-kind.ts'
import type { ForwardContext } from './attempt.ts'
import type { GroupCommit } from './group-commit.ts'
import { isForwardable, deliveryQueueOf } from './watcher.ts'

export type Passing = Omit<NewDelivery, 'target' | 'rule'> & { readonly rules: readonly number[] }

/**
 * The target's response. Without a response the status is 200 for a delivered capture, 504 after
 * the time limit, else 502.
 */
export type Passed = CompleteResponse

export type PassThrough = ReturnType<typeof createPassThrough>

/** Filters are compiled again after this time, because `received:today` means another day tomorrow. */
const filterAgeMs = 60_000
/** This time is added to the send thread's own limit, in case the thread is busy or has ended. */
const graceMs = 2_000
const maxAnswerBytes = 4 * 1024 * 1024
const keptBytes = 16 * 1024
const nothing = new Uint8Array(0)
const noAnswer = (status: number): Passed => ({ status, headers: [], body: nothing })

/** `readFilter` throws AppError QUERY_INVALID; `send` uses the send thread; `now` is in milliseconds. */
export function createPassThrough(
  rules: () => readonly StoredRule[],
  readFilter: (text: string) => DeliveryFilter,
  send: (passing: Passing) => Promise<Passed>,
  now: () => number,
) {
  let active: readonly { readonly rule: StoredRule; readonly filter: DeliveryFilter | null }[] = []
  let readAt = 0

  function reload(): void {
    readAt = now()
    active = rules().flatMap((rule) => {
      if (!rule.enabled || rule.mode !== 'through') return []
      try {
        return [{ rule, filter: rule.filter.trim() === '' ? null : readFilter(rule.filter) }]
      } catch {
        // The rule shows the problem of its filter; meanwhile the gateway gets 200.
        return []
      }
    })
  }

  async function pass(taking: typeof active, delivery: Delivery, capture: number): Promise<Passed> {
    const timer = Promise.withResolvers<Passed>()
    const limitMs = (taking[0]?.rule.timeoutSeconds ?? 0) * 1000 + graceMs
    const late = setTimeout(() => timer.resolve(noAnswer(504)), limitMs)
    const passed = send({
      capture,
      receivedAt: delivery.receivedAt,
      lane: deliveryQueueOf(delivery.account, delivery.lt),
      lt: delivery.lt,
      rules: taking.map(({ rule }) => rule.id),
    })
    try {
      return await Promise.race([passed, timer.promise])
    } finally {
      clearTimeout(late)
    }
  }

  return {
    reload,
    isActive: () => active.length > 0,
    /**
     * Called before the capture is written, only for deliveries without a response rule; must not
     * throw.
     * @returns null, or a function to call with the capture's id once the capture is on disk; if
     * that function rejects, the response is 502
     */
    take(delivery: Delivery, record: CaptureRecord): ((capture: number) => Promise<Passed>) | null {
      if (now() - readAt > filterAgeMs) reload()
      if (!isForwardable({ ...delivery, status: record.status })) return null
      const taking = active.filter(({ filter }) => filter === null || filter(delivery))
      return taking.length === 0 ? null : (capture) => pass(taking, delivery, capture)
    },
  }
}

/** @returns the response for the gateway */
export async function passThrough(
  passing: Passing,
  rules: readonly StoredRule[],
  { log, queue, attempt, now, onChanged }: ForwardContext,
  commits: GroupCommit,
): Promise<Passed> {
  const request = log.request(passing.capture)
  if (request === null || wasForwarded(request.headers)) return noAnswer(502)
  const responses = rules
    .filter(({ id }) => passing.rules.includes(id))
    .flatMap((rule) => rule.targets.map((target) => ({ rule, target })))
    .map(async ({ rule, target }) => {
      const options = rule.fullAnswer ? { keepBytes: maxAnswerBytes } : {}
      const result = await attempt(passing, request, rule, target, options)
      const { detail, outcome, problem: lastProblem } = result
      const { at, status: lastStatus } = detail
      const body = detail.body.subarray(0, keptBytes)
      const isCut = detail.isCut || body.byteLength < detail.body.byteLength
      const delivery = { ...passing, target: target.id, rule: rule.id }
      const passed = outcome === 'delivered' ? outcome : 'dropped'
      void commits
        .commit(() => {
          const isDown = outcome === 'down'
          const targetState = { at, isAttempt: true, isDown, lastStatus, lastProblem }
          queue.addPassed(delivery, passed, { ...detail, body, isCut }, targetState, now())
        })
        .then(() => onChanged(passing.capture))
      return handedOn(result, rule.fullAnswer)
    })
  return (await responses[0]) ?? noAnswer(502)
}

/** Uses the statuses of a proxy (RFC 9110, 15.6.3 and 15.6.5). */
function handedOn({ outcome, cause, detail }: DeliveryResult, isFull: boolean): Passed {
  const { status, headers, body, isCut } = detail
  const withoutResponse = noAnswer(cause === 'timeout' ? 504 : 502)
  if (status === null) return outcome === 'delivered' ? noAnswer(200) : withoutResponse
  if (status < 200 || status > 599) return noAnswer(502)
  if (!isFull) return noAnswer(status)
  // The status alone would not show that the response is incomplete.
  if (isCut) return withoutResponse
  return { status, headers: endToEnd(headers), body }
}
