/**
 * Sends the queued deliveries of one target. The database alone defines their order; the loop knows
 * which are under way, and whether the target is down.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Waiting, maxWaitMs } from '../store/forward-queue.ts'
import type { ForwardLog } from '../store/forward-log.ts'
import type { StoredRule, StoredTarget } from '../store/forward-rules.ts'
import type { DeliveryResult } from '../targets/target-kind.ts'
import { type ForwardContext, backoff } from './attempt.ts'
import type { GroupCommit } from './group-commit.ts'

type LoopContext = Pick<ForwardContext, 'queue' | 'attempt' | 'now' | 'onChanged' | 'onTrouble'> & {
  readonly commit: GroupCommit['commit']
  readonly request: ForwardLog['request']
  /** Microseconds; captures that arrived earlier are already queued for the rule. */
  readonly horizon: (rule: number) => number
  /** Milliseconds of the system’s clock, for planning attempts. */
  readonly wallNow: () => number
  readonly random: () => number
  readonly onFailed: (rule: StoredRule, target: number) => void
}

export type TargetLoop = ReturnType<typeof startTargetLoop>

const maxAtOnce = 32
/** After this many refusals in a row the target counts as down. */
const illAfter = 5
/**
 * The guard checks a refused target again after this time, since its name may resolve elsewhere by
 * then.
 */
const barredMs = 60_000
/** A target that responds with refusals is probed more often than an unreachable one. */
const maxIllMs = 30_000
const unreadableMs = 1_000
const keptDurations = 51
const keepBytes = 16 * 1024
/** Limits how long deliveries wait for the index, which may have stopped. */
const maxHeldMs = 60_000
/**
 * Bounds of the wait before the queue is read again. The upper one covers a change of the system’s
 * clock.
 */
const [minSleepMs, maxSleepMs] = [20, 10_000]
/** Requests under way get this time to complete when the app ends. */
const stopMs = 700

const queueStates = {
  delivered: 'delivered',
  refused: 'dropped',
  failed: 'failed',
  down: 'failed',
} as const

