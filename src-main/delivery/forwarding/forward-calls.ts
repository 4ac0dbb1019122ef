import type { ForwardDelivery, ForwardRule } from '../../../src-preload/contract/forward.ts'
import { forwardCodes, targetCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Output, Parsed, RouteName } from '../../../src-preload/contract/routes.ts'
import type { TargetAnswer } from '../../../src-preload/contract/target.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { ForwardQueue, StoredAttempt } from '../store/forward-queue.ts'
import type { ForwardRows, StoredDelivery } from '../store/forward-rows.ts'
import type { ForwardRules, StoredRule } from '../store/forward-rules.ts'
import { maskHeader } from '../../captures/mask.ts'
import type { Guard } from '../sender/guard.ts'
import { readTarget } from '../sender/target.ts'
import { type ComparedSide, statusLine } from '../replay/compare.ts'
import { deliveryId, readDeliveryId } from './attempt.ts'
import type { Forwarder } from './forwarder.ts'

type ForwardCallsDeps = {
  readonly forwarder: Forwarder
  readonly rules: ForwardRules
  readonly rows: ForwardRows
  readonly queue: Pick<ForwardQueue, 'drop' | 'requeue'>
  readonly guard: Pick<Guard, 'addresses'>
  readonly isConfirmed: (host: string) => boolean
  readonly install: string
  /** @throws AppError QUERY_INVALID, also for fields that do not exist yet at that stage */
  readonly checkFilter: (text: string, stage: 'arrival' | 'indexed') => void
  readonly onChanged: (capture: number | null) => void
  /** Microseconds. */
  readonly now: () => number
}

type ForwardCall = Extract<RouteName, `forwardRule.${string}` | `forward.${string}`>

type ForwardCalls = {
  [N in ForwardCall]: (question: Parsed<N>) => Output<N> | Promise<Output<N>>
}

const maxRules = 100

