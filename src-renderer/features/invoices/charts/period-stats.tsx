import type { ReactNode } from 'react'
import { currencyName } from '../../../../src-preload/domain/amount.ts'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import { invoiceCurrencies } from '../../../../src-preload/domain/invoice-values.ts'
import { type InvoicesQuery, invoicesOf } from '../../../app/invoices-route.ts'
import { request, useData, useDataBy } from '../../../app/bridge.ts'
import { routeHref } from '../../../app/route.ts'
import { formatAmount } from '../../../components/amount.ts'
import { useClockOffset, useGatewayNow } from '../../../components/gateway-clock.ts'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatDuration, formatNumber, formatShare, fromMs, trimZeros } from '../../../ui/format.ts'
import { Note } from '../../../ui/layout.tsx'
import { Figure, Stats } from '../../../ui/values.tsx'
import type { Period, PeriodStep } from '../period.ts'
import { describeBefore, describeChange } from './over-time.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { createStored } from '../../../app/stored.ts'
import { useNow } from '../../../ui/time.tsx'

/** The figures are loaded again at this interval even if nothing has changed, because time passes. */
const quietMs = 60_000

export type PeriodTotals = Output<'invoiceStats.totals'> & {
  /** The start of the elapsed part of the period, which is compared with the time before. */
  readonly from: number
  readonly to: number
}

const quarter = 15 * 60_000

/** Loads the figures of the elapsed part of a period, and of the same length of time before it. */
export function usePeriodTotals(network: NetworkId, { from, to, currencies }: Period) {
  const now = useNow() / 1000 + useClockOffset(network)
  // One minute is added because clocks differ. The ledger is summed up in quarters of an hour.
  const passed = Math.ceil((now + 60_000) / quarter) * quarter
  const end = passed > from && passed < to ? passed : to
  const span = { network, from, to: end, currencies: [...currencies] }
  const query = useDataBy('invoiceStats.totals', span, () => request('invoiceStats.totals', span), {
    everyMs: quietMs,
  })
  const data: PeriodTotals | undefined = query.data && { ...query.data, from, to: end }
  return { data, error: query.error, refetch: query.refetch }
}

/** Loads the amounts of all pending invoices in a currency, by the time until they expire. */
export function useOpenByExpiry(network: NetworkId, currency: InvoiceCurrency) {
  const input = { network, currencies: [currency] }
  return useDataBy(
    'invoiceStats.openByExpiry',
    input,
    () => request('invoiceStats.openByExpiry', input),
    { everyMs: quietMs },
  )
}

/** Returns the current time of the gateway's clock, in microseconds. */
export const useChartNow = (network: NetworkId): number =>
  useNow() + fromMs(useClockOffset(network))

type ChartChoice = {
  /** The name of an `OverTimeChart` and the name of a distribution. */
  readonly over: string
  readonly beside: string
  /** The length of a step; null chooses the length that suits the period. */
  readonly step: PeriodStep | null
  /** True if the previous period is drawn too. */
  readonly compares: boolean
}

export const { use: useChartChoice, change: chooseCharts } = createStored<ChartChoice>(
  'tondesk.invoice-charts',
  ({ over = 'states', beside = 'payment-time', step = null, compares }) => ({
    over,
    beside,
    step,
    compares: compares === true,
  }),
)

const hour = 3_600_000

const hrefOf = (rows: Partial<InvoicesQuery>) => routeHref(invoicesOf(rows))

type Props = { readonly period: Period; readonly figures: PeriodTotals | undefined }

