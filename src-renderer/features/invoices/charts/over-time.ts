/** The charts of a series of tallies. */
import { formatAmount } from '../../../components/amount.ts'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { InvoiceTally } from '../../../../src-preload/contract/invoice-stats.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { formatNumber, fromMs } from '../../../ui/format.ts'
import type { InvoicesQuery } from '../../../app/invoices-route.ts'
import { type Measure, type Point, type Series, count } from '../../../components/charts/series.ts'
import type { ChartKind } from '../../../components/charts/time-chart.tsx'
import { amountsOf, formatShare, perMille, shares } from './measures.ts'

export type TallyStep = Output<'invoiceStats.series'>['steps'][number]

/** A figure of a tally: its height, and its exact text. */
type Figure = { readonly value: number | null; readonly text: string }

type Line = Series & {
  readonly of: (tally: InvoiceTally) => Figure
  /** Which invoices it counts, within a step. */
  readonly rows: (step: Pick<TallyStep, 'startsAt' | 'endsAt'>) => Partial<InvoicesQuery>
  /** Also drawn for the time before; at most one series of a chart. */
  readonly isCompared?: boolean
}

export type OverTimeChart = {
  readonly name: OverTimeName
  readonly title: string
  readonly kind: ChartKind
  readonly measure: Measure
  readonly lines: readonly Line[]
  /** Both, unless it is about one. */
  readonly currency: InvoiceCurrency | null
  /** What is drawn; behind it stands by which step. */
  readonly unit: string
  readonly absent?: string
}

export type OverTimeName =
  'states' | 'conversion' | `volume-${InvoiceCurrency}` | `overpayment-${InvoiceCurrency}`

export const overTimeNames: readonly OverTimeName[] = [
  'states',
  'volume-TON',
  'volume-USDT',
  'conversion',
  'overpayment-TON',
  'overpayment-USDT',
]

export const currencyColours = { TON: 1, USDT: 2 } as const

const counted = (value: number): Figure => ({ value, text: formatNumber(value) })
const created: Line['rows'] = ({ startsAt, endsAt }) => ({
  period: { by: 'created', from: startsAt, to: endsAt },
})
const ended =
  (...statuses: string[]): Line['rows'] =>
  ({ startsAt, endsAt }) => ({ statuses, period: { by: 'ended', from: startsAt, to: endsAt } })

const states: OverTimeChart = {
  name: 'states',
  title: 'Created, paid, expired, cancelled',
  kind: 'bars',
  measure: count,
  currency: null,
  unit: 'invoices',
  lines: [
    {
      key: 'created',
      name: 'created',
      colour: 1,
      of: (tally) => counted(tally.created),
      rows: created,
    },
    {
      key: 'paid',
      name: 'paid',
      stack: 'ended',
      colour: 2,
      isCompared: true,
      of: (tally) => counted(tally.paid),
      rows: ended('paid'),
    },
    {
      key: 'expired',
      name: 'expired',
      stack: 'ended',
      colour: 4,
      of: (tally) => counted(tally.expired),
      rows: ended('expired'),
    },
    {
      key: 'cancelled',
      name: 'cancelled',
      stack: 'ended',
      colour: 7,
      of: (tally) => counted(tally.cancelled),
      rows: ended('cancelled'),
    },
  ],
}

const conversion: OverTimeChart = {
  name: 'conversion',
  title: 'Conversion',
  kind: 'lines',
  measure: shares,
  currency: null,
  unit: 'paid of created invoices',
  absent: 'none created',
  lines: [
    {
      key: 'conversion',
      name: 'conversion',
      colour: 2,
      isCompared: true,
      of: (tally) => {
        const [part, whole] = [BigInt(tally.createdPaid), BigInt(tally.created)]
        const share = perMille(part, whole)
        return {
          value: share === null ? null : Number(share),
          text: formatShare(part, whole) ?? 'none created',
        }
      },
      rows: created,
    },
    {
      key: 'createdPaid',
      name: 'paid of created',
      colour: 7,
      shown: 'table',
      of: (tally) => counted(tally.createdPaid),
      rows: (step) => ({ ...created(step), statuses: ['paid'] }),
    },
    {
      key: 'created',
      name: 'created',
      colour: 7,
      shown: 'table',
      of: (tally) => counted(tally.created),
      rows: created,
    },
  ],
}

