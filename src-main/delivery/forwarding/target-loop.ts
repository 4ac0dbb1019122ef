/**
 * Sends the waiting deliveries of one target. Only the queue in the database knows which wait, and
 * which of an account is first; the loop knows which are being sent, and whether the target is
 * down.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type ForwardQueue, type Waiting, maxWaitMs } from '../store/forward-queue.ts'
import type { ForwardLog } from '../store/forward-log.ts'
import type { StoredRule, StoredTarget } from '../store/forward-rules.ts'
import type { SentAnswer } from '../sender/sender.ts'
import { type Attempter, backoff, resultOf, retryAfter } from './attempt.ts'
import type { GroupCommit } from './group-commit.ts'

type LoopContext = {
  readonly queue: ForwardQueue
  readonly commit: GroupCommit['commit']
  readonly attempt: Attempter
  readonly request: ForwardLog['request']
  /** Every capture that arrived before this moment has been queued for the rule. Microseconds. */
  readonly horizon: (rule: number) => number
  /** Microseconds, for records. */
  readonly now: () => number
  /** Milliseconds of the system’s clock, for planning. */
  readonly wallNow: () => number
  readonly random: () => number
  /** An attempt failed or was refused by the guard. */
  readonly onFailed: (rule: StoredRule, target: number) => void
  readonly onTrouble: (problem: unknown) => void
  readonly onChanged: (capture: number) => void
}

type LoopHealth = {
  readonly isDown: boolean
  /** Microseconds; null while nothing waits, or nothing may be sent there. */
  readonly nextTryAt: number | null
  /** Of the last accepted deliveries; null while there are none. */
  readonly medianUs: number | null
  readonly lastProblem: string | null
}

export type TargetLoop = {
  wake(): void
  hurry(): void
  guardChanged(): void
  health(): LoopHealth
  isSending(delivery: number): boolean
  /** Sends nothing more; resolves when nothing is under way. */
  stop(): Promise<void>
}

const maxAtOnce = 32
/** After this many refusals in a row the target is considered down. */
const illAfter = 5
/**
 * A target that the guard refuses is checked again after this long: its name may lead elsewhere by
 * then.
 */
const barredMs = 60_000
/** A target that answers with refusals is tried more often than one that is not reachable. */
const maxIllMs = 30_000
const unreadableMs = 1_000
const keptDurations = 51
/** Of each answer, this much is stored. */
const keepBytes = 16 * 1024
/** Deliveries are held back for no longer, since the index may have stopped. */
const maxHeldMs = 60_000
/**
 * The queue is read again no earlier than the first and no later than the second, since the
 * system’s clock may be set.
 */
const [minSleepMs, maxSleepMs] = [20, 10_000]
/** When the app ends, requests under way have this long to complete. */
const stopMs = 700

/** @param rule the current one; undefined while no rule uses the target */
export function startTargetLoop(
  target: StoredTarget,
  rule: () => StoredRule | undefined,
  context: LoopContext,
): TargetLoop {
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
  /** The guard refuses the target until the user changes something. */
  let isBarred = false
  let isReachable = true
  let answeredAt = -Infinity
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined

  /** Several calls in one turn of the event loop read the queue once. */
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

  /** While a target is down, one delivery at a time finds out whether it is back. */
  const free = () => (isDown ? Number(sending.size === 0) : maxAtOnce - sending.size)

  // A probe that seems further away than the longest wait was planned before the clock was set
  // back.
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

  /**
   * The lane stays busy until the outcome is on disk, so that a kill repeats only what was under
   * way.
   */
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
      const answer = await context.attempt(row, request, by, target, options)
      // Nobody knows whether the request arrived: it is sent again after the next start, under the
      // same id.
      if (answer.failure === 'aborted') return
      if (answer.failure === 'refused' || answer.failure === 'unconfirmed') await bar(by, answer)
      else await record(row, by, answer, sentAt, isProbe)
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

  /** The guard refused the request, so it does not count as an attempt. */
  async function bar(by: StoredRule, { at, problem }: SentAnswer): Promise<void> {
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
    answer: SentAnswer,
    sentAt: number,
    isProbe: boolean,
  ): Promise<void> {
    const result = resultOf(answer)
    const { state } = result
    const wasDown = isDown
    isBarred = false
    lastProblem = result.problem
    // If the target answered other requests meanwhile, only this delivery is slow.
    const isTargetDown = result.isDown && !(answer.failure === 'timeout' && answeredAt > sentAt)
    if (answer.status !== null) answeredAt = wallNow()
    if (state === 'failed') noteFailure(answer, isTargetDown, isProbe)
    else noteAnswered(state === 'delivered')
    if (state === 'delivered') {
      durations.push(answer.durationUs)
      if (durations.length > keptDurations) durations.shift()
    }
    const waitMs = Math.max(backoff(row.attempts + 1, context.random()), retryAfter(answer))
    const outcome = {
      state,
      nextAt: state === 'failed' ? Math.round((wallNow() + waitMs) * 1000) : 0,
      // Deliveries without an account have no order, so the others need not wait for this one.
      ...(state === 'failed' && !isTargetDown && row.lane === '' && { lane: `#${row.capture}` }),
    }
    const { at, status: lastStatus } = answer
    const targetNow = { at, isAttempt: true, isDown, lastStatus, lastProblem }
    await commit(() => {
      if (wasDown && !targetNow.isDown) queue.hurry(target.id)
      queue.finish({ id: row.id, target: target.id }, outcome, answer, targetNow, now())
    })
    if (state === 'failed') context.onFailed(by, target.id)
  }

  /** @param isAccepted else the target refused the delivery for good, so it is reachable */
  function noteAnswered(isAccepted: boolean): void {
    if (isAccepted) refusals = 0
    else if (refusals >= illAfter) return
    isReachable = true
    isDown = false
  }

  function noteFailure(answer: SentAnswer, isTargetDown: boolean, isProbe: boolean): void {
    // A target that is reachable again may refuse only this delivery.
    refusals = !isTargetDown && !isReachable && isProbe ? 1 : refusals + 1
    if (isTargetDown) isReachable = false
    else if (isProbe) isReachable = true
    if (!isTargetDown && refusals < illAfter) {
      isDown = false
      return
    }
    // The target is known to be down; this request was begun before.
    if (isDown && !isProbe) return
    probes = isDown ? probes + 1 : 1
    isDown = true
    const maxMs = isReachable ? maxIllMs : maxWaitMs
    probeAt = wallNow() + Math.max(backoff(probes, context.random(), maxMs), retryAfter(answer))
  }

  return {
    wake,
    hurry() {
      probeAt = 0
      queue.hurry(target.id)
      wake()
    },
    guardChanged() {
      if (!isBarred) return
      probeAt = 0
      wake()
    },
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
    isSending: (delivery) => [...sending.values()].includes(delivery),
    async stop() {
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
