import { setTimeout as pause } from 'node:timers/promises'
import type { ForwardLog } from '../store/forward-log.ts'
import type { Outcome, Waiting } from '../store/forward-queue.ts'
import type { StoredTarget } from '../store/forward-rules.ts'
import { deliveryHeader } from '../sender/request-headers.ts'
import { type Sender, type SentAnswer, defaultKeepBytes } from '../sender/sender.ts'
import { deliveryId } from './delivery-id.ts'
import type { Journal } from './journal.ts'
import { backoff, judge, maxMs, retryAfter } from './judge.ts'
import type { Lanes } from './ordered-queues.ts'

/** What of its rule a target is sent to by; read anew for each try. */
type LineRule = {
  readonly enabled: boolean
  readonly keepHost: boolean
  readonly appendPath: boolean
  readonly timeoutSeconds: number
  readonly giveUpHours: number | null
}

type LineDeps = {
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
  /** After a try in vain, or one that may not be made: what has waited for too long may go. */
  readonly onFailed: () => void
  /** What was to be sent could not be read. It is tried again. */
  readonly onTrouble: (problem: unknown) => void
  readonly onChanged: (capture: number) => void
}

type LineHealth = {
  readonly isDown: boolean
  /** Milliseconds; null while nothing waits, or nothing may be sent there. */
  readonly nextTryAt: number | null
  /** Of the last deliveries that the target accepted; null while it has accepted none. */
  readonly medianUs: number | null
  readonly lastProblem: string | null
}

/** The way to one target: so many at a time, none while it is down but one that finds out. */
export type Line = {
  /** What may be sent may have changed. */
  pump(): void
  /** All that waits is tried now. */
  hurry(): void
  /** Who may be sent to has changed. */
  guardChanged(): void
  health(): LineHealth
  isSending(delivery: number): boolean
  /** Sends nothing more; resolves when nothing is under way. */
  stop(): Promise<void>
}