export function startTargetLoop(
  target: StoredTarget,
  rule: () => StoredRule | undefined,
  context: LoopContext,
) {
  const { queue, commit, now, wallNow } = context
  const sending = new Map<string, number>()
  const durations: number[] = []
  const startedAt = now()
  const stopping = new AbortController()
  const idle = Promise.withResolvers<undefined>()
  let isDown = target.downSince !== null
  let lastProblem = target.lastProblem
  let refusals = 0
  let probes = 0
  let probeAt = 0
  let isBarred = false
  let isReachable = true
  let answeredAt = -Infinity
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined

  /** Calls within one turn of the event loop read the queue once. */
  function wake(): void {
    turn ??= setImmediate(step)
  }

  function step(): void {
    turn = undefined
    clearTimeout(timer)
    const current = rule()
    if (isStopped || current?.enabled !== true) return
    try {
      for (const row of due(current.id)) {
        sending.set(row.lane, row.id)
        void deliver(row, current, isDown)
      }
      if (free() === 0) return
      const next = isDown && !isProbeDue() ? probeAt : nextAt()
      if (next === null) return
      timer = setTimeout(step, Math.min(maxSleepMs, Math.max(minSleepMs, next - wallNow())))
    } catch (error) {
      context.onTrouble(error)
      timer = setTimeout(step, unreadableMs)
    }
  }

  /** While a target is down, one delivery at a time probes it. */
  const free = () => (isDown ? Number(sending.size === 0) : maxAtOnce - sending.size)

  // A probe planned beyond the maximum wait dates from before the clock was set back.
  const isProbeDue = () => probeAt <= wallNow() || probeAt > wallNow() + maxWaitMs

  function nextAt(): number | null {
    const at = queue.nextAt(target.id, sending.values())
    return at === null ? null : at / 1000
  }

  function due(ruleId: number): Waiting[] {
    if (free() <= 0 || (isDown && !isProbeDue())) return []
    const isHeldLong = now() - startedAt > maxHeldMs * 1000
    const rows = queue.due(target.id, {
      wallNow: wallNow() * 1000,
      now: now(),
      isProbe: isDown,
      arrivedBy: context.horizon(ruleId),
      heldSince: isHeldLong ? now() - maxHeldMs * 1000 : 0,
      limit: free() + sending.size,
    })
    return rows.filter(({ lane }) => !sending.has(lane)).slice(0, free())
  }

  /** The account's queue stays busy until the outcome is on disk, so that a kill repeats only requests under way. */
  async function deliver(row: Waiting, by: StoredRule, isProbe: boolean): Promise<void> {
    try {
      const request = context.request(row.capture)
      if (request === null) {
        await commit(() => queue.remove(row.id, now()))
        return
      }
      context.onChanged(row.capture)
      const sentAt = wallNow()
      const options = { keepBytes, signal: stopping.signal }
      const result = await context.attempt(row, request, by, target, options)
      // An aborted request may have arrived, so the next start sends it again under the same id.
      if (result.cause === 'aborted') return
      if (result.cause === 'blocked') await bar(by, result)
      else await record(row, by, result, sentAt, isProbe)
      context.onChanged(row.capture)
    } catch (error) {
      context.onTrouble(error)
      await pause(unreadableMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    } finally {
      sending.delete(row.lane)
      if (isStopped && sending.size === 0) idle.resolve(undefined)
      wake()
    }
  }

  /** A request that the guard refused does not count as an attempt. */
  async function bar(by: StoredRule, { detail: { at }, problem }: DeliveryResult): Promise<void> {
    const isNews = !isBarred || lastProblem !== problem
    isBarred = true
    isDown = true
    lastProblem = problem
    probeAt = wallNow() + barredMs
    const state = { at, isAttempt: false, isDown, lastStatus: null, lastProblem }
    if (isNews) await commit(() => queue.setTarget(target.id, state))
    context.onFailed(by, target.id)
  }

  async function record(
    row: Waiting,
    by: StoredRule,
    result: DeliveryResult,
    sentAt: number,
    isProbe: boolean,
  ): Promise<void> {
    const { outcome, detail } = result
    const state = queueStates[outcome]
    const wasDown = isDown
    isBarred = false
    lastProblem = result.problem
    // If the target responded to other requests meanwhile, only this delivery is slow.
    const isSlow = result.cause === 'timeout' && answeredAt > sentAt
    const isTargetDown = outcome === 'down' && !isSlow
    if (result.hasResponded) answeredAt = wallNow()
    if (state === 'failed') noteFailure(result, isTargetDown, isProbe)
    else noteAnswered(state === 'delivered')
    if (state === 'delivered') {
      durations.push(detail.durationUs)
      if (durations.length > keptDurations) durations.shift()
    }
    const waitMs = Math.max(backoff(row.attempts + 1, context.random()), result.retryAfterMs)
    const change = {
      state,
      nextAt: state === 'failed' ? Math.round((wallNow() + waitMs) * 1000) : 0,
      // Deliveries without an account have no order, so a failed one leaves their queue.
      ...(state === 'failed' && !isTargetDown && row.lane === '' && { lane: `#${row.capture}` }),
    }
    const { at, status: lastStatus } = detail
    const targetNow = { at, isAttempt: true, isDown, lastStatus, lastProblem }
    await commit(() => {
      if (wasDown && !targetNow.isDown) queue.hurry(target.id)
      queue.finish({ id: row.id, target: target.id }, change, detail, targetNow, now())
    })
    if (state === 'failed') context.onFailed(by, target.id)
  }

  function noteAnswered(isAccepted: boolean): void {
    if (isAccepted) refusals = 0
    else if (refusals >= illAfter) return
    isReachable = true
    isDown = false
  }

  function noteFailure(result: DeliveryResult, isTargetDown: boolean, isProbe: boolean): void {
    // A refused probe of an unreachable target starts the count again: it may refuse only this
    // delivery.
    refusals = !isTargetDown && !isReachable && isProbe ? 1 : refusals + 1
    if (isTargetDown) isReachable = false
    else if (isProbe) isReachable = true
    if (!isTargetDown && refusals < illAfter) {
      isDown = false
      return
    }
    // This request began before the target was known to be down.
    if (isDown && !isProbe) return
    probes = isDown ? probes + 1 : 1
    isDown = true
    const maxMs = isReachable ? maxIllMs : maxWaitMs
    probeAt = wallNow() + Math.max(backoff(probes, context.random(), maxMs), result.retryAfterMs)
  }

  return {
    wake,
    hurry(): void {
      probeAt = 0
      queue.hurry(target.id)
      wake()
    },
    guardChanged(): void {
      if (!isBarred) return
      probeAt = 0
      wake()
    },
    /** `nextTryAt` is in microseconds; null if nothing waits or sending is not allowed. */
    health() {
      const next = isBarred ? null : nextAt()
      const earliest = Math.max(next ?? 0, isDown ? probeAt : 0, wallNow())
      return {
        isDown,
        nextTryAt: next === null ? null : Math.round(earliest * 1000),
        medianUs: medianOf(durations),
        lastProblem,
      }
    },
    isSending: (delivery: number) => [...sending.values()].includes(delivery),
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      if (sending.size === 0) return
      const limit = setTimeout(() => stopping.abort(), stopMs)
      // Outcomes that cannot be written, as on a full disk, are sent again after the next start.
      const leave = new AbortController()
      const end = pause(stopMs * 3, undefined, { signal: leave.signal }).catch(() => undefined)
      await Promise.race([idle.promise, end])
      leave.abort()
      clearTimeout(limit)
    },
  }
}

function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}
