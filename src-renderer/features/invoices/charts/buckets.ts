/** The distribution charts: the time to payment, and the time until pending invoices expire. */
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import { currencyName } from '../../../../src-preload/domain/amount.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { invoiceCurrencies } from '../../../../src-preload/domain/invoice-values.ts'
import type { InvoicesQuery } from '../../../app/invoices-route.ts'
import { formatColumnMoney } from '../../../components/amount.ts'
import { type Measure, type Point, type Series, count } from '../../../components/charts/series.ts'
import type { TimeAxis } from '../../../components/charts/time-axis.ts'
import { formatDuration, formatNumber } from '../../../ui/format.ts'
import { amountsOf, type Drawn, currencyColours } from './over-time.ts'

type PaymentTimes = Output<'invoiceStats.timeToPayment'>['buckets']
type OpenSteps = Output<'invoiceStats.openByExpiry'>['steps']

export type Distribution = Drawn & {
  readonly axis: TimeAxis
  readonly measure: Measure
  /** The number of invoices in this bucket. */
  readonly total: number
}

/** The maximum number of labels that fit below the narrower of two charts. */
const maxTicks = 5

/** Draws the times to payment of the invoices that were paid in the period. */
export function drawPaymentTimes(
  buckets: PaymentTimes,
  chosen: readonly InvoiceCurrency[],
  period: { readonly from: number; readonly to: number },
): Distribution {
  const series = invoiceCurrencies
    .filter((each) => chosen.length === 0 || chosen.includes(each))
    .map((each): Series => ({ key: each, name: currencyName(each), colour: currencyColours[each] }))
  return {
    points: buckets.map(({ count: { TON, USDT } }, index): Point => ({
      startsAt: index,
      values: { TON, USDT },
    })),
    series,
    measure: count,
    total: buckets.reduce((sum, { count: { TON, USDT } }) => sum + TON + USDT, 0),
    axis: axisOf(
      buckets.map(({ fromSeconds }) => formatStart(fromSeconds, buckets[0]?.toSeconds ?? null)),
      buckets.map(({ fromSeconds, toSeconds }) => describeBucket(fromSeconds, toSeconds)),
    ),
    rowsOf: ({ startsAt }, key): Partial<InvoicesQuery> | null => {
      const bucket = buckets[startsAt]
      const currency = invoiceCurrencies.find((each) => each === key)
      if (bucket === undefined || currency === undefined) return null
      return {
        statuses: ['paid'],
        currencies: [currency],
        period: { by: 'ended', ...period },
        paidWithin: { from: bucket.fromSeconds, to: bucket.toSeconds },
      }
    },
  }
}

/** Draws the amounts due of the pending invoices in a currency, by the time until they expire. */
export function drawOpen(steps: OpenSteps, currency: InvoiceCurrency): Distribution {
  // The first step ends at the time of the request, when the second step begins.
  const now = steps.find(({ from }) => from === null)?.to ?? steps[0]?.from ?? 0
  return {
    points: steps.map((step, index): Point => ({
      startsAt: index,
      values: { amount: Number(step.amount[currency]), count: step.count },
      texts: {
        amount: formatColumnMoney(step.amount[currency], currency),
        count: formatNumber(step.count),
      },
    })),
    series: [
      { key: 'amount', name: 'amount due', colour: currencyColours[currency] },
      { key: 'count', name: 'invoices', colour: 7, shown: 'table' },
    ],
    measure: amountsOf(currency),
    total: steps.reduce((sum, step) => sum + step.count, 0),
    axis: axisOf(
      steps.map(({ from }) => (from === null ? 'overdue' : formatSeconds((from - now) / 1000))),
      steps.map(({ from, to }) => describeExpiry(from, to, now)),
    ),
    rowsOf: ({ startsAt }) => {
      const step = steps[startsAt]
      if (step === undefined) return null
      return {
        statuses: ['pending'],
        currencies: [currency],
        period: { by: 'expires', from: step.from, to: step.to },
      }
    },
  }
}

function axisOf(ticks: readonly string[], steps: readonly string[]): TimeAxis {
  const stride = Math.ceil(ticks.length / maxTicks)
  return {
    ticks: [...ticks.keys()].filter((index) => index % stride === 0),
    tick: (index) => ticks[index] ?? '',
    step: (index) => steps[index] ?? '',
  }
}

/** Formats a duration: `45 s`, `5 min`, `1 h`, `2 d`. */
const formatSeconds = (seconds: number): string =>
  seconds < 0.5 ? 'now' : formatDuration(Math.round(seconds) * 1e6)

const formatStart = (from: number, firstTo: number | null): string =>
  from === 0 && firstTo !== null ? `<${formatSeconds(firstTo)}` : formatSeconds(from)

/** Describes the range of a bucket: `under 1 min`, `1 to 2 min`, `45 min to 1 h`, `over 1 d`. */
export function describeBucket(from: number, to: number | null): string {
  if (to === null) return `${formatSeconds(from)} or more`
  if (from === 0) return `under ${formatSeconds(to)}`
  const [first, last] = [formatSeconds(from), formatSeconds(to)]
  const unit = / (\S+)$/.exec(last)?.[1]
  const short = /^(\S+) (\S+)$/.exec(first)
  return short !== null && short[2] === unit ? `${short[1]} to ${last}` : `${first} to ${last}`
}

function describeExpiry(from: number | null, to: number | null, now: number): string {
  if (from === null) return 'overdue'
  const first = Math.max(0, (from - now) / 1000)
  return `in ${describeBucket(Math.round(first), to === null ? null : (to - now) / 1000)}`
}
