/** The history of failures: its ranges, its links, and the data of its charts. */
import type { HistoryStep } from '../../../../src-preload/contract/failure.ts'
import type { Lag } from '../../../../src-preload/contract/subscription.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { request, useData, useDataBy } from '../../../app/bridge.ts'
import { routeHref } from '../../../app/route.ts'
import { type HistoryRange, type WebhooksRoute, webhookRoute } from '../../../app/webhooks-route.ts'
import {
  type Measure,
  type Point,
  type Series,
  count,
  duration,
} from '../../../components/charts/series.ts'
import { type TimeAxis, tickStepOf, timeAxis } from '../../../components/charts/time-axis.ts'
import { formatTimeSpan } from '../../../components/time-span.ts'
import { TimeChartPanel } from '../../../components/charts/chart-panel.tsx'
import { formatCount, fromMs, formatNumber } from '../../../ui/format.ts'
import { Columns, Stack, Text } from '../../../ui/layout.tsx'
import { Loaded } from '../../../ui/loaded.tsx'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

type Range = {
  readonly name: HistoryRange
  readonly label: string
  /** The length of the range in milliseconds, the unit of all times here. */
  readonly span: number
  readonly step: number
}

export const rangeChoices: readonly Range[] = [
  { name: '15m', label: '15 min', span: hour / 4, step: minute },
  { name: '1h', label: '1 h', span: hour, step: minute },
  { name: '6h', label: '6 h', span: 6 * hour, step: 5 * minute },
  { name: '24h', label: '24 h', span: day, step: 10 * minute },
  { name: '7d', label: '7 d', span: 7 * day, step: 2 * hour },
  { name: '30d', label: '30 d', span: 30 * day, step: 6 * hour },
  { name: '90d', label: '90 d', span: 90 * day, step: day },
]

/** Returns the bounds of a range, which begins with a whole step and ends now, and the number of its steps. */
export function boundsOf(name: HistoryRange, now: number) {
  const { span, step } = findRange(name)
  const from = Math.ceil((now - span) / step) * step
  return { from, to: now, steps: Math.ceil((now - from) / step) + 1 }
}

function findRange(name: HistoryRange): Range {
  const range = rangeChoices.find((each) => each.name === name)
  if (range === undefined) throw new Error(`no range ${name}`)
  return range
}

/** Returns the smallest range that contains all data of a new history, or 24 h, which is the default. */
export function rangeHolding(since: number, now: number): HistoryRange {
  const smallest = rangeChoices.find(({ span }) => now - since <= span)
  return smallest !== undefined && smallest.span <= day ? smallest.name : '24h'
}

/** Returns the bounds of a range that ends now, in milliseconds. */
export function currentBounds(range: HistoryRange): { from: number; to: number } {
  const { from, to } = boundsOf(range, Date.now())
  return { from, to }
}

type Of = Pick<Webhook, 'id' | 'network'>

/** The webhook and the period of a view about failures. */
export type InRange = { webhook: Webhook; range: HistoryRange }

/** Returns the link to the failures of a webhook; with an account, the link to why its deliveries fail. */
export function failuresRoute(webhook: Of, range: HistoryRange, account = ''): WebhooksRoute {
  return webhookRoute(webhook, 'deliveries', account, range)
}

export function failuresHref(webhook: Of, range: HistoryRange, account = ''): string {
  return routeHref(failuresRoute(webhook, range, account))
}

/** Describes a range: `the last 24 h`. */
export function describeRange(range: HistoryRange): string {
  return `the last ${findRange(range).label}`
}

type History = {
  readonly points: readonly Point[]
  readonly axis: TimeAxis
  readonly steps: readonly HistoryStep[]
  /** The length of a step. */
  readonly milliseconds: number
  readonly sources: readonly string[]
  /** Describes a range: `the last 24 h`. */
  readonly span: string
}

/**
 * The charts are loaded again every minute, because deliveries arrive between two readings of the
 * gateway's counters.
 */
export const everyMinute = { everyMs: minute }

/** Loads the history of a webhook or of one of its accounts. */
function useHistory({ network, id }: Webhook, account: string | null, range: HistoryRange) {
  const key = { network, webhook: id, account, range }
  const load = async (): Promise<History> => {
    const now = Date.now()
    const bounds = boundsOf(range, now)
    const response = await request('failure.history', { network, webhook: id, account, ...bounds })
    const points = pointsOf(response.steps)
    const axis = timeAxis(
      points.map(({ startsAt }) => startsAt),
      {
        step: fromMs(response.milliseconds),
        between: tickStepOf(fromMs(bounds.to - bounds.from)),
        now: fromMs(now),
      },
    )
    return { ...response, points, axis, span: describeRange(range) }
  }
  return useDataBy('failure.history', key, load, everyMinute)
}

/** Returns the points of the charts. A value that no source reported stays null. */
export function pointsOf(steps: readonly HistoryStep[]): Point[] {
  return steps.map(({ startsAt, status: _, ...values }) => ({ startsAt: fromMs(startsAt), values }))
}

/** Describes the length of one step of a chart: `per hour`, `per 10 min`. */
export function describeStep(milliseconds: number): string {
  if (milliseconds === minute) return 'per minute'
  if (milliseconds === hour) return 'per hour'
  if (milliseconds === day) return 'per day'
  return `per ${formatTimeSpan(milliseconds)}`
}

