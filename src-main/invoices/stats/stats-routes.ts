import { isDeepStrictEqual } from 'node:util'
import type { Handlers, Output } from '../../../src-preload/contract/routes.ts'
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { InvoiceTally } from '../../../src-preload/contract/invoice-stats.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { InvoiceReader } from '../store/invoice-reader.ts'
import type { PaymentTime, Tally } from '../store/invoice-tallies.ts'
import type { ApplicationIds, InvoicesContext } from '../context.ts'
import { serializeUnits } from '../../../src-preload/domain/amount.ts'
import { invoiceCurrencies } from '../../../src-preload/domain/invoice-values.ts'
import { AppError, invoiceStatsCodes } from '../../../src-preload/domain/app-error.ts'
import { zoneTimesOf } from '../../exports/zone-times.ts'
import { type Step, dateAt, dayMs, firstDate, nextDate, startOf } from '../calendar.ts'

type Bucket = Output<'invoiceStats.timeToPayment'>['buckets'][number]

/**
 * The beginnings of bars in seconds, up to a week. Each is the beginning of a bucket of the store,
 * so no bucket is split.
 */
const barStarts = [
  0, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 259_200, 604_800,
]

function distribute(times: readonly PaymentTime[]): Bucket[] {
  const bars = barStarts.map((fromSeconds, index): Bucket => ({
    fromSeconds,
    toSeconds: barStarts[index + 1] ?? null,
    count: { TON: 0, USDT: 0 },
  }))
  for (const { currency, seconds, count } of times) {
    const bar = bars.findLast(({ fromSeconds }) => fromSeconds <= seconds)
    if (bar !== undefined) bar.count[currency] += count
  }
  return bars
}

/**
 * The median in seconds, accurate to a bucket (0.8 %); the lower of the two middle values for an
 * even count.
 */
function medianOf(times: readonly PaymentTime[]): number | null {
  let left = Math.ceil(times.reduce((sum, { count }) => sum + count, 0) / 2)
  for (const { seconds, count } of times.toSorted((a, b) => a.seconds - b.seconds)) {
    left -= count
    if (left <= 0) return seconds
  }
  return null
}

const hourMs = 3_600_000
/** The year 10000, beyond which time zones are not computed. */
const endOfDates = 253_402_300_800_000
const dueWithin = [hourMs, 6 * hourMs, dayMs, 3 * dayMs, 7 * dayMs, 30 * dayMs]

