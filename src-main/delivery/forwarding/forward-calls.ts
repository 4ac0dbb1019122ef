import type { ForwardDelivery, ForwardRule } from '../../../src-preload/contract/forward.ts'
import { forwardCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { StoredAttempt } from '../store/forward-queue.ts'
import type { StoredDelivery } from '../store/forward-rows.ts'
import type { StoredRule } from '../store/forward-rules.ts'
import { type ComparedSide, statusLine } from '../replay/compare.ts'
import { toTargetResponse } from '../replay/sending-view.ts'
import { type ForwardContext, deliveryId, readDeliveryId } from './attempt.ts'
import type { Forwarder } from './forwarder.ts'

const maxRules = 100

export function createForwardCalls(context: ForwardContext, forwarder: Forwarder) {
  const { rules, rows, queue, now, onChanged } = context

  function list(): ForwardRule[] {
    const all = rules.list()
    return all.map((rule) => forwarder.view(rule, all))
  }

  function existing(id: number): StoredRule {
    const rule = rules.list().find((each) => each.id === id)
    if (rule !== undefined) return rule
    throw new AppError(forwardCodes.ruleUnknown, 'This forwarding rule no longer exists.')
  }

  const viewOf = (id: number) => forwarder.view(existing(id), rules.list())

  const { toDelivery, findRow, find } = createDeliveryViews(context, forwarder)
  const one = (id: string) => toDelivery(find(id))

  const calls = {
    'forwardRule.list': list,
    async 'forwardRule.save'({ id, ...fields }) {
      const before = id === null ? null : existing(id)
      if (before === null && rules.list().length >= maxRules) {
        throw new AppError(forwardCodes.ruleUnknown, `The maximum is ${maxRules} rules.`)
      }
      context.readFilter(fields.filter, fields.mode === 'through' ? 'arrival' : 'indexed')
      const targets = await Promise.all(fields.targets.map((url) => context.guard.demand(url)))
      const urls = targets.map(({ url }) => url)
      const saved = rules.save(id, { ...fields, targets: urls }, now())
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
      rules.remove(id, now())
      forwarder.reload()
      return { waiting: targets.reduce((sum, { waiting }) => sum + waiting, 0) }
    },
    'forwardRule.retryNow'({ id }) {
      for (const target of existing(id).targets) forwarder.loop(target.id)?.hurry()
      return viewOf(id)
    },
    'forward.ofCapture'({ id }) {
      return rows.ofCapture(id).map((row) => ({
        ...toDelivery(row),
        tries: rows
          .attempts(row.id)
          .map(({ at, ...attempt }) => ({ at, answer: toTargetResponse(attempt) })),
      }))
    },
    'forward.list'(requested) {
      const found = rows.list({ ...requested, limit: requested.limit + 1 })
      const shown = found.slice(0, requested.limit)
      return {
        deliveries: shown.map(toDelivery),
        nextBefore: found.length > requested.limit ? (shown.at(-1)?.id ?? null) : null,
      }
    },
    'forward.drop'({ deliveryId: id }) {
      const row = find(id)
      queue.drop(row.id, now())
      forwarder.loop(row.target)?.wake()
      onChanged(row.capture)
      return one(id)
    },
    'forward.retry'({ deliveryId: id }) {
      const row = find(id)
      if (!rules.list().some(({ targets }) => targets.some((each) => each.id === row.target))) {
        throw new AppError(
          forwardCodes.ruleUnknown,
          `No forwarding rule sends to ${row.url}. Replay the capture to send it there.`,
        )
      }
      queue.requeue(row.id, now())
      forwarder.loop(row.target)?.wake()
      onChanged(row.capture)
      return one(id)
    },
  } satisfies Partial<Handlers>

  const answerSide = (id: string): ComparedSide | null => {
    const row = findRow(id)
    const attempt = row === null ? undefined : rows.attempts(row.id)[0]
    return row === null || attempt === undefined ? null : responseSide(row, attempt)
  }

  return { calls, list, answerSide }
}

function createDeliveryViews({ rows, install }: ForwardContext, forwarder: Forwarder) {
  function toDelivery(row: StoredDelivery): ForwardDelivery {
    const isWaiting = row.state === 'waiting' || row.state === 'failed'
    const isSending = isWaiting && forwarder.loop(row.target)?.isSending(row.id) === true
    const told = isWaiting && !isSending ? whyItWaits(row) : null
    const { id, receivedAt, target, url, lane, nextAt, isEnabled, ...shown } = row
    const dropped = 'The delivery was dropped before it was sent.'
    const whyDropped = () => rows.lastProblem(row.id) ?? dropped
    return {
      ...shown,
      deliveryId: deliveryId(install, row),
      target: url,
      state: isSending ? 'sending' : row.state === 'failed' ? 'waiting' : row.state,
      why: told?.why ?? (row.state === 'dropped' ? whyDropped() : null),
      nextTryAt: told?.nextTryAt ?? null,
    }
  }

  function whyItWaits(row: StoredDelivery) {
    const later = (why: string, nextTryAt: number | null = null) => ({ why, nextTryAt })
    if (!row.isEnabled) return later('The forwarding rule is turned off.')
    const health = forwarder.loop(row.target)?.health()
    if (health === undefined) return later('Forwarding is not running.')
    if (health.isDown) {
      // The target's last problem may belong to another delivery.
      const last = health.lastProblem === null ? '' : ` Last problem: ${health.lastProblem}`
      return later(`Waiting for the target, which is down.${last}`, health.nextTryAt)
    }
    if (!rows.isFirst(row)) return later('Waiting for an earlier delivery of the same account.')
    if (row.attempts === 0) return later('About to be sent.')
    return later(rows.lastProblem(row.id) ?? 'The last attempt failed.', row.nextAt)
  }

  function findRow(id: string): StoredDelivery | null {
    const key = readDeliveryId(id)
    const row = key === null ? null : rows.find(key.capture, key.target)
    return row !== null && deliveryId(install, row) === id ? row : null
  }

  function find(id: string): StoredDelivery {
    const row = findRow(id)
    if (row !== null) return row
    throw new AppError(
      forwardCodes.deliveryUnknown,
      'This delivery no longer exists: its capture was deleted.',
    )
  }

  return { toDelivery, findRow, find }
}

function responseSide({ url, capture }: StoredDelivery, attempt: StoredAttempt): ComparedSide {
  const { status, problem, headers, body, bodyBytes, at } = attempt
  return {
    kind: 'answer',
    title: `Response of ${url} to capture ${capture}`,
    at,
    firstLine: statusLine(status, problem),
    headers: headers.map(([name, value]) => [name, value]),
    body,
    bodyBytes,
  }
}

const notifyEveryMs = 250
/** If more captures changed, the event says only that many changed. */
const maxNamed = 200

/** Emits at most four times a second; `onCaptures` gets null if too many captures changed. */
export function createForwardNotifier(
  list: () => ForwardRule[],
  onRules: (rules: readonly ForwardRule[]) => void,
  onCaptures: (captures: readonly number[] | null) => void,
  onTrouble: (error: unknown) => void,
) {
  const captures = new Set<number | null>()
  let timer: NodeJS.Timeout | undefined

  function notify(): void {
    timer = undefined
    const changed = [...captures].filter((capture) => capture !== null)
    const isMany = captures.has(null) || changed.length > maxNamed
    captures.clear()
    onCaptures(isMany ? null : changed)
    // An error must be handled here, because otherwise a damaged database would end the thread.
    try {
      onRules(list())
    } catch (error) {
      onTrouble(error)
    }
  }

  return {
    changed(capture: number | null): void {
      captures.add(capture)
      timer ??= setTimeout(notify, notifyEveryMs)
    },
    stop: () => clearTimeout(timer),
  }
}