/** Describes a number of transactions: `3 transactions`; empty if they were not counted. */
export function describeTransactions({ transactions, more }: Lag): string {
  if (transactions === null) return ''
  return `${formatCount(transactions, 'transaction')}${more ? ' or more' : ''}`
}

/** Returns the length of an outage, up to the current time if it has not ended. */
export function durationOf({ from, to }: { from: number; to: number | null }, now: number): number {
  return Math.max(0, (to ?? now) - from)
}

type FailingAccounts = {
  readonly total: number
  /** The accounts with the most failed attempts first, at most as many as one response contains. */
  readonly accounts: readonly string[]
}

const maxWalked = 500

/**
 * Loads the failing accounts of a webhook, through which the user can walk; undefined until they
 * are loaded.
 */
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

const attempts: readonly Series[] = [{ key: 'failedAttempts', name: 'failed attempts', colour: 4 }]
const failing: readonly Series[] = [{ key: 'failing', name: 'accounts failing', colour: 3 }]
const usage: readonly Series[] = [
  { key: 'delivered', name: 'delivered', colour: 1 },
  { key: 'failed', name: 'failed', colour: 4 },
]
const received: readonly Series[] = [
  { key: 'received', name: 'received', colour: 2 },
  { key: 'refused', name: 'rejected', colour: 4 },
]
const lag: readonly Series[] = [{ key: 'lag', name: 'lag', colour: 5 }]

const chartWidth = 330

/** Shows the history of a webhook, and the sources of the data. */
export function WebhookCharts({ webhook, range }: InRange) {
  return (
    <Loaded query={useHistory(webhook, null, range)} of="the history" rows={10}>
      {(history) => <Charts webhook={webhook} history={history} />}
    </Loaded>
  )
}

function Charts({ webhook, history }: { webhook: Webhook; history: History }) {
  const { sources } = history
  // Deliveries of a webhook with another endpoint do not arrive at this receiver.
  const hasReceived = webhook.isHere || received.some(({ key }) => totalOf(history, key) > 0)
  return (
    <Stack gap="none" line="below">
      <Columns least={chartWidth} gap="none">
        <Totals title="Failed attempts" series={attempts} history={history} />
        <Peaks title="Failing accounts" series={failing} measure={count} history={history} />
        <Totals
          title="Deliveries"
          series={usage}
          note="The gateway counts the deliveries of all webhooks of this API key."
          history={history}
        />
        {hasReceived && (
          <Totals
            title="Received by Tondesk"
            series={received}
            note="Deliveries of this webhook that this receiver accepted or rejected."
            history={history}
          />
        )}
        <Peaks
          title="Delivery lag"
          unit="highest lag of any account"
          series={lag}
          measure={duration}
          note="Tondesk measures the lag of failing and watched accounts."
          history={history}
        />
      </Columns>
      {sources.length > 0 && (
        <Stack as="ul" gap="xs" pad="m" line="above" aria-label="Data sources">
          {sources.map((source) => (
            <Text as="li" key={source} size="s" tone="dim">
              {source}
            </Text>
          ))}
        </Stack>
      )}
    </Stack>
  )
}

/** Shows the failed attempts and the lag of one account. */
export function AccountCharts({ webhook, account, range }: InRange & { account: string }) {
  const query = useHistory(webhook, account, range)
  return (
    <Loaded query={query} of="the history of the account" rows={5}>
      {(history) => (
        <Stack line="below">
          <Columns least={chartWidth} gap="none">
            <Totals title="Failed attempts" series={attempts} history={history} />
            <Peaks title="Delivery lag" series={lag} measure={duration} history={history} />
          </Columns>
        </Stack>
      )}
    </Loaded>
  )
}

type ChartOf = { history: History; title: string; series: readonly Series[]; note?: string }

/** A chart of the counts of each step. */
function Totals({ history, ...chart }: ChartOf) {
  const { points, axis, milliseconds, span } = history
  const unit = describeStep(milliseconds)
  const totals = chart.series.map(
    ({ key, name }) => `${formatNumber(totalOf(history, key))} ${name}`,
  )
  return (
    <TimeChartPanel
      {...chart}
      unit={unit}
      name={`${chart.title} ${unit}, ${span}: ${totals.join(', ')}`}
      kind="bars"
      measure={count}
      points={points}
      axis={axis}
      running={points.at(-1)?.startsAt}
    />
  )
}

/** A chart of the highest value of each step. */
function Peaks({
  history: { points, axis, span },
  unit = 'peak',
  ...chart
}: ChartOf & { unit?: string; measure: Measure }) {
  const keys = chart.series.map(({ key }) => key)
  const peak = Math.max(0, ...points.flatMap(({ values }) => keys.map((key) => values[key] ?? 0)))
  return (
    <TimeChartPanel
      {...chart}
      unit={unit}
      name={`${chart.title}, ${span}: maximum ${chart.measure.print(peak)}`}
      kind="lines"
      points={points}
      axis={axis}
      running={points.at(-1)?.startsAt}
    />
  )
}

function totalOf({ points }: History, key: string): number {
  return points.reduce((sum, { values }) => sum + (values[key] ?? 0), 0)
}
