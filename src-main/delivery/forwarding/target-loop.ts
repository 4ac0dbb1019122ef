/**
 * Sends the queued deliveries of one target. The database alone defines their order; the loop
 * tracks which deliveries are being sent and whether the target is offline.
 */
import timers from 'node:timers/promises'
import type { Waiting } from '../store/forward-queue.ts'
import type { ForwardLog } from '../store/forward-log.ts'
import type { StoredRule, StoredTarget } from '../store/forward-rules.ts'
import type { DeliveryResult } from '../targets/target-kind.ts'
import { type ForwardContext, retryPause } from './attempt.ts'
import { type Sent, createTargetHealth } from './target-health.ts'
import type { GroupCommit } from './group-commit.ts'

type LoopContext = Pick<ForwardContext, 'queue' | 'attempt' | 'now' | 'onChanged' | 'onTrouble'> & {
  readonly commit: GroupCommit['commit']
  readonly request: ForwardLog['request']
  /** The time in microseconds; captures that arrived before this time are already queued for the rule. */
  readonly horizon: (rule: number) => number
  /** The system’s clock in milliseconds, for planning attempts. */
  readonly wallNow: () => number
  readonly random: () => number
  readonly onFailed: (rule: StoredRule, target: number) => void
}

export type TargetLoop = ReturnType<typeof startTargetLoop>

const maxAtOnce = 32
const unreadableMs = 1_000
const keepBytes = 16 * 1024
/** Limits how long deliveries wait for the index, which may have stopped. */
const maxHeldMs = 60_000
/**
 * Minimum and maximum wait before the queue is read again. The maximum limits the effect of a
 * changed system clock.
 */
const [minSleepMs, maxSleepMs] = [20, 10_000]
/** Pending requests get this time to complete when the app ends. */
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
  const { queue, now, wallNow } = context
  const sending = new Map<string, number>()
  const startedAt = now()
  const stopping = new AbortController()
  const idle = Promise.withResolvers<undefined>()
  const health = createTargetHealth(target, wallNow, context.random)
  const attempt = createAttempts(target, health, context)
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined

  /** Several calls within one turn of the event loop read the queue once. */
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
        void deliver(row, current)
      }
      if (free() === 0) return
      const next = health.mustWait() ? health.probeAt() : nextAt()
      if (next === null) return
      timer = setTimeout(step, Math.min(maxSleepMs, Math.max(minSleepMs, next - wallNow())))
    } catch (error) {
      context.onTrouble(error)
      timer = setTimeout(step, unreadableMs)
    }
  }

  /** While a target is offline, one delivery at a time probes it. */
  const free = () => (health.isDown() ? Number(sending.size === 0) : maxAtOnce - sending.size)

  function nextAt(): number | null {
    const at = queue.nextAt(target.id, sending.values())
    return at === null ? null : at / 1000
  }

  function due(ruleId: number): Waiting[] {
    if (free() <= 0 || health.mustWait()) return []
    const isHeldLong = now() - startedAt > maxHeldMs * 1000
    const rows = queue.due(target.id, {
      wallNow: wallNow() * 1000,
      now: now(),
      isProbe: health.isDown(),
      arrivedBy: context.horizon(ruleId),
      heldSince: isHeldLong ? now() - maxHeldMs * 1000 : 0,
      limit: free() + sending.size,
    })
    return rows.filter(({ lane }) => !sending.has(lane)).slice(0, free())
  }

  /**
   * The account's queue stays busy until the result is on disk, so that after a kill only pending
   * requests are repeated.
   */
  async function deliver(row: Waiting, by: StoredRule): Promise<void> {
    try {
      await attempt(row, by, stopping.signal)
    } catch (error) {
      context.onTrouble(error)
      await timers
        .setTimeout(unreadableMs, undefined, { signal: stopping.signal })
        .catch(() => undefined)
    } finally {
      sending.delete(row.lane)
      if (isStopped && sending.size === 0) idle.resolve(undefined)
      wake()
    }
  }

  return {
    wake,
    hurry(): void {
      health.probeSoon()
      queue.hurry(target.id)
      wake()
    },
    guardChanged(): void {
      if (!health.isBarred()) return
      health.probeSoon()
      wake()
    },
    /** `nextTryAt` is in microseconds; null if nothing waits or nothing may be sent. */
    health() {
      const next = health.isBarred() ? null : nextAt()
      const earliest = Math.max(next ?? 0, health.probeAt(), wallNow())
      return {
        isDown: health.isDown(),
        nextTryAt: next === null ? null : Math.round(earliest * 1000),
        medianUs: health.medianUs(),
        lastProblem: health.lastProblem(),
      }
    },
    isSending: (delivery: number) => [...sending.values()].includes(delivery),
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      if (sending.size === 0) return
      const limit = setTimeout(() => stopping.abort(), stopMs)
      // Results that cannot be written, as on a full disk, do not delay the end; the next start
      // sends those deliveries again.
      const leave = new AbortController()
      const end = timers
        .setTimeout(stopMs * 3, undefined, { signal: leave.signal })
        .catch(() => undefined)
      await Promise.race([idle.promise, end])
      leave.abort()
      clearTimeout(limit)
    },
  }
}

