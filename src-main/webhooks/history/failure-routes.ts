import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { FailureSummary, HistoryStep, Streak } from '../../../src-preload/contract/failure.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type WebhookStatus, webhookStatus } from '../../../src-preload/contract/webhook.ts'
import type { CaptureCounts, CountedOf } from '../../captures/store/captures.ts'
import type { Steps, WebhookStep } from '../store/failure-history.ts'
import type { StreakRecord } from '../store/streaks.ts'
import type { Room } from '../room.ts'
import type { WebhookRecord } from '../store/webhooks.ts'

const minuteMs = 60_000

type Received = { received: number; refused: number }

const settledMs = 5 * minuteMs
const maxKept = 10_000

function createReceived(deps: { readonly counts: CaptureCounts; readonly now: () => number }) {
  const kept = new Map<string, Received>()

  return async function received(of: CountedOf, steps: Steps): Promise<Received[]> {
    const keyOf = (step: number) =>
      `${JSON.stringify(of)} ${steps.width} ${steps.from + step * steps.width}`
    const found = Array.from({ length: steps.count }, (_, step) => kept.get(keyOf(step)) ?? null)
    const first = found.indexOf(null)
    if (first === -1) return found.flatMap((each) => each ?? [])
    const counted = Array.from({ length: steps.count - first }, () => ({ received: 0, refused: 0 }))
    const from = (steps.from + first * steps.width) * minuteMs
    const widthMs = steps.width * minuteMs
    const range = deps.counts.range(from, from + counted.length * widthMs)
    let next = range?.first ?? null
    while (range !== null && next !== null) {
      const slice = deps.counts.slice(of, next, range.last)
      for (const { at, isTaken } of slice.captures) {
        const step = counted[Math.floor((at - from) / widthMs)]
        if (step !== undefined) step[isTaken ? 'received' : 'refused'] += 1
      }
      next = slice.next
      await yieldToEventLoop()
    }
    if (kept.size > maxKept) kept.clear()
    counted.forEach((each, index) => {
      const endsAt = from + (index + 1) * widthMs
      if (endsAt < deps.now() - settledMs) kept.set(keyOf(first + index), each)
    })
    return [...found.slice(0, first).flatMap((each) => each ?? []), ...counted]
  }
}

type FailureRoutes = Pick<Handlers, 'failure.history' | 'failure.summary' | 'failure.streaks'>

/** Ordered from best to worst. */
const ranks = webhookStatus.options
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const currentShown = 50
const worstShown = 10

