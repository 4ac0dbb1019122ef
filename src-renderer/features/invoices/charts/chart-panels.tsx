import { type ReactNode, useMemo } from 'react'
import { coinName, currencyName } from '../../../../src-preload/domain/amount.ts'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { useDataOf } from '../../../app/bridge.ts'
import { type InvoicesQuery, invoicesOf } from '../../../app/invoices-route.ts'
import { routeHref } from '../../../app/route.ts'
import {
  type ChartHead,
  ChartPicker,
  ChartRow,
  EmptyChart,
  LoadedChart,
  TimeChartPanel,
} from '../../../components/charts/chart-panel.tsx'
import { day } from '../../../components/charts/plan.ts'
import type { Point } from '../../../components/charts/series.ts'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { Chip } from '../../../ui/button.tsx'
import { Select } from '../../../ui/form.tsx'
import { formatCount, fromMs } from '../../../ui/format.ts'
import { type Period, type PeriodStep, formatPeriod, useFitsPeriod, usePeriod } from '../period.ts'
import { type Distribution, drawOpen, drawPaymentTimes } from './buckets.ts'
import {
  describeBefore,
  type OverTimeChart,
  type TallyStep,
  describeTotal,
  drawTallies,
  findChart,
  isBare,
  overTimeCharts,
  stepAxis,
  stepsFor,
  titleOf,
} from './over-time.ts'
import {
  PeriodStats,
  type PeriodTotals,
  chooseCharts,
  useChartChoice,
  useChartNow,
  useOpenByExpiry,
  usePeriodTotals,
} from './period-stats.tsx'

/** The figures of the period and two charts. The title of a chart is a menu that selects another chart. */
export function ChartPanels({ showsCharts }: { showsCharts: boolean }) {
  const { id: network } = useShownNetwork()
  const period = usePeriod()
  const stats = usePeriodTotals(network, period)
  return (
    <div>
      <PeriodStats period={period} query={stats} />
      {showsCharts && (
        <ChartRow>
          <OverTimePanel network={network} period={period} figures={stats.data} />
          <BesidePanel network={network} period={period} />
        </ChartRow>
      )}
    </div>
  )
}

type Panel = { readonly network: NetworkId; readonly period: Period }

/** Shows the chart of the events of the period, step by step. */
function OverTimePanel({
  network,
  period,
  figures,
}: Panel & { figures: PeriodTotals | undefined }) {
  const { from, to, zone, currencies } = period
  const choice = useChartChoice()
  const now = useChartNow(network)
  const offered = overTimeCharts.filter((each) => isOf(each, currencies))
  const chart = findChart(choice.over, offered)
  const steps = stepsFor(from, to)
  const step = steps.find((each) => each === choice.step) ?? period.step
  const requested = {
    network,
    currencies: chart.currency === null ? [...currencies] : [chart.currency],
    step,
    zone,
    from,
    to,
  }
  const query = useDataOf('invoiceStats.series', requested)
  const canCompare = figures !== undefined && !isBare(chart, [{ tally: figures.before }])
  const compares = choice.compares && canCompare
  const before = useDataOf(
    'invoiceStats.series',
    compares ? { ...requested, from: from - (to - from), to: from } : null,
  )
  const head: ChartHead = {
    title: titleOf(chart),
    unit: `${currencyName(chart.unit)} by ${step}, ${formatPeriod(period, now / 1000)}`,
    heading: (
      <ChartPicker
        label="Chart over time"
        value={chart.name}
        options={offered.map((each) => ({ value: each.name, label: titleOf(each) }))}
        onChange={(over) => chooseCharts({ over })}
      />
    ),
    actions: (
      <>
        {steps.length > 1 && (
          <Select
            label="Chart interval"
            value={step}
            options={steps.map((each) => ({ value: each, label: `by ${each}` }))}
            onChange={(next) => chooseCharts({ step: next })}
          />
        )}
        {canCompare && (
          <Chip
            pressed={compares}
            title="Show the previous period as a dashed line"
            onPress={() => chooseCharts({ compares: !compares })}
          >
            Compare periods
          </Chip>
        )}
      </>
    ),
  }
  return (
    <LoadedChart head={head} query={query}>
      {(data) => (
        <OverTime
          key={coinName()}
          head={head}
          chart={chart}
          step={step}
          figures={figures}
          now={now}
          steps={data.steps}
          before={compares ? (before.data?.steps ?? null) : null}
        />
      )}
    </LoadedChart>
  )
}

/** True if a chart is about one of the chosen currencies, or if no currency is chosen. */
function isOf({ currency }: Pick<OverTimeChart, 'currency'>, chosen: readonly InvoiceCurrency[]) {
  return currency === null || chosen.length === 0 || chosen.includes(currency)
}

/** Returns a function that links to the invoices behind a value of the chart. */
function useHrefOf(rowsOf: (point: Point, key: string) => Partial<InvoicesQuery> | null) {
  return useMemo(
    () => (point: Point, key: string) => {
      const rows = rowsOf(point, key)
      return rows === null ? null : routeHref(invoicesOf(rows))
    },
    [rowsOf],
  )
}

