import type { ForwardLog } from '../../store/forwarding/forward-log.ts'
import type { Outcome, Waiting } from '../../store/forwarding/forward-queue.ts'
import type { StoredTarget } from '../../store/forwarding/forward-rules.ts'
import { deliveryHeader } from '../send/request-headers.ts'
import type { Sender, SentAnswer } from '../send/sender.ts'
import { defaultKeepBytes } from '../send/sender.ts'
import { deliveryId } from './delivery-id.ts'
import type { Journal } from './journal.ts'
import { backoff, judge, mostMs, retryAfter } from './judge.ts'
import type { Lanes } from './lanes.ts'

/** What of its rule a target is sent to by; read anew for each try. */
export type LineRule = {
  readonly enabled: boolean
  readonly keepHost: boolean
  readonly appendPath: boolean
  readonly timeoutSeconds: number
  readonly giveUpHours: number | null
}

export type LineDeps = {
  readonly target: StoredTarget
  readonly rule: () => LineRule
  readonly lanes: Lanes
  readonly install: string
  readonly send: Sender['send']
  readonly request: ForwardLog['request']
  readonly subpathOf: (target: string) => string
  readonly journal: Journal
  /** Milliseconds since the epoch, but not set with the clock: waits hold, however that jumps. */
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** After a try in vain: what has waited for too long may go. */
  readonly onFailed: () => void
  readonly onChanged: (capture: number) => void
}

export type LineHealth = {
  readonly isDown: boolean
  /** Milliseconds; null while nothing waits. */
  readonly nextTryAt: number | null
  readonly medianUs: number | null
  readonly lastProblem: string | null
}

/** The way to one target: so many at a time, none while it is down but one that finds out. */
export type Line = {
  /** What may be sent may have changed. */
  pump(): void
  /** All that waits is tried now. */
  hurry(): void
  health(): LineHealth
  isSending(delivery: number): boolean
  /** Sends nothing more; resolves when nothing is under way. */
  stop(): Promise<void>
}

/** Under way to a target at a time. */
const mostAtOnce = 32
/** So many refusals in a row say that the target is ill, not what it is sent. */
const illAfter = 5
/** A target that answers, though with refusals, is asked more often than one that is not there. */
const mostIllMs = 30_000
const keptDurations = 51
/** Of an answer so much is kept with a delivery: there are as many as captures. */
const keepBytes = Math.min(defaultKeepBytes, 16 * 1024)