export function createFailureRoutes(
  deps: Room<'labelsOf' | 'now' | 'store'> & {
    readonly captures: CaptureCounts
    readonly everySeconds: () => number
  },
): FailureRoutes {
  const { store, now } = deps
  const { failureHistory: history, webhooks } = store
  const received = createReceived({ ...deps, counts: deps.captures })

  const toStreak = (network: NetworkId, webhook: string, records: readonly StreakRecord[]) => {
    const names = deps.labelsOf(
      network,
      records.flatMap(({ account }) => account ?? []),
    )
    return records.map((record): Streak => ({
      webhook,
      label: (record.account !== null && names.get(record.account)) || null,
      ...record,
    }))
  }

  function ofWebhooks(webhooks: readonly { key: number }[], steps: Steps) {
    const found = new Map<number, WebhookStep>()
    for (const each of webhooks.flatMap(({ key }) => history.ofWebhook(key, steps))) {
      const other = found.get(each.step)
      found.set(each.step, other === undefined ? each : together(other, each))
    }
    return found
  }

  function ofAccount(key: number, id: number, steps: Steps) {
    const watched = ofWebhooks([{ key }], steps)
    const found = new Map(history.ofAccount(id, steps).map((each) => [each.step, each]))
    const span = {
      from: steps.from * minuteMs,
      to: (steps.from + steps.width * steps.count) * minuteMs,
    }
    const streaks = store.streaks.page(
      { key, subscription: id, ...span },
      'newest',
      { offset: 0, limit: 10_000 },
      now(),
    )
    return new Map(
      [...watched].map(([step, webhook]): [number, WebhookStep] => {
        const from = (steps.from + step * steps.width) * minuteMs
        const to = from + steps.width * minuteMs
        const isFailing = streaks.some(
          (streak) => streak.from < to && (streak.to === null || streak.to >= from),
        )
        const own = found.get(step)
        return [
          step,
          {
            step,
            failedAttempts: own?.failedAttempts ?? 0,
            failing: Number(isFailing),
            status: webhook.status,
            lag: own?.lag ?? null,
          },
        ]
      }),
    )
  }

  function sourcesOf(isAccount: boolean, tokensKnown: boolean): string[] {
    const every = deps.everySeconds()
    return [
      `Failed attempts and failing accounts: the gateway's counters, read here every ${every} seconds; what grew is shown at the moment it was read.`,
      ...(isAccount
        ? []
        : [
            'Delivered and failed: the usage figures of the key, which hold all of its webhooks together.',
          ]),
      tokensKnown
        ? `Received and refused: what this receiver has captured${isAccount ? ' of the account' : ' with the token of the webhook'}.`
        : 'Received is not known: no token is kept here by which deliveries could be told apart.',
    ]
  }

  async function worst(key: number, from: number, to: number) {
    const sums = new Map<number, number>()
    for (const hour of history.attemptsByAccount(key, from, to)) {
      for (const [id, attempts] of hour) sums.set(id, (sums.get(id) ?? 0) + attempts)
      await yieldToEventLoop()
    }
    const sorted = [...sums].filter(([, attempts]) => attempts > 0)
    return sorted.toSorted(([, one], [, other]) => other - one).slice(0, worstShown)
  }

  function slowest(record: WebhookRecord) {
    const asked = { key: record.key, network: record.network, text: null, only: 'behind' } as const
    const page = { offset: 0, limit: worstShown }
    return store.subscriptionRows.page(asked, { by: 'lag', descending: true }, page).rows
  }

  async function summarize(
    record: WebhookRecord,
    from: number,
    to: number,
  ): Promise<FailureSummary> {
    const { key, network, id } = record
    const at = now()
    const since = (ms: number) => history.attemptsSince(key, at - ms)
    const asked = { key, subscription: null, from, to }
    const [longest] = store.streaks.page(asked, 'longest', { offset: 0, limit: 1 }, at)
    const current = store.streaks.current(key, currentShown)
    const sums = await worst(key, from, to)
    const accounts = new Map(
      store.subscriptionRows.byIds(sums.map(([each]) => each)).map((row) => [row.id, row.account]),
    )
    const slow = slowest(record)
    const names = deps.labelsOf(network, [...accounts.values(), ...slow.map((row) => row.account)])
    const named = (account: string) => ({ account, label: names.get(account) ?? null })
    return {
      since: history.since(key),
      failing: store.subscriptions.countFailing(key),
      began: current[0]?.from ?? null,
      failedAttempts: { hour: since(hourMs), day: since(dayMs), week: since(7 * dayMs) },
      longest: longest === undefined ? null : (toStreak(network, id, [longest])[0] ?? null),
      current: toStreak(network, id, current),
      worst: sums.flatMap(([each, failedAttempts]) => {
        const account = accounts.get(each)
        return account === undefined ? [] : [{ ...named(account), failedAttempts }]
      }),
      slowest: slow.flatMap(({ account, lag }) =>
        lag === null ? [] : [{ ...named(account), lag }],
      ),
    }
  }

  return {
    async 'failure.history'({ network, webhook, account, from, to, steps: maxSteps }) {
      const steps = history.steps({ from, to }, maxSteps, deps.everySeconds())
      const records = webhook === null ? webhooks.all(network) : [webhooks.get(network, webhook)]
      const known = records.filter((record) => record !== null)
      const [first] = known
      const row =
        account === null || first === undefined
          ? undefined
          : store.subscriptionRows.byAccounts(first.key, [account])[0]
      const tokenIds = known.flatMap(({ tokenId }) => tokenId ?? [])
      const counted: CountedOf = account === null ? { tokenIds } : { account }
      const deliveries = await received(counted, steps)
      const rows =
        account === null
          ? ofWebhooks(known, steps)
          : row && first
            ? ofAccount(first.key, row.id, steps)
            : new Map<number, WebhookStep>()
      const usage = new Map(
        account === null
          ? history.ofUsage(network, steps).map((each) => [each.step, each] as const)
          : [],
      )
      return {
        milliseconds: steps.width * minuteMs,
        steps: Array.from({ length: steps.count }, (_, step): HistoryStep => {
          const own = rows.get(step)
          return {
            startsAt: (steps.from + step * steps.width) * minuteMs,
            failedAttempts: own?.failedAttempts ?? null,
            failing: own?.failing ?? null,
            delivered: usage.get(step)?.delivered ?? null,
            failed: usage.get(step)?.failed ?? null,
            received: deliveries[step]?.received ?? 0,
            refused: deliveries[step]?.refused ?? 0,
            status: own?.status ?? null,
            lag: own?.lag ?? null,
          }
        }),
        sources: sourcesOf(account !== null, account !== null || tokenIds.length > 0),
      }
    },
    async 'failure.summary'({ network, webhook, from, to }) {
      const record = webhooks.get(network, webhook)
      return record === null ? nothing : summarize(record, from, to)
    },
    'failure.streaks'({ network, webhook, account, from, to, sort, offset, limit }) {
      const record = webhooks.get(network, webhook)
      if (record === null) return { total: 0, streaks: [] }
      const row =
        account === null ? null : store.subscriptionRows.byAccounts(record.key, [account])[0]
      if (row === undefined) return { total: 0, streaks: [] }
      const asked = { key: record.key, subscription: row?.id ?? null, from, to }
      const page = store.streaks.page(asked, sort, { offset, limit }, now())
      return { total: store.streaks.count(asked), streaks: toStreak(network, webhook, page) }
    },
  }
}

const nothing: FailureSummary = {
  since: null,
  failing: 0,
  began: null,
  failedAttempts: { hour: 0, day: 0, week: 0 },
  longest: null,
  current: [],
  worst: [],
  slowest: [],
}

function together(one: WebhookStep, other: WebhookStep): WebhookStep {
  return {
    step: one.step,
    failedAttempts: one.failedAttempts + other.failedAttempts,
    failing: one.failing + other.failing,
    status: worse(one.status, other.status),
    lag: one.lag === null ? other.lag : Math.max(one.lag, other.lag ?? 0),
  }
}

function worse(one: WebhookStatus | null, other: WebhookStatus | null): WebhookStatus | null {
  if (one === null || other === null) return one ?? other
  return ranks.indexOf(one) >= ranks.indexOf(other) ? one : other
}