/** Sends one delivery and stores the result. */
function createAttempts(
  target: StoredTarget,
  health: ReturnType<typeof createTargetHealth>,
  context: LoopContext,
) {
  const { queue, commit, now, wallNow } = context

  async function bar(by: StoredRule, { detail: { at }, problem }: DeliveryResult): Promise<void> {
    const isNews = health.bar(problem)
    const state = { at, isAttempt: false, isDown: true, lastStatus: null, lastProblem: problem }
    if (isNews) await commit(() => queue.setTarget(target.id, state))
    context.onFailed(by, target.id)
  }

  async function record(row: Waiting, by: StoredRule, sent: Sent): Promise<void> {
    const { outcome, retryAfterMs, problem: lastProblem, detail } = sent.result
    const state = queueStates[outcome]
    const wasDown = health.isDown()
    const isTargetDown = health.record(sent)
    const waitMs = Math.max(retryPause(row.attempts + 1, context.random()), retryAfterMs)
    const change = changeOf(row, state, isTargetDown, wallNow() + waitMs)
    const { at, status: lastStatus } = detail
    const targetNow = { at, isAttempt: true, isDown: health.isDown(), lastStatus, lastProblem }
    await commit(() => {
      if (wasDown && !targetNow.isDown) queue.hurry(target.id)
      queue.finish({ id: row.id, target: target.id }, change, detail, targetNow, now())
    })
    if (state === 'failed') context.onFailed(by, target.id)
  }

  return async (row: Waiting, by: StoredRule, signal: AbortSignal): Promise<void> => {
    const isProbe = health.isDown()
    const request = context.request(row.capture)
    if (request === null) {
      await commit(() => queue.remove(row.id, now()))
      return
    }
    context.onChanged(row.capture)
    const sentAt = wallNow()
    const result = await context.attempt(row, request, by, target, { keepBytes, signal })
    // An aborted request may have arrived, so the next start sends it again with the same id.
    if (result.cause === 'aborted') return
    if (result.cause === 'blocked') await bar(by, result)
    else await record(row, by, { result, sentAt, isProbe })
    context.onChanged(row.capture)
  }
}

function changeOf(
  { lane, capture }: Waiting,
  state: (typeof queueStates)[keyof typeof queueStates],
  isTargetDown: boolean,
  retryAtMs: number,
) {
  if (state !== 'failed') return { state, nextAt: 0 }
  const nextAt = Math.round(retryAtMs * 1000)
  // Deliveries without an account have no order, so a failed one does not block their queue.
  const isAlone = lane === '' && !isTargetDown
  return isAlone ? { state, nextAt, lane: `#${capture}` } : { state, nextAt }
}