/** Under way to a target at a time. */
const maxAtOnce = 32
/** So many refusals in a row say that the target is ill, not what it is sent. */
const illAfter = 5
/** Where nothing may be sent is looked at again after this long: its name may lead elsewhere by then. */
const barredMs = 60_000
const unreadableMs = 1_000
/** A target that answers, though with refusals, is asked more often than one that is not there. */
const maxIllMs = 30_000
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
  /** Nothing may be sent there, as long as a person does not change that. */
  let isBarred = false
  let answeredAt = -Infinity
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
      while (sending.size < maxAtOnce) {
        const row = lanes.take(now())
        if (row === null) break
        send(row)
      }
    } else if (!isProbing && sending.size === 0 && probeAt <= now()) {
      const row = lanes.takeAny(now())
      if (row !== null) {
        isProbing = true
        send(row)
      }
    }
    wait()
  }

  /** Comes back when the next turn is due. */
  function wait(): void {
    const turn = nextTry()
    if (turn === null || isProbing || sending.size >= maxAtOnce) return
    if (downSince !== null && sending.size > 0) return
    timer = setTimeout(pump, Math.min(maxMs, Math.max(1, turn - now())))
  }

  function nextTry(): number | null {
    const isDown = downSince !== null
    const turn = lanes.nextTurn(isDown)
    return turn === null || !isDown ? turn : Math.max(turn, probeAt)
  }

  function send(row: Waiting): void {
    sending.add(row.id)
    sendOne(row).catch((error: unknown) => {
      deps.onTrouble(error)
      isProbing = false
      end(row, () => lanes.putBack(row, now() + unreadableMs))
    })
  }

  async function sendOne(row: Waiting): Promise<void> {
    const request = deps.request(row.capture)
    if (request === null) {
      isProbing = false
      journal.add({ gone: row.id, onWritten: () => end(row, () => lanes.done(row, now())) })
      return
    }
    deps.onChanged(row.capture)
    const { timeoutSeconds, keepHost, appendPath } = deps.rule()
    const id = deliveryId(deps.install, { ...row, target: target.id })
    const startedAt = now()
    const answer = await deps.send(request, target.url, {
      timeoutMs: timeoutSeconds * 1000,
      keepHost,
      subpath: appendPath ? deps.subpathOf(request.target) : null,
      extraHeaders: [[deliveryHeader, id]],
      keepBytes,
      signal: stopping.signal,
    })
    // Whether it arrived is not known: it is sent again after the next start, under the same id.
    if (answer.failure === 'aborted') end(row, () => undefined)
    else if (answer.failure === 'refused' || answer.failure === 'unconfirmed') bar(row, answer)
    else remember(row, answer, startedAt)
  }

  /** Nothing was sent, so it is no try: all waits for whoever can change that. */
  function bar(row: Waiting, { at, problem }: SentAnswer): void {
    const isNews = !isBarred || lastProblem !== problem
    isProbing = false
    isBarred = true
    downSince ??= at
    lastProblem = problem
    probeAt = now() + barredMs
    if (isNews) {
      const state = { lastStatus: null, lastProblem, lastTriedAt: null, downSince }
      const onWritten = () => deps.onChanged(row.capture)
      journal.add({ target: { target: target.id, ...state }, onWritten })
    }
    end(row, () => lanes.putBack(row, 0))
    deps.onFailed()
  }

  function remember(row: Waiting, answer: SentAnswer, startedAt: number): void {
    const judged = judge(answer)
    const { kind } = judged
    // Others were answered meanwhile: it is this one that takes so long.
    const isDown = judged.isDown && !(answer.failure === 'timeout' && answeredAt > startedAt)
    isBarred = false
    if (answer.status !== null) {
      answeredAt = now()
    }
    if (kind === 'delivered') {
      durations.push(answer.durationUs)
      if (durations.length > keptDurations) durations.shift()
    }
    lastProblem =
      kind === 'delivered' ? null : (answer.problem ?? `It answered ${answer.status ?? '?'}.`)
    if (kind === 'failed') onFailure(isDown, answer)
    else onAnswered(kind === 'delivered')
    const nextAt = Math.max(
      now() + backoff(row.attempts + 1, deps.random()),
      now() + retryAfter(answer),
    )
    // Where nothing has an order, those behind it need not wait for what is refused.
    const aside = kind === 'failed' && !isDown && row.lane === '' ? `#${row.capture}` : null
    const outcome: Outcome = {
      delivery: row.id,
      target: target.id,
      state: kind,
      attempt: answer,
      nextAt: kind === 'failed' ? Math.round(nextAt * 1000) : 0,
      ...(aside !== null && { lane: aside }),
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
          else if (aside !== null) lanes.stepAside(row, aside, nextAt)
          else lanes.again(row, nextAt, wasThere(answer))
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
    const most = isReachable ? maxIllMs : maxMs
    probeAt = now() + Math.max(backoff(probes, deps.random(), most), retryAfter(answer))
  }

  return {
    pump,
    hurry() {
      probeAt = 0
      lanes.hurry(now())
      pump()
    },
    guardChanged() {
      if (!isBarred) return
      probeAt = 0
      pump()
    },
    health: () => ({
      isDown: downSince !== null,
      nextTryAt: isBarred ? null : nextTry(),
      medianUs: medianOf(durations),
      lastProblem,
    }),
    isSending: (delivery) => sending.has(delivery),
    async stop() {
      isStopped = true
      clearTimeout(timer)
      if (sending.size === 0) return
      const backoff = setTimeout(() => stopping.abort(), stopMs)
      // What cannot be written down, as on a full disk, is sent again after the next start.
      const leave = new AbortController()
      const limit = pause(stopMs * 3, undefined, { signal: leave.signal }).catch(() => undefined)
      await Promise.race([idle.promise, limit])
      leave.abort()
      clearTimeout(backoff)
    },
  }
}

/** What is under way at the end may come to its own for so long. */
const stopMs = 700

/** It came to the target, and something of it may be why it failed. */
function wasThere({ status, failure }: SentAnswer): boolean {
  return status !== null || failure === 'broken' || failure === 'timeout' || failure === 'excess'
}

function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}
