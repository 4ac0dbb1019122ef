/** The charts of tallies over time. */
import type { InvoiceTally } from '../../../../src-preload/contract/invoice-stats.ts'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { decimalsOf, currencyName } from '../../../../src-preload/domain/amount.ts'
import type { InvoicesQuery } from '../../../app/invoices-route.ts'
import { formatColumnMoney, formatUnits } from '../../../components/amount.ts'
import {
  type Measure,
  type Point,
  type Series,
  count,
  isDrawn,
  roundTicks,
} from '../../../components/charts/series.ts'
import type { TimeAxis } from '../../../components/charts/time-axis.ts'
import type { ChartKind } from '../../../components/charts/plan.ts'
import {
  formatDay,
  formatMinute,
  formatNumber,
  formatShare,
  fromMs,
  oneDecimal,
  thousandths,
  trimZeros,
} from '../../../ui/format.ts'
import { type PeriodStep, periodSteps } from '../period.ts'

export type TallyStep = Output<'invoiceStats.series'>['steps'][number]

type Line = Series & {
  /** Returns the height of a value and its exact text. */
  readonly of: (tally: InvoiceTally) => { readonly value: number | null; readonly text: string }
  /** Returns the filter of the invoices that are counted within a step. */
  readonly rows: (step: Omit<TallyStep, 'tally'>) => Partial<InvoicesQuery>
  /** True if the previous period is drawn too. At most one series of a chart has this. */
  readonly isCompared?: boolean
}

export type OverTimeChart = {
  /** The name under which the user's choice of this chart is stored. */
  readonly name: string
  readonly title: string
  readonly kind: ChartKind
  readonly measure: Measure
  readonly lines: readonly Line[]
  /** The currency of the chart; null if the chart covers both. */
  readonly currency: InvoiceCurrency | null
  readonly unit: string
  /** The text for a point without a value. */
  readonly absent?: string
  /** The text in place of a chart that has no values. */
  readonly nothing: string
}

export const currencyColours = { TON: 1, USDT: 2 } as const

type Count = 'created' | 'createdPaid' | 'paid' | 'expired' | 'cancelled' | 'overpaid'

/** Creates the line that shows a number of invoices. */
function countLine(key: Count, rest: Pick<Line, 'colour' | 'rows'> & Partial<Line>): Line {
  const of = (tally: InvoiceTally) => ({ value: tally[key], text: formatNumber(tally[key]) })
  return { key, name: key, of, ...rest }
}

const created: Line['rows'] = ({ startsAt, endsAt }) => ({
  period: { by: 'created', from: startsAt, to: endsAt },
})
const ended =
  (...statuses: string[]): Line['rows'] =>
  ({ startsAt, endsAt }) => ({ statuses, period: { by: 'ended', from: startsAt, to: endsAt } })

const stack = 'ended'

/** The values are thousandths and are displayed as percent. */
const shares: Measure = {
  print: (value) => `${value / 10} %`,
  ticks: () => [0, 250, 500, 750, 1000],
}

const states: OverTimeChart = {
  name: 'states',
  title: 'Created, paid, expired, cancelled',
  kind: 'bars',
  measure: count,
  currency: null,
  unit: 'invoices',
  nothing: 'No invoice was created, paid, expired or cancelled in this period.',
  lines: [
    countLine('created', { colour: 1, rows: created }),
    countLine('paid', { colour: 2, stack, isCompared: true, rows: ended('paid') }),
    countLine('expired', { colour: 4, stack, rows: ended('expired') }),
    countLine('cancelled', { colour: 7, stack, rows: ended('cancelled') }),
  ],
}

const conversion: OverTimeChart = {
  name: 'conversion',
  title: 'Conversion rate',
  kind: 'lines',
  measure: shares,
  currency: null,
  unit: 'created invoices that were paid (%)',
  absent: 'none created',
  nothing: 'No invoice was created in this period.',
  lines: [
    {
      key: 'conversion',
      name: 'conversion',
      colour: 2,
      isCompared: true,
      of: (tally) => {
        const [part, whole] = [BigInt(tally.createdPaid), BigInt(tally.created)]
        const share = thousandths(part, whole)
        return {
          value: share === null ? null : Number(share),
          text: formatShare(part, whole) ?? 'none created',
        }
      },
      rows: created,
    },
    countLine('createdPaid', {
      name: 'created and paid',
      colour: 7,
      shown: 'table',
      rows: (step) => ({ ...created(step), statuses: ['paid'] }),
    }),
    countLine('created', { colour: 7, shown: 'table', rows: created }),
  ],
}