function OverTime({
  head,
  chart,
  step,
  steps: all,
  before,
  figures,
  now,
}: {
  head: ChartHead
  chart: OverTimeChart
  step: PeriodStep
  steps: readonly TallyStep[]
  before: readonly TallyStep[] | null
  figures: PeriodTotals | undefined
  now: number
}) {
  const fits = useFitsPeriod()
  // Steps in the future are not drawn.
  const future = all.filter(({ startsAt }) => fromMs(startsAt) > now).length
  const running = all.find(
    ({ startsAt, endsAt }) => fromMs(startsAt) <= now && fromMs(endsAt) > now,
  )
  // Labels contain the year if it is not the current one, so they change at most once a day.
  const today = Math.floor(now / day) * day
  const steps = useMemo(() => all.toSpliced(all.length - future), [all, future])
  const former = useMemo(() => before && before.toSpliced(before.length - future), [before, future])
  const { rowsOf, ...drawn } = useMemo(
    () => drawTallies(chart, steps, former),
    [chart, steps, former],
  )
  const hrefOf = useHrefOf(rowsOf)
  const axis = useMemo(() => stepAxis(steps, step, today), [steps, step, today])
  if (isBare(chart, steps) && (former === null || isBare(chart, former))) {
    return <EmptyChart head={head}>{chart.nothing}</EmptyChart>
  }
  // The total is the same as in the figures above, because the first and the last step may extend
  // beyond the period.
  const total = figures === undefined ? '' : `; total ${describeTotal(chart, figures.now)}`
  const compared =
    before === null || figures === undefined
      ? ''
      : `, ${describeTotal(chart, figures.before)} in ${describeBefore(figures.from, figures.to)}`
  const unit = `${head.unit}${total}${compared}`
  return (
    <TimeChartPanel
      {...head}
      {...drawn}
      axis={axis}
      hrefOf={hrefOf}
      unit={unit}
      name={`${titleOf(chart)}, ${unit}`}
      kind={chart.kind}
      measure={chart.measure}
      fits={fits}
      running={running && fromMs(running.startsAt)}
      {...(chart.absent !== undefined && { absent: chart.absent })}
    />
  )
}

const distributions = [
  { name: 'payment-time', title: 'Time to payment', currency: null },
  { name: 'open-TON', title: 'Time to expiry', currency: 'TON' },
  { name: 'open-USDT', title: 'Time to expiry', currency: 'USDT' },
] as const

/** Shows a distribution: the time to payment, or the time until pending invoices expire. */
function BesidePanel({ network, period }: Panel) {
  const chosen = useChartChoice((choice) => choice.beside)
  const offered = distributions.filter((each) => isOf(each, period.currencies))
  const shown = offered.find((each) => each.name === chosen) ?? distributions[0]
  const { name, currency } = shown
  const head: ChartHead = {
    title: titleOf(shown),
    unit: currency === null ? 'invoices' : currencyName(currency),
    heading: (
      <ChartPicker<string>
        label="Chart of payment and expiry times"
        value={name}
        options={offered.map((each) => ({ value: each.name, label: titleOf(each) }))}
        onChange={(beside) => chooseCharts({ beside })}
      />
    ),
  }
  return currency === null ? (
    <PaymentTimes head={head} network={network} period={period} />
  ) : (
    <PendingByExpiry key={currency} head={head} network={network} currency={currency} />
  )
}

function PaymentTimes({ head, network, period }: Panel & { head: ChartHead }) {
  const { from, to, currencies } = period
  const query = useDataOf('invoiceStats.timeToPayment', {
    network,
    from,
    to,
    currencies: [...currencies],
  })
  return (
    <LoadedChart head={head} query={query}>
      {({ buckets }) => (
        <Bars
          head={head}
          drawn={drawPaymentTimes(buckets, currencies, { from, to })}
          column="Paid within"
          of="paid"
        >
          No invoice was paid in this period.
        </Bars>
      )}
    </LoadedChart>
  )
}

type Pending = Pick<Panel, 'network'> & { head: ChartHead; currency: InvoiceCurrency }

function PendingByExpiry({ head, network, currency }: Pending) {
  const query = useOpenByExpiry(network, currency)
  return (
    <LoadedChart head={head} query={query}>
      {({ steps }) => (
        <Bars
          head={head}
          drawn={drawOpen(steps, currency)}
          column="Expires"
          of="pending, in any period"
        >
          No invoice in {currencyName(currency)} is pending.
        </Bars>
      )}
    </LoadedChart>
  )
}

function Bars({
  head,
  drawn: { total, rowsOf, ...chart },
  column,
  of,
  children,
}: {
  head: ChartHead
  drawn: Distribution
  column: string
  of: string
  /** The reason why the chart has no bars. */
  children: ReactNode
}) {
  const hrefOf = useHrefOf(rowsOf)
  if (total === 0) return <EmptyChart head={head}>{children}</EmptyChart>
  const unit = `${formatCount(total, 'invoice')} ${of}`
  return (
    <TimeChartPanel
      {...head}
      {...chart}
      column={column}
      hrefOf={hrefOf}
      unit={unit}
      name={`${head.title}: ${unit}`}
      kind="bars"
    />
  )
}
