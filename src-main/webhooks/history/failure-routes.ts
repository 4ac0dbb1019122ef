import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { FailureSummary, HistoryStep } from '../../../src-preload/contract/failure.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { CaptureCounts, CountedOf } from '../../captures/store/captures.ts'
import type { Steps, WebhookStep } from '../store/failure-history.ts'
import { withLabels } from '../base-room.ts'
import type { Room } from '../room.ts'
import type { WebhookRecord } from '../store/webhooks.ts'

type Received = { received: number; refused: number }

const minuteMs = 60_000
const settledMs = 5 * minuteMs
const maxKept = 10_000
const currentShown = 50
const slowestShown = 10

const startOf = ({ from, width }: Steps, step: number) => (from + step * width) * minuteMs

type FailureRoutesDeps = Room<'labelsOf' | 'now' | 'store'> & {
  readonly captures: CaptureCounts
  readonly everySeconds: () => number
}

export function createFailureRoutes(deps: FailureRoutesDeps) {
  const { store, now } = deps
  const { failureHistory: history, webhooks } = store
  const countReceived = createReceivedCounts(deps.captures, now)

  /** An outage is recorded when the counters are read; its first attempt in the log was before. */
  function firstAttempt(key: number, recordedAt: number): number {
    const from = recordedAt - 2 * deps.everySeconds() * 1000
    const logs = store.samplerRecords.logs(key, from, recordedAt, maxKept)
    return logs.reduce((first, { at }) => Math.min(first, at), recordedAt)
  }

  function slowest({ key, network }: WebhookRecord) {
    const requested = { key, network, text: null, only: 'behind' } as const
    const page = { offset: 0, limit: slowestShown }
    const { rows } = store.subscriptionRows.page(requested, { by: 'lag', descending: true }, page)
    return rows.flatMap(({ account, lag }) => (lag === null ? [] : [{ account, lag }]))
  }

  function summarize(record: WebhookRecord): FailureSummary {
    const { key, network, id: webhook } = record
    const current = store.streaks.current(key, currentShown)
    const named = <R extends { account: string | null }>(rows: readonly R[]) =>
      withLabels(deps, network, rows)
    return {
      since: history.since(key),
      failing: store.subscriptions.countFailing(key),
      began: current[0] === undefined ? null : firstAttempt(key, current[0].from),
      current: named(current).map((streak) => ({ ...streak, webhook })),
      slowest: named(slowest(record)),
    }
  }

  function ofAccount(key: number, id: number, steps: Steps, sampled: readonly WebhookStep[]) {
    const found = new Map(history.ofAccount(id, steps).map((each) => [each.step, each]))
    const span = { from: startOf(steps, 0), to: startOf(steps, steps.count) }
    const requested = { key, subscription: id, ...span }
    const streaks = store.streaks.page(requested, 'newest', { offset: 0, limit: 10_000 }, now())
    return sampled.map(({ step, status }): WebhookStep => {
      const [from, to] = [startOf(steps, step), startOf(steps, step + 1)]
      const isFailing = streaks.some(
        (streak) => streak.from < to && (streak.to === null || streak.to >= from),
      )
      const { failedAttempts = 0, lag = null } = found.get(step) ?? {}
      return { step, status, failedAttempts, lag, failing: Number(isFailing) }
    })
  }

  return {
    async 'failure.history'({ network, webhook, account, from, to, steps: maxSteps }) {
      const steps = history.steps({ from, to }, maxSteps, deps.everySeconds())
      const records = webhook === null ? webhooks.all(network) : [webhooks.get(network, webhook)]
      const known = records.filter((record) => record !== null)
      const keys = known.map(({ key }) => key)
      const tokenIds = known.flatMap(({ tokenId }) => tokenId ?? [])
      const received = await countReceived(account === null ? { tokenIds } : { account }, steps)
      let found = history.ofWebhooks(keys, steps)
      if (account !== null) {
        const [key = 0] = keys
        const id = store.subscriptionRows.idOf(key, account)
        found = id === null ? [] : ofAccount(key, id, steps, found)
      }
      const rows = new Map(found.map((each) => [each.step, each]))
      const usages = account === null ? history.ofUsage(network, steps) : []
      const usage = new Map(usages.map((each) => [each.step, each]))
      return {
        milliseconds: steps.width * minuteMs,
        steps: received.map((counted, step): HistoryStep => {
          const row = rows.get(step)
          return {
            startsAt: startOf(steps, step),
            failedAttempts: row?.failedAttempts ?? null,
            failing: row?.failing ?? null,
            delivered: usage.get(step)?.delivered ?? null,
            failed: usage.get(step)?.failed ?? null,
            ...counted,
            status: row?.status ?? null,
            lag: row?.lag ?? null,
          }
        }),
      }
    },
    'failure.summary'({ network, webhook }) {
      const record = webhooks.get(network, webhook)
      return record === null ? noFailures : summarize(record)
    },
    'failure.streaks'({ network, webhook, account, from, to, sort, offset, limit }) {
      const key = webhooks.get(network, webhook)?.key ?? 0
      const subscription = account === null ? null : store.subscriptionRows.idOf(key, account)
      if (account !== null && subscription === null) return { total: 0, streaks: [], next: null }
      const requested = { key, subscription, from, to }
      const page = store.streaks.page(requested, sort, { offset, limit }, now())
      const streaks = withLabels(deps, network, page).map((streak) => ({ ...streak, webhook }))
      const total = store.streaks.count(requested)
      const end = offset + streaks.length
      return { total, streaks, next: end < total ? end : null }
    },
  } satisfies Partial<Handlers>
}

const noFailures: FailureSummary = {
  since: null,
  failing: 0,
  began: null,
  current: [],
  slowest: [],
}

/** Counts captures per step, and caches the counts of past steps. */
function createReceivedCounts(captures: CaptureCounts, now: () => number) {
  const kept = new Map<string, Received>()

  return async (of: CountedOf, steps: Steps): Promise<Received[]> => {
    const keyOf = (step: number) => `${JSON.stringify(of)} ${steps.width} ${startOf(steps, step)}`
    const known = Array.from({ length: steps.count }, (_, step) => kept.get(keyOf(step)))
    const first = known.indexOf(undefined)
    if (first === -1) return known.flatMap((each) => each ?? [])
    const counted = known.map((each, step) =>
      each === undefined || step >= first ? { received: 0, refused: 0 } : each,
    )
    for (const ids of captures.slices(of, startOf(steps, first), startOf(steps, steps.count))) {
      for (const { at, isTaken } of captures.among(of, ids)) {
        const step = Math.floor((at / minuteMs - steps.from) / steps.width)
        const count = step < first ? undefined : counted[step]
        if (count !== undefined) count[isTaken ? 'received' : 'refused'] += 1
      }
      await yieldToEventLoop()
    }
    if (kept.size > maxKept) kept.clear()
    for (const [step, each] of counted.entries()) {
      if (startOf(steps, step + 1) < now() - settledMs) kept.set(keyOf(step), each)
    }
    return counted
  }
}