function amountChart(of: 'volume' | 'overpayment', currency: InvoiceCurrency): OverTimeChart {
  const isVolume = of === 'volume'
  const rows: Line['rows'] = (step) => ({
    ...(isVolume ? ended('paid')(step) : { ...ended()(step), overpaid: true }),
    currencies: [currency],
  })
  return {
    name: `${of}-${currency}`,
    title: isVolume ? 'Volume' : 'Overpayments',
    kind: 'bars',
    measure: amountsOf(currency),
    currency,
    unit: currency,
    nothing: `No invoice was ${isVolume ? 'paid' : 'overpaid'} in this period.`,
    lines: [
      {
        key: of,
        name: isVolume ? 'paid' : 'overpaid',
        colour: isVolume ? currencyColours[currency] : 3,
        isCompared: true,
        of: (tally) => ({
          value: Number(tally[of][currency]),
          text: formatColumnMoney(tally[of][currency], currency),
        }),
        rows,
      },
      countLine(isVolume ? 'paid' : 'overpaid', {
        key: 'count',
        name: 'invoices',
        colour: 7,
        shown: 'table',
        rows,
      }),
    ],
  }
}

export const overTimeCharts: readonly OverTimeChart[] = [
  states,
  amountChart('volume', 'TON'),
  amountChart('volume', 'USDT'),
  conversion,
  amountChart('overpayment', 'TON'),
  amountChart('overpayment', 'USDT'),
]

/** Returns the title of a chart, for example `Volume, TON`. */
export function titleOf({ title, currency }: Pick<OverTimeChart, 'title' | 'currency'>): string {
  return currency === null ? title : `${title}, ${currencyName(currency)}`
}

/**
 * Finds a chart by its name. If its currency is not offered, the same chart of the other currency
 * replaces it.
 */
export function findChart(name: string, offered: readonly OverTimeChart[]): OverTimeChart {
  const [kind] = name.split('-')
  return (
    offered.find((each) => each.name === name) ??
    offered.find((each) => each.name.startsWith(`${kind}-`)) ??
    states
  )
}

export type Drawn = {
  readonly points: readonly Point[]
  readonly series: readonly Series[]
  /** Returns the filter of the invoices behind a value; null if the point has no value. */
  readonly rowsOf: (point: Point, series: string) => Partial<InvoicesQuery> | null
}

/** Computes the points of a chart, with the values of the previous period. */
export function drawTallies(
  { lines }: OverTimeChart,
  steps: readonly TallyStep[],
  before: readonly TallyStep[] | null,
): Drawn {
  // The two periods are aligned at their ends, because a period may begin within its first step.
  const shift = (before?.length ?? 0) - steps.length
  const formerly = lines.map((line): Line => ({
    ...line,
    key: `${line.key}-before`,
    name: `${line.name}, previous period`,
    before: line.key,
    shown: line.isCompared === true ? 'ghost' : 'table',
  }))
  const series = before === null ? lines : [...lines, ...formerly]
  const stepsAt = new Map(
    steps.map((now, index) => [fromMs(now.startsAt), { now, former: before?.[index + shift] }]),
  )
  /** Returns the step whose value a series shows at a point. */
  const stepOf = (startsAt: number, line: Line) =>
    stepsAt.get(startsAt)?.[line.before === undefined ? 'now' : 'former']
  const points = [...stepsAt.keys()].map((startsAt): Point => {
    const stats = series.flatMap((line) => {
      const step = stepOf(startsAt, line)
      return step === undefined ? [] : [[line.key, line.of(step.tally)] as const]
    })
    return {
      startsAt,
      values: Object.fromEntries(stats.map(([key, { value }]) => [key, value])),
      texts: Object.fromEntries(stats.map(([key, { text }]) => [key, text])),
    }
  })
  return {
    points,
    series,
    rowsOf: ({ startsAt }, key) => {
      const line = series.find((each) => each.key === key)
      const step = line && stepOf(startsAt, line)
      return line === undefined || step === undefined ? null : line.rows(step)
    },
  }
}

/**
 * Describes the totals: `12 created, 9 paid, 1 expired, 0 cancelled`. A chart with one line has
 * only its own text.
 */
export function describeTotal({ lines }: OverTimeChart, tally: InvoiceTally): string {
  const drawn = lines.filter(isDrawn)
  const texts = drawn.map(({ of, name }) =>
    drawn.length === 1 ? of(tally).text : `${of(tally).text} ${name}`,
  )
  return texts.join(', ')
}

