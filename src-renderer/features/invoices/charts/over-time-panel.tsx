import { useMemo } from 'react'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { day } from '../../../components/charts/ranges.ts'
import { invoicesOf } from '../../../app/invoices-route.ts'
import { useNow } from '../../../ui/moment.tsx'
import { printRoute } from '../../../app/route.ts'
import { Chip } from '../../../ui/chip.tsx'
import { Select } from '../../../ui/select.tsx'
import { type ChartHead, TimeChartPanel } from '../../../components/charts/chart-panel.tsx'
import type { Point } from '../../../components/charts/series.ts'
import type { Period, PeriodStep } from '../period.ts'
import { chooseCharts, useChartChoice } from './chart-choice.ts'
import { BareChart, ChartPicker, ChartStates } from './chart-parts.tsx'
import { type ShownFigures, useSeries } from './live.ts'
import {
  type OverTimeChart,
  type TallyStep,
  drawTallies,
  isBare,
  overTimeChart,
  overTimeNames,
  sayAll,
} from './over-time.ts'
import { sayBefore } from './percent.ts'
import { stepAxis, stepsFor } from './step-axis.ts'
import styles from './charts.module.css'

/** What happened in the period, step by step. */
export function OverTimePanel({
  network,
  period,
  figures,
}: {
  network: Network
  period: Period
  figures: ShownFigures | null
}) {
  const choice = useChartChoice()
  const chart = shownChart(overTimeChart(choice.over), period.currencies)
  const { from, to, zone } = period
  const steps = stepsFor(from, to)
  const step = steps.find((each) => each === choice.step) ?? period.step
  const live = useSeries(
    {
      network: network.id,
      currencies: chart.currency === null ? [...period.currencies] : [chart.currency],
      step,
      zone,
      from,
      to,
    },
    choice.compares,
  )
  const head: ChartHead = {
    title: chart.title,
    unit: `${chart.unit}, ${stepLabels[step]}`,
    heading: (
      <ChartPicker
        label="Chart over time"
        value={chart.name}
        options={overTimeNames
          .map(overTimeChart)
          .filter((each) => isOf(each, period.currencies))
          .map(({ name, title }) => ({ value: name, label: title }))}
        onChange={(over) => chooseCharts({ over })}
      />
    ),
    actions: <Actions {...{ step, steps, compares: choice.compares }} />,
  }
  return (
    <ChartStates head={head} live={live}>
      {(answer) => <Drawing {...{ head, chart, step, figures }} {...answer} />}
    </ChartStates>
  )
}

/** One about another currency than those chosen gives way to its like. */
function shownChart(chart: OverTimeChart, chosen: readonly InvoiceCurrency[]): OverTimeChart {
  if (isOf(chart, chosen)) return chart
  const other = overTimeNames
    .map(overTimeChart)
    .find((each) => isOf(each, chosen) && each.lines[0]?.key === chart.lines[0]?.key)
  return other ?? overTimeChart('states')
}

function isOf({ currency }: OverTimeChart, chosen: readonly InvoiceCurrency[]): boolean {
  return currency === null || chosen.length === 0 || chosen.includes(currency)
}

const stepLabels: Record<PeriodStep, string> = {
  hour: 'by hour',
  day: 'by day',
  week: 'by week',
  month: 'by month',
}

function Actions({
  step,
  steps,
  compares,
}: {
  step: PeriodStep
  steps: readonly PeriodStep[]
  compares: boolean
}) {
  return (
    <>
      {steps.length > 1 && (
        <span className={styles['step']}>
          <Select
            label="Step of the chart"
            value={step}
            options={steps.map((each) => ({ value: each, label: stepLabels[each] }))}
            onChange={(next) => chooseCharts({ step: next })}
          />
        </span>
      )}
      <Chip
        pressed={compares}
        title="Draws the time before, dashed"
        onPress={() => chooseCharts({ compares: !compares })}
      >
        Compare
      </Chip>
    </>
  )
}

function Drawing({
  head,
  chart,
  step,
  steps,
  before,
  figures,
}: {
  head: ChartHead
  chart: OverTimeChart
  step: PeriodStep
  steps: readonly TallyStep[]
  before: readonly TallyStep[] | null
  figures: ShownFigures | null
}) {
  const now = useNow()
  // Labels name the year of days that are not of this one: they change with the day at most.
  const today = Math.floor(now / day) * day
  const drawn = useMemo(() => {
    const { points, series, rowsOf } = drawTallies(chart, steps, before)
    return {
      points,
      series,
      hrefOf: (point: Point, key: string) => {
        const rows = rowsOf(point, key)
        return rows === null ? null : printRoute(invoicesOf(rows))
      },
    }
  }, [chart, steps, before])
  const axis = useMemo(() => stepAxis(steps, step, today), [steps, step, today])
  if (isBare(chart, steps) && (before === null || isBare(chart, before))) {
    return <BareChart head={head}>{bareWords[chart.lines[0]?.key ?? '']}</BareChart>
  }
  // As the figures above have it: the steps drawn may begin earlier and end later than the period.
  const all = `; ${figures === null ? sayAll(chart, steps) : sayAll(chart, [{ tally: figures.now }])} in all`
  const compared =
    before === null || figures === null
      ? ''
      : `; ${sayAll(chart, [{ tally: figures.before }])} in ${sayBefore(figures.from, figures.to)}`
  return (
    <TimeChartPanel
      {...head}
      {...drawn}
      unit={`${head.unit}${all}${compared}`}
      name={`${chart.title}, ${head.unit}${all}${compared}`}
      axis={axis}
      kind={chart.kind}
      measure={chart.measure}
      {...(chart.absent !== undefined && { absent: chart.absent })}
    />
  )
}

const bareWords: Readonly<Record<string, string>> = {
  created: 'No invoice was created or ended in this time.',
  conversion: 'No invoice was created in this time.',
  volume: 'None was paid in this time.',
  overpayment: 'Nothing was overpaid in this time.',
}