export function createForwardCalls(deps: ForwardCallsDeps) {
  const { forwarder, rules, rows, queue } = deps

  function list(): ForwardRule[] {
    const all = rules.list()
    return all.map((rule) => forwarder.view(rule, all))
  }

  function existing(id: number): StoredRule {
    const rule = rules.list().find((each) => each.id === id)
    if (rule !== undefined) return rule
    throw new AppError(forwardCodes.ruleUnknown, 'This rule is not there any more.')
  }

  function viewOf(id: number): ForwardRule {
    const all = rules.list()
    return forwarder.view(existing(id), all)
  }

  /** @throws AppError if the URL is refused or its host is not confirmed yet */
  async function checkTarget(url: string): Promise<string> {
    const target = readTarget(url)
    try {
      await deps.guard.addresses(target)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // A confirmed host stays valid while its name cannot be resolved.
      const isAway = error.code === targetCodes.unresolved && deps.isConfirmed(target.host)
      if (!isAway) {
        throw new AppError(error.code, error.message, { data: { url, host: target.host } })
      }
    }
    return target.url
  }

  function toDelivery(row: StoredDelivery, enabled: ReadonlySet<number>): ForwardDelivery {
    const isWaiting = row.state === 'waiting' || row.state === 'failed'
    const isSending = isWaiting && forwarder.loop(row.target)?.isSending(row.id) === true
    const told = isWaiting && !isSending ? whyItWaits(row, enabled) : null
    return {
      deliveryId: deliveryId(deps.install, row),
      capture: row.capture,
      rule: row.rule,
      ruleName: row.ruleName,
      target: row.url,
      mode: row.mode,
      state: isSending ? 'sending' : row.state === 'failed' ? 'waiting' : row.state,
      why: told?.why ?? (row.state === 'dropped' ? whyDropped(row) : null),
      attempts: row.attempts,
      nextTryAt: told?.nextTryAt ?? null,
      queuedAt: row.queuedAt,
      finishedAt: row.finishedAt,
    }
  }

  function whyItWaits(row: StoredDelivery, enabled: ReadonlySet<number>) {
    const later = (why: string, nextTryAt: number | null = null) => ({ why, nextTryAt })
    if (!enabled.has(row.rule)) return later('Its rule is off.')
    const health = forwarder.loop(row.target)?.health()
    if (health === undefined) return later('Nothing is sent at the moment.')
    if (health.isDown) {
      // The target's last problem may come from another delivery.
      const last = health.lastProblem === null ? '' : ` Its last problem: ${health.lastProblem}`
      return later(`Waiting for the target, which is down.${last}`, health.nextTryAt)
    }
    if (!rows.isFirst(row)) return later('Its turn is behind another of its account.')
    if (row.attempts === 0) return later('It is about to be sent.')
    return later(rows.lastProblem(row.id) ?? 'Its last try failed.', row.nextAt)
  }

  function whyDropped(row: StoredDelivery): string {
    return rows.lastProblem(row.id) ?? 'It was given up before it was sent.'
  }

  const enabledRules = () =>
    new Set(rules.list().flatMap(({ id, enabled }) => (enabled ? [id] : [])))

  function find(id: string): StoredDelivery {
    const key = readDeliveryId(id)
    const row = key === null ? null : rows.find(key.capture, key.target)
    if (row !== null && deliveryId(deps.install, row) === id) return row
    throw new AppError(
      forwardCodes.deliveryUnknown,
      'This delivery is not there any more: its capture was deleted.',
    )
  }

  function one(id: string): ForwardDelivery {
    return toDelivery(find(id), enabledRules())
  }

  const calls: ForwardCalls = {
    'forwardRule.list': list,
    async 'forwardRule.save'({ id, ...fields }) {
      const before = id === null ? null : existing(id)
      if (before === null && rules.list().length >= maxRules) {
        throw new AppError(forwardCodes.ruleUnknown, `At most ${maxRules} rules.`)
      }
      deps.checkFilter(fields.filter, fields.mode === 'through' ? 'arrival' : 'indexed')
      const targets = [...new Set(await Promise.all(fields.targets.map(checkTarget)))]
      const saved = rules.save(id, { ...fields, targets }, deps.now())
      forwarder.reload()
      return viewOf(saved)
    },
    'forwardRule.setEnabled'({ id, enabled }) {
      existing(id)
      rules.setEnabled(id, enabled)
      forwarder.reload()
      return viewOf(id)
    },
    'forwardRule.remove'({ id }) {
      const { targets } = existing(id)
      rules.remove(id, deps.now())
      forwarder.reload()
      return { waiting: targets.reduce((sum, { waiting }) => sum + waiting, 0) }
    },
    'forwardRule.retryNow'({ id }) {
      for (const target of existing(id).targets) forwarder.loop(target.id)?.hurry()
      return viewOf(id)
    },
    'forward.ofCapture'({ id }) {
      const enabled = enabledRules()
      return rows.ofCapture(id).map((row) => ({
        ...toDelivery(row, enabled),
        tries: rows.attempts(row.id).map((each) => ({ at: each.at, answer: toAnswer(each) })),
      }))
    },
    'forward.list'(asked) {
      const found = rows.list({ ...asked, limit: asked.limit + 1 })
      const shown = found.slice(0, asked.limit)
      const enabled = enabledRules()
      return {
        deliveries: shown.map((row) => toDelivery(row, enabled)),
        nextBefore: found.length > asked.limit ? (shown.at(-1)?.id ?? null) : null,
      }
    },
    'forward.drop'({ deliveryId: id }) {
      const row = find(id)
      queue.drop(row.id, deps.now())
      forwarder.loop(row.target)?.wake()
      deps.onChanged(row.capture)
      return one(id)
    },
    'forward.retry'({ deliveryId: id }) {
      const row = find(id)
      if (!rules.list().some(({ targets }) => targets.some((each) => each.id === row.target))) {
        throw new AppError(
          forwardCodes.ruleUnknown,
          `No rule sends to ${row.url} any more: replay the capture to send it there.`,
        )
      }
      queue.requeue(row.id, deps.now())
      forwarder.loop(row.target)?.wake()
      deps.onChanged(row.capture)
      return one(id)
    },
  }

  function answerSide(id: string): ComparedSide | null {
    const key = readDeliveryId(id)
    const row = key === null ? null : rows.find(key.capture, key.target)
    const attempt = row === null ? undefined : rows.attempts(row.id)[0]
    if (row === null || attempt === undefined) return null
    const { status, problem, headers, body, bodyBytes, at } = attempt
    return {
      kind: 'answer',
      title: `Capture ${row.capture} forwarded to ${row.url}`,
      at,
      firstLine: statusLine(status, problem),
      headers: headers.map(([name, value]) => [name, value]),
      body,
      bodyBytes,
    }
  }

  return { calls, list, answerSide }
}

function toAnswer(attempt: StoredAttempt): TargetAnswer {
  const { status, durationUs, headers, body, bodyBytes, isCut, problem } = attempt
  return {
    status,
    durationUs,
    // Secrets of the target, such as cookies, are masked like those of the gateway.
    headers: headers.map(([name, value]) => maskHeader([name, value])),
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64'),
    bodyBytes,
    isCut,
    problem,
  }
}

const notifyEveryMs = 250
/** Above this number of changed captures, the event says only that many changed. */
const maxNamed = 200

/** Emits at most four times a second; `onCaptures` gets null if too many captures changed. */
export function createForwardNotifier(
  list: () => ForwardRule[],
  onRules: (rules: readonly ForwardRule[]) => void,
  onCaptures: (captures: readonly number[] | null) => void,
) {
  let captures: Set<number> | null = new Set()
  let timer: NodeJS.Timeout | undefined

  function notify(): void {
    timer = undefined
    const changed = captures
    captures = new Set()
    if (changed === null || changed.size > 0) onCaptures(changed === null ? null : [...changed])
    onRules(list())
  }

  return {
    changed(capture: number | null): void {
      if (capture === null || captures === null) captures = null
      else if (captures.size < maxNamed) captures.add(capture)
      else captures = null
      timer ??= setTimeout(notify, notifyEveryMs)
    },
    stop(): void {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