export function createStatsRoutes(
  { access, chainNow, now, store }: InvoicesContext,
  reader: Pick<InvoiceReader, 'ask'>,
  applicationIds: ApplicationIds,
): Pick<Handlers, Extract<keyof Handlers, `invoiceStats.${string}`>> {
  const nowThere = (network: NetworkId) => chainNow(network).catch(now)

  function totalsOf(network: NetworkId, currency: InvoiceCurrency) {
    const all = store.totals.of(network).filter((each) => each.currency === currency)
    const of = (status: string) => all.find((each) => each.status === status)
    return {
      total: all.reduce((sum, { count }) => sum + count, 0),
      pending: of('pending')?.count ?? 0,
      ...serializeUnits({
        paidAmount: of('paid')?.amount ?? 0n,
        pendingAmount: of('pending')?.amount ?? 0n,
      }),
    }
  }

  return {
    async 'invoiceStats.totals'({ network, from, to, currencies: chosen }) {
      access.info(network)
      const at = await nowThere(network)
      const end = Math.max(from, to)
      const span = { network, currencies: chosen }
      const bounds = [from - (end - from), from, end]
      const [tallies, times, due] = await Promise.all([
        reader.ask('tallies', { ...span, bounds }),
        reader.ask('paymentTimes', { ...span, from, to: end }),
        reader.ask('due', { ...span, bounds: [at, at + hourMs] }),
      ])
      const [before, current] = tallies
      if (before === undefined || current === undefined) throw new Error('The totals are missing.')
      const sumDue = (currency: InvoiceCurrency) =>
        due.reduce((sum, { amount }) => sum + amount[currency], 0n)
      return {
        now: formatTally(current),
        before: formatTally(before),
        medianSeconds: medianOf(times),
        open: {
          count: due.reduce((sum, { count }) => sum + count, 0),
          amount: serializeUnits({ TON: sumDue('TON'), USDT: sumDue('USDT') }),
          withinHour: due[1]?.count ?? 0,
        },
      }
    },
    async 'invoiceStats.series'({ network, from, to, currencies: chosen, step, zone }) {
      access.info(network)
      const span = { from: Math.max(0, from), to: Math.min(endOfDates, to) }
      const steps = stepsOf(span, step, zone)
      const bounds = [...steps.map(({ startsAt }) => startsAt), span.to]
      const tallies = await reader.ask('tallies', { network, currencies: chosen, bounds })
      return {
        steps: steps.flatMap((bounds, index) => {
          const tally = tallies[index]
          return tally === undefined ? [] : [{ ...bounds, tally: formatTally(tally) }]
        }),
      }
    },
    async 'invoiceStats.timeToPayment'({ network, from, to, currencies: chosen }) {
      access.info(network)
      const requested = { network, currencies: chosen, from, to }
      return { buckets: distribute(await reader.ask('paymentTimes', requested)) }
    },
    async 'invoiceStats.openByExpiry'({ network, currencies: chosen }) {
      access.info(network)
      const at = await nowThere(network)
      const bounds = [at, ...dueWithin.map((ms) => at + ms)]
      const due = await reader.ask('due', { network, currencies: chosen, bounds })
      const steps = due.map(({ count, amount }, index) => {
        const span = { from: bounds[index - 1] ?? null, to: bounds[index] ?? null }
        return { ...span, count, amount: serializeUnits(amount) }
      })
      return { steps }
    },
    async 'invoiceStats.gateway'({ network }) {
      const client = access.invoices(network)
      const { appId } = applicationIds(network)
      const queryOptions = { signal: access.interest(network) }
      return Promise.all(
        invoiceCurrencies.map(async (currency) => {
          const stats = await client.stats(currency, appId, queryOptions)
          const { total, pending, paidAmount, pendingAmount } = stats
          const gateway = { total, pending, ...serializeUnits({ paidAmount, pendingAmount }) }
          const ledger = totalsOf(network, currency)
          return { currency, gateway, ledger, agrees: isDeepStrictEqual(gateway, ledger) }
        }),
      )
    },
  }
}

const formatTally = ({ volume, overpayment, ...counts }: Tally): InvoiceTally => ({
  ...counts,
  volume: serializeUnits(volume),
  overpayment: serializeUnits(overpayment),
})

type StepBounds = Omit<Output<'invoiceStats.series'>['steps'][number], 'tally'>

export const maxSteps = 400

/**
 * The first and the last step are cut at the ends of the span, so that the steps add up to it; no
 * step is empty.
 * @throws AppError INVOICE_ZONE_UNKNOWN, INVOICE_TOO_MANY_STEPS
 */
export function stepsOf(
  { from, to }: { readonly from: number; readonly to: number },
  step: Step,
  zone: string,
): StepBounds[] {
  const times = zoneTimesOf(zone, invoiceStatsCodes.zoneUnknown)
  const steps: StepBounds[] = []
  if (from >= to) return steps
  let date = firstDate(dateAt(from, times), step)
  // A day may begin twice, or some time after the date changes, so the previous day is checked too.
  if (startOf(date, times) > from) date = nextDate(date, step, -1)
  for (;;) {
    const start = startOf(date, times)
    date = nextDate(date, step, 1)
    const end = startOf(date, times)
    for (const each of step === 'hour' ? hoursOf(start, end) : [{ startsAt: start, endsAt: end }]) {
      const startsAt = Math.max(from, each.startsAt)
      const endsAt = Math.min(to, each.endsAt)
      if (startsAt < endsAt) steps.push({ startsAt, endsAt })
      if (steps.length > maxSteps) throw tooMany(step)
    }
    if (end >= to) return steps
  }
}

/** Returns elapsed hours: a day with a clock change has one more or one less. */
function hoursOf(start: number, end: number): StepBounds[] {
  return Array.from({ length: Math.ceil((end - start) / hourMs) }, (_, hour) => ({
    startsAt: start + hour * hourMs,
    endsAt: Math.min(end, start + (hour + 1) * hourMs),
  }))
}

function tooMany(step: Step): AppError {
  const wider = { hour: 'days', day: 'weeks', week: 'months', month: 'a shorter period' }[step]
  return new AppError(
    invoiceStatsCodes.tooManySteps,
    `The period has more than ${maxSteps} ${step}s. Choose ${wider}.`,
  )
}
