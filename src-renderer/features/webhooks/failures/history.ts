/** The history of failures: its ranges and links, and the data of its charts. */
import type { HistoryStep } from '../../../../src-preload/contract/failure.ts'
import type { Lag } from '../../../../src-preload/contract/subscription.ts'
import type { Webhook, WebhookStatus } from '../../../../src-preload/contract/webhook.ts'
import { request, useData, useDataBy } from '../../../app/bridge.ts'
import { printRoute } from '../../../app/route.ts'
import { type HistoryRange, type WebhooksRoute, webhookRoute } from '../../../app/webhooks-route.ts'
import type { Point } from '../../../components/charts/series.ts'
import { type TimeAxis, tickStepOf, timeAxis } from '../../../components/charts/time-axis.ts'
import { printSpan } from '../../../components/time-span.ts'
import { formatCount, fromMs } from '../../../ui/format.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

type Range = {
  readonly name: HistoryRange
  readonly label: string
  /** In milliseconds, as all times here. */
  readonly span: number
  readonly step: number
}

export const ranges: readonly Range[] = [
  { name: '1h', label: '1 h', span: hour, step: minute },
  { name: '6h', label: '6 h', span: 6 * hour, step: 5 * minute },
  { name: '24h', label: '24 h', span: day, step: 10 * minute },
  { name: '7d', label: '7 d', span: 7 * day, step: 2 * hour },
  { name: '30d', label: '30 d', span: 30 * day, step: 6 * hour },
  { name: '90d', label: '90 d', span: 90 * day, step: day },
]

/** From a whole step until now, and the number of steps between. */
export function boundsOf(name: HistoryRange, now: number) {
  const { span, step } = findRange(name)
  const from = Math.ceil((now - span) / step) * step
  return { from, to: now, steps: Math.ceil((now - from) / step) + 1 }
}

function findRange(name: HistoryRange): Range {
  const range = ranges.find((each) => each.name === name)
  if (range === undefined) throw new Error(`no range ${name}`)
  return range
}

/** The smallest range that holds all data of a young history; else 24 h, the default. */
export function rangeHolding(since: number, now: number): HistoryRange {
  const smallest = ranges.find(({ span }) => now - since <= span)
  return smallest !== undefined && smallest.span <= day ? smallest.name : '24h'
}

/** `the last 24 h` */
export const describeRange = (name: HistoryRange) => `the last ${findRange(name).label}`

/** A range that ends now, in milliseconds. */
export function currentBounds(range: HistoryRange): { from: number; to: number } {
  const { from, to } = boundsOf(range, Date.now())
  return { from, to }
}

/** A webhook's failures in a range; with an account, why its deliveries fail. */
export function failuresRoute(
  { id, network }: Pick<Webhook, 'id' | 'network'>,
  range: HistoryRange,
  account = '',
): WebhooksRoute {
  return { ...webhookRoute(id, 'failures', account, range), network }
}

export function failuresHref(
  webhook: Pick<Webhook, 'id' | 'network'>,
  range: HistoryRange,
  account = '',
): string {
  return printRoute(failuresRoute(webhook, range, account))
}

export type History = {
  readonly points: readonly Point[]
  readonly axis: TimeAxis
  readonly steps: readonly HistoryStep[]
  /** Length of a step. */
  readonly milliseconds: number
  readonly sources: readonly string[]
}

/** What arrives here grows between two readings of the gateway's counters. */
export const everyMinute = { everyMs: minute }

/** The history of a webhook, or of one of its accounts. */
export function useHistory({ network, id }: Webhook, account: string | null, range: HistoryRange) {
  const key = { network, webhook: id, account, range }
  const load = async (): Promise<History> => {
    const now = Date.now()
    const bounds = boundsOf(range, now)
    const answer = await request('failure.history', { network, webhook: id, account, ...bounds })
    const points = pointsOf(answer.steps)
    const axis = timeAxis(
      points.map(({ startsAt }) => startsAt),
      {
        step: fromMs(answer.milliseconds),
        between: tickStepOf(fromMs(bounds.to - bounds.from)),
        now: fromMs(now),
      },
    )
    return { ...answer, points, axis }
  }
  return useDataBy('failure.history', key, load, everyMinute)
}

/** The data of the charts. A value that no source reported stays null. */
export function pointsOf(steps: readonly HistoryStep[]): Point[] {
  return steps.map(({ startsAt, status: _, ...values }) => ({ startsAt: fromMs(startsAt), values }))
}

/** A time with one status; null: the status was not read. `to` is the start of the next. Milliseconds. */
type StatusSpan = {
  readonly status: WebhookStatus | null
  readonly from: number
  readonly to: number
}

export function statusSpans(steps: readonly HistoryStep[], milliseconds: number): StatusSpan[] {
  const spans: { status: WebhookStatus | null; from: number; to: number }[] = []
  for (const { startsAt, status } of steps) {
    const last = spans.at(-1)
    const to = startsAt + milliseconds
    if (last?.status === status) last.to = to
    else spans.push({ status, from: startsAt, to })
  }
  return spans
}

/** The period of one step of a chart: `per hour`, `per 10 min`. */
export function describeStep(milliseconds: number): string {
  if (milliseconds === minute) return 'per minute'
  if (milliseconds === hour) return 'per hour'
  if (milliseconds === day) return 'per day'
  return `per ${printSpan(milliseconds)}`
}

/** `3 transactions`; empty where they were not counted. */
export function describeTransactions({ transactions, more }: Lag): string {
  if (transactions === null) return ''
  return `${formatCount(transactions, 'transaction')}${more ? ' or more' : ''}`
}

/** How long an outage lasted, or has lasted until now. */
export function durationOf({ from, to }: { from: number; to: number | null }, now: number): number {
  return Math.max(0, (to ?? now) - from)
}

type FailingAccounts = {
  readonly total: number
  /** Most failed attempts first: as many as one response holds. */
  readonly accounts: readonly string[]
}

const maxWalked = 500

/** The failing accounts of a webhook, to walk through; undefined until they are loaded. */
export function useFailingAccounts({ network, id }: Webhook): FailingAccounts | undefined {
  const { data } = useData('subscription.list', {
    network,
    webhook: id,
    filter: { only: 'failing' },
    offset: 0,
    limit: maxWalked,
  })
  return data && { total: data.total, accounts: data.rows.map(({ account }) => account) }
}