function amounts(
  currency: InvoiceCurrency,
  of: 'volume' | 'overpayment',
): Pick<OverTimeChart, 'kind' | 'measure' | 'currency' | 'lines' | 'unit'> {
  const isVolume = of === 'volume'
  const rows: Line['rows'] = (step) => ({
    ...(isVolume ? ended('paid')(step) : { ...ended()(step), overpaid: true }),
    currencies: [currency],
  })
  return {
    kind: 'bars',
    measure: amountsOf(currency),
    currency,
    unit: currency,
    lines: [
      {
        key: of,
        name: isVolume ? 'paid' : 'overpaid',
        colour: isVolume ? currencyColours[currency] : 3,
        isCompared: true,
        of: (tally) => ({
          value: Number(tally[of][currency]),
          text: `${formatAmount(tally[of][currency], currency)} ${currency}`,
        }),
        rows,
      },
      {
        key: 'count',
        name: 'invoices',
        colour: 7,
        shown: 'table',
        of: (tally) => counted(isVolume ? tally.paid : tally.overpaid),
        rows,
      },
    ],
  }
}

const charts: Record<OverTimeName, OverTimeChart> = {
  states,
  conversion,
  'volume-TON': { name: 'volume-TON', title: 'Volume, TON', ...amounts('TON', 'volume') },
  'volume-USDT': { name: 'volume-USDT', title: 'Volume, USDT', ...amounts('USDT', 'volume') },
  'overpayment-TON': {
    name: 'overpayment-TON',
    title: 'Overpayments, TON',
    ...amounts('TON', 'overpayment'),
  },
  'overpayment-USDT': {
    name: 'overpayment-USDT',
    title: 'Overpayments, USDT',
    ...amounts('USDT', 'overpayment'),
  },
}

export function overTimeChart(name: OverTimeName): OverTimeChart {
  return charts[name]
}

export type Drawn = {
  readonly points: readonly Point[]
  readonly series: readonly Series[]
  /** Of a figure of a point; null where it has none. */
  readonly rowsOf: (point: Point, series: string) => Partial<InvoicesQuery> | null
}

/** The points of a chart, with those of the time before. */
export function drawTallies(
  { lines }: OverTimeChart,
  steps: readonly TallyStep[],
  before: readonly TallyStep[] | null,
): Drawn {
  // The last steps correspond: a period may begin within its first step.
  const shift = (before?.length ?? 0) - steps.length
  const formerly = lines.map((line): Line => ({
    ...line,
    key: `${line.key}-before`,
    name: `${line.name}, before`,
    before: line.key,
    shown: line.isCompared === true ? 'ghost' : 'table',
  }))
  const at = new Map(
    steps.map((step, index) => [fromMs(step.startsAt), [step, before?.[index + shift]] as const]),
  )
  const points = [...at].map(([startsAt, [step, former]]): Point => {
    const figures = [
      ...lines.map((line) => [line.key, line.of(step.tally)] as const),
      ...formerly.flatMap((line) =>
        former === undefined ? [] : [[line.key, line.of(former.tally)] as const],
      ),
    ]
    return {
      startsAt,
      values: Object.fromEntries(figures.map(([key, { value }]) => [key, value])),
      texts: Object.fromEntries(figures.map(([key, { text }]) => [key, text])),
    }
  })
  return {
    points,
    series: before === null ? lines : [...lines, ...formerly],
    rowsOf: ({ startsAt }, key) => {
      const [step, former] = at.get(startsAt) ?? []
      const line = lines.find((each) => each.key === key)
      if (line !== undefined) return step === undefined ? null : line.rows(step)
      const ghost = formerly.find((each) => each.key === key)
      return ghost === undefined || former === undefined ? null : ghost.rows(former)
    },
  }
}

/** The totals in a sentence. */
export function sayAll(
  { lines, currency }: OverTimeChart,
  steps: readonly Pick<TallyStep, 'tally'>[],
): string {
  const sum = (of: (tally: InvoiceTally) => bigint) =>
    steps.reduce((total, { tally }) => total + of(tally), 0n)
  if (currency !== null) {
    const isVolume = lines[0]?.key === 'volume'
    const total = sum((tally) => BigInt(tally[isVolume ? 'volume' : 'overpayment'][currency]))
    return `${formatAmount(String(total), currency)} ${currency}`
  }
  if (lines === conversion.lines) {
    const part = sum((tally) => BigInt(tally.createdPaid))
    return (
      formatShare(
        part,
        sum((tally) => BigInt(tally.created)),
      ) ?? 'none created'
    )
  }
  return (['created', 'paid', 'expired', 'cancelled'] as const)
    .map((key) => `${formatNumber(sum((tally) => BigInt(tally[key])))} ${key}`)
    .join(', ')
}

/** Every figure is zero. */
export function isBare({ lines }: OverTimeChart, steps: readonly TallyStep[]): boolean {
  return steps.every(({ tally }) => lines.every((line) => (line.of(tally).value ?? 0) === 0))
}