/** True if every value of the chart is zero. */
export function isBare({ lines }: OverTimeChart, steps: readonly Pick<TallyStep, 'tally'>[]) {
  return steps.every(({ tally }) => lines.every((line) => (line.of(tally).value ?? 0) === 0))
}

/** The maximum number of labels that fit beside each other. */
const maxTicks = 7
const strides: Record<PeriodStep, readonly number[]> = {
  hour: [1, 2, 3, 4, 6, 12, 24, 48, 72, 120],
  day: [1, 2, 5, 7, 10, 14, 30, 60],
  week: [1, 2, 4, 8, 13, 26, 52],
  month: [1, 2, 3, 6, 12, 24, 60],
}

const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric' })

/** Creates the time axis with steps of hours, days, weeks or months in this computer's zone. */
export function stepAxis(
  steps: readonly Omit<TallyStep, 'tally'>[],
  kind: PeriodStep,
  now: number,
): TimeAxis {
  const ends = new Map(steps.map(({ startsAt, endsAt }) => [fromMs(startsAt), fromMs(endsAt)]))
  const stride =
    strides[kind].find((each) => steps.length / each <= maxTicks) ??
    Math.ceil(steps.length / maxTicks)
  return {
    ofSteps: (starts) =>
      stepAxis(
        steps.filter(({ startsAt }) => starts.includes(fromMs(startsAt))),
        kind,
        now,
      ),
    ticks: [...ends.keys()].filter((_, index) => index % stride === 0),
    tick: (at) => {
      if (kind === 'month') return formatMonth(at)
      return kind === 'hour' && stride < 24 ? formatMinute(at) : formatDay(at, now)
    },
    step: (at) => {
      const end = ends.get(at) ?? at + 1
      if (kind === 'hour') {
        return `${formatDay(at, now)}, ${formatMinute(at)} to ${formatMinute(end)}`
      }
      if (kind === 'month') return formatMonth(at)
      const [first, last] = [formatDay(at, now), formatDay(end - 1, now)]
      return first === last ? first : `${first} to ${last}`
    },
  }
}

const formatMonth = (at: number): string => month.format(new Date(at / 1000))

const hour = 3_600_000
const day = 24 * hour
const lengths: Record<PeriodStep, number> = { hour, day, week: 7 * day, month: 30.4 * day }

/** Two bars of a step stand beside each other; more steps than this would be too thin to see. */
const maxSteps = 37

/** Steps that divide a span into more than one bar, each wide enough to be seen. */
export function stepsFor(from: number, to: number): PeriodStep[] {
  return periodSteps.filter((kind) => {
    const count = (to - from) / lengths[kind]
    return count > 1.5 && count <= maxSteps
  })
}

/**
 * Measures amounts in the smallest unit. Only heights are floats: the tooltip and the table show
 * the exact text of a point, and the labels of the axis are round numbers.
 */
export function amountsOf(currency: InvoiceCurrency): Measure {
  const decimals = decimalsOf[currency]
  return {
    print: (value) => trimZeros(formatUnits(String(BigInt(Math.round(value))), decimals)),
    ticks: (limit) => roundTicks(limit === 0 ? 10 ** decimals : limit),
  }
}

/** Describes a change: `+18 % on the 30 days before`. */
export function describeChange(now: bigint, before: bigint, span: string): string | null {
  // If both values are zero, there is no change to describe.
  if (before === 0n) return now === 0n ? null : `nothing in ${span}`
  if (now === before) return `as much as in ${span}`
  if (now >= before * 10n) return `${formatNumber(now / before)} times ${span}`
  const isMore = now > before
  const size = isMore ? now - before : before - now
  const share = (size * 2000n + before) / (before * 2n)
  const sign = isMore ? '+' : '−'
  if (share === 0n) return `${sign}<0.1 % on ${span}`
  // Only a change to zero is a change of −100 %.
  if (share === 1000n && !isMore && now > 0n) return `−>99.9 % on ${span}`
  const text = share < 100n ? trimZeros(oneDecimal(share)) : formatNumber((share + 5n) / 10n)
  return `${sign}${text} % on ${span}`
}

/** Describes the period of the same length before a span of milliseconds: `the 30 days before`. */
export function describeBefore(from: number, to: number): string {
  const length = to - from
  if (length <= day) {
    const hours = Math.max(1, Math.ceil(length / hour))
    return hours === 1 ? 'the hour before' : `the ${hours} h before`
  }
  // The day on which summer time begins or ends is one hour shorter or longer.
  return `the ${formatNumber(Math.ceil((length - hour) / day))} days before`
}
