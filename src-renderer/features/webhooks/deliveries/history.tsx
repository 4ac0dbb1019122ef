/** The history of failures: its ranges and links, and the data of its charts. */
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
import { Columns, Stack } from '../../../ui/layout.tsx'
import { Loaded } from '../../../ui/loaded.tsx'

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

export const rangeChoices: readonly Range[] = [
  { name: '15m', label: '15 min', span: hour / 4, step: minute },
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
  const range = rangeChoices.find((each) => each.name === name)
  if (range === undefined) throw new Error(`no range ${name}`)
  return range
}

/** The smallest range that holds all data of a young history; else 24 h, the default. */
export function rangeHolding(since: number, now: number): HistoryRange {
  const smallest = rangeChoices.find(({ span }) => now - since <= span)
  return smallest !== undefined && smallest.span <= day ? smallest.name : '24h'
}

/** A range that ends now, in milliseconds. */
export function currentBounds(range: HistoryRange): { from: number; to: number } {
  const { from, to } = boundsOf(range, Date.now())
  return { from, to }
}

type Of = Pick<Webhook, 'id' | 'network'>

/** The webhook and period of a view of failures. */
export type InRange = { webhook: Webhook; range: HistoryRange }

/** A webhook's failures in a range; with an account, why its deliveries fail. */
export const failuresRoute = (webhook: Of, range: HistoryRange, account = ''): WebhooksRoute =>
  webhookRoute(webhook, 'deliveries', account, range)

export const failuresHref = (webhook: Of, range: HistoryRange, account = ''): string =>
  routeHref(failuresRoute(webhook, range, account))

/** `the last 24 h` */
export const describeRange = (range: HistoryRange): string => `the last ${findRange(range).label}`

type History = {
  readonly points: readonly Point[]
  readonly axis: TimeAxis
  readonly steps: readonly HistoryStep[]
  /** Length of a step. */
  readonly milliseconds: number
  /** `the last 24 h` */
  readonly span: string
}

/** The number of arrived deliveries grows between two readings of the gateway's counters. */
const everyMinute = { everyMs: minute }

/** The history of a webhook, or of one of its accounts. */
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

/** The data of the charts. A value that no source reported stays null. */
export const pointsOf = (steps: readonly HistoryStep[]): Point[] =>
  steps.map(({ startsAt, status: _, ...values }) => ({ startsAt: fromMs(startsAt), values }))

/** The period of one step of a chart: `per hour`, `per 10 min`. */
export function describeStep(milliseconds: number): string {
  if (milliseconds === minute) return 'per minute'
  if (milliseconds === hour) return 'per hour'
  if (milliseconds === day) return 'per day'
  return `per ${formatTimeSpan(milliseconds)}`
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

const attempts: readonly Series[] = [{ key: 'failedAttempts', name: 'failed attempts', colour: 4 }]
const failing: readonly Series[] = [{ key: 'failing', name: 'accounts failing', colour: 3 }]
const received: readonly Series[] = [
  { key: 'received', name: 'received', colour: 2 },
  { key: 'refused', name: 'rejected', colour: 4 },
]
const lag: readonly Series[] = [{ key: 'lag', name: 'lag', colour: 5 }]

const chartWidth = 330

/** The history of a webhook. */
export function WebhookCharts({ webhook, range }: InRange) {
  return (
    <Loaded query={useHistory(webhook, null, range)} of="the history" rows={10}>
      {(history) => <Charts webhook={webhook} history={history} />}
    </Loaded>
  )
}

function Charts({ webhook, history }: { webhook: Webhook; history: History }) {
  // Nothing of a webhook that delivers elsewhere arrives here.
  const hasReceived = webhook.isHere || received.some(({ key }) => totalOf(history, key) > 0)
  return (
    <Stack gap="none" line="below">
      <Columns least={chartWidth} gap="none">
        <Totals
          title="Failed attempts"
          series={attempts}
          note="The gateway’s counters grow in the chart when Tondesk reads them."
          history={history}
        />
        <Peaks title="Failing accounts" series={failing} measure={count} history={history} />
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
    </Stack>
  )
}

/** Failed attempts and lag of one account. */
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

/** The counts of each step. */
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

/** The highest value of each step. */
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

const totalOf = ({ points }: History, key: string): number =>
  points.reduce((sum, { values }) => sum + (values[key] ?? 0), 0)