export function createLine(deps: LineDeps): Line {
  const { target, lanes, now, journal } = deps
  const sending = new Set<number>()
  const durations: number[] = []
  let downSince = target.downSince
  let lastProblem = target.lastProblem
  let refusals = 0
  let probes = 0
  let probeAt = 0
  let isProbing = false
  let isReachable = true
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  const stopping = new AbortController()
  const idle = Promise.withResolvers<undefined>()

  function pump(): void {
    clearTimeout(timer)
    if (isStopped || !deps.rule().enabled) return
    if (downSince === null) {
      while (sending.size < mostAtOnce) {
        const row = lanes.take(now())
        if (row === null) break
        void sendOne(row)
      }
    } else if (!isProbing && sending.size === 0 && probeAt <= now()) {
      const row = lanes.takeAny()
      if (row !== null) {
        isProbing = true
        void sendOne(row)
      }
    }
    wait()
  }

  /** Comes back when the next turn is due. */
  function wait(): void {
    const turn = nextTry()
    if (turn === null || isProbing || sending.size >= mostAtOnce) return
    if (downSince !== null && sending.size > 0) return
    timer = setTimeout(pump, Math.min(mostMs, Math.max(1, turn - now())))
  }

  function nextTry(): number | null {
    const turn = lanes.nextTurn()
    if (turn === null) return null
    return downSince === null ? turn : probeAt
  }

  async function sendOne(row: Waiting): Promise<void> {
    sending.add(row.id)
    const request = deps.request(row.capture)
    if (request === null) {
      journal.add({ gone: row.id, onWritten: () => end(row, () => lanes.done(row, now())) })
      return
    }
    deps.onChanged(row.capture)
    const { timeoutSeconds, keepHost, appendPath } = deps.rule()
    const id = deliveryId(deps.install, { ...row, target: target.id })
    const answer = await deps.send(request, target.url, {
      timeoutMs: timeoutSeconds * 1000,
      keepHost,
      subpath: appendPath ? deps.subpathOf(request.target) : null,
      extraHeaders: [[deliveryHeader, id]],
      keepBytes,
      signal: stopping.signal,
    })
    // Whether it arrived is not known: it is sent again after the next start, under the same id.
    if (answer.failure === 'aborted') {
      end(row, () => undefined)
      return
    }
    remember(row, answer)
  }

  function remember(row: Waiting, answer: SentAnswer): void {
    const { kind, isDown } = judge(answer)
    durations.push(answer.durationUs)
    if (durations.length > keptDurations) durations.shift()
    lastProblem =
      kind === 'delivered' ? null : (answer.problem ?? `It answered ${answer.status ?? '?'}.`)
    if (kind === 'failed') onFailure(isDown, answer)
    else onAnswered(kind === 'delivered')
    const nextAt = Math.max(
      now() + backoff(row.attempts + 1, deps.random()),
      now() + retryAfter(answer),
    )
    const outcome: Outcome = {
      delivery: row.id,
      target: target.id,
      state: kind,
      attempt: answer,
      nextAt: kind === 'failed' ? Math.round(nextAt * 1000) : 0,
    }
    journal.add({
      outcome,
      target: {
        target: target.id,
        lastStatus: answer.status,
        lastProblem,
        lastTriedAt: answer.at,
        downSince,
      },
      onWritten() {
        end(row, () => {
          if (kind !== 'failed') lanes.done(row, now())
          // Of a target that has come back meanwhile, all that waits is tried at once.
          else lanes.again(row, nextAt)
        })
        deps.onChanged(row.capture)
        if (kind === 'failed') deps.onFailed()
      },
    })
  }

  function end(row: Waiting, release: () => void): void {
    sending.delete(row.id)
    release()
    if (isStopped && sending.size === 0) idle.resolve(undefined)
    pump()
  }

  /** @param isFine what was sent was taken; else it was refused for good, which says that somebody is there */
  function onAnswered(isFine: boolean): void {
    isProbing = false
    if (isFine) refusals = 0
    else if (refusals >= illAfter) return
    isReachable = true
    if (downSince === null) return
    downSince = null
    probes = 0
    lanes.hurry(now())
  }

  function onFailure(isDown: boolean, answer: SentAnswer): void {
    const wasProbe = isProbing
    isProbing = false
    refusals += 1
    if (!isDown && !isReachable && wasProbe) {
      // It is there again, and refuses this one: perhaps only this one.
      isReachable = true
      refusals = 1
    }
    if (isDown) isReachable = false
    if (!isDown && refusals < illAfter) {
      if (downSince === null) return
      downSince = null
      probes = 0
      lanes.hurry(now())
      return
    }
    if (downSince === null) {
      downSince = answer.at
      probes = 0
    } else if (!wasProbe) {
      // One of those that were under way when it went down.
      return
    }
    probes += 1
    const most = isReachable ? mostIllMs : mostMs
    probeAt = now() + Math.max(backoff(probes, deps.random(), most), retryAfter(answer))
  }

  return {
    pump,
    hurry() {
      probeAt = 0
      lanes.hurry(now())
      pump()
    },
    health: () => ({
      isDown: downSince !== null,
      nextTryAt: nextTry(),
      medianUs: medianOf(durations),
      lastProblem,
    }),
    isSending: (delivery) => sending.has(delivery),
    async stop() {
      isStopped = true
      clearTimeout(timer)
      if (sending.size === 0) return
      const patience = setTimeout(() => stopping.abort(), stopMs)
      await idle.promise
      clearTimeout(patience)
    },
  }
}

/** What is under way at the end may come to its own for so long. */
const stopMs = 700

function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}