/** Shows the figures of a period, compared with the time before. Each figure links to its invoices. */
export function PeriodStats({
  period,
  query: { data: stats, error, refetch },
}: {
  period: Period
  query: { data: PeriodTotals | undefined; error: Error | null; refetch: () => unknown }
}) {
  if (stats === undefined && error !== null) {
    return (
      <Note tone="bad">
        Could not load the figures: {error.message}{' '}
        <Button onClick={() => void refetch()}>Try again</Button>
      </Note>
    )
  }
  const shown = invoiceCurrencies.filter(
    (each) => period.currencies.length === 0 || period.currencies.includes(each),
  )
  const { from, to } = period
  const values = shown.map(
    (each) => `${trimZeros(formatAmount(stats?.now.volume[each] ?? '0', each))} ${each}`,
  )
  return (
    <Stats label="Summary of the period" values={values}>
      {shown.map((currency) => (
        <PaidFigure key={currency} currency={currency} period={period} figures={stats} />
      ))}
      <Figure
        name="Conversion rate"
        value={stats && (shareOf(stats.now) ?? '–')}
        href={hrefOf({ currencies: period.currencies, period: { by: 'created', from, to } })}
        more={[stats && describeConversion(stats), stats && describeMedian(stats)]}
      />
      <PendingFigure period={period} shown={shown} figures={stats} />
    </Stats>
  )
}

function PaidFigure({
  currency,
  period: { from, to },
  figures,
}: Props & { currency: InvoiceCurrency }) {
  const rows = { currencies: [currency], period: { by: 'ended', from, to } } as const
  const over = figures?.now.overpayment[currency] ?? '0'
  return (
    <Figure
      name="Paid"
      value={figures && formatAmount(figures.now.volume[currency], currency)}
      unit={currencyName(currency)}
      href={hrefOf({ ...rows, statuses: ['paid'] })}
      more={[
        figures &&
          describeChange(
            BigInt(figures.now.volume[currency]),
            BigInt(figures.before.volume[currency]),
            describeBefore(figures.from, figures.to),
          ),
        over !== '0' && (
          <a key="over" href={hrefOf({ ...rows, overpaid: true })}>
            overpaid {trimZeros(formatAmount(over, currency))} {currencyName(currency)}
          </a>
        ),
      ]}
    />
  )
}

function PendingFigure({
  period: { currencies },
  shown,
  figures,
}: Props & { shown: readonly InvoiceCurrency[] }) {
  const { id: network } = useShownNetwork()
  const now = useGatewayNow(network) / 1000
  const counts = useData('invoice.counts', { network }).data
  const rows = { currencies, statuses: ['pending'] }
  const open = figures?.open
  // The filter by state beside this figure has the same count, which is updated before the other figures.
  const all = counts && (counts.byStatus['pending'] ?? 0)
  const count = currencies.length === 0 ? all : open?.count
  const amounts = shown.map(
    (each) => `${trimZeros(formatAmount(open?.amount[each] ?? '0', each))} ${each}`,
  )
  const expiring: ReactNode =
    open?.withinHour === 0 ? (
      'none expires within an hour'
    ) : (
      <a href={hrefOf({ ...rows, period: { by: 'expires', from: now, to: now + hour } })}>
        {formatNumber(open?.withinHour ?? 0)} {open?.withinHour === 1 ? 'expires' : 'expire'} within
        an hour
      </a>
    )
  return (
    <Figure
      name="Pending"
      value={count === undefined ? undefined : formatNumber(count)}
      unit={count === 1 ? 'invoice' : 'invoices'}
      href={hrefOf(rows)}
      more={[open && expiring, open && amounts.join(', ')]}
    />
  )
}

const shareOf = ({ created, createdPaid }: PeriodTotals['now']): string | null =>
  formatShare(BigInt(createdPaid), BigInt(created))

function describeConversion({ now, before }: PeriodTotals): string {
  const share = shareOf(before)
  const former = share === null ? '' : `, ${share} before`
  if (now.created === 0) return `none created${former}`
  return `${formatNumber(now.createdPaid)} of ${formatNumber(now.created)} paid${former}`
}

function describeMedian({ now, medianSeconds }: PeriodTotals): string | null {
  if (now.paid === 0 || medianSeconds === null) return null
  const median = medianSeconds === 0 ? 'under 1 s' : formatDuration(medianSeconds * 1e6)
  return `median ${median} to payment`
}
