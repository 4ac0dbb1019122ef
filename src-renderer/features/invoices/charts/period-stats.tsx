import type { ReactNode } from 'react'
import { currencyName } from '../../../../src-preload/domain/amount.ts'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import { invoiceCurrencies } from '../../../../src-preload/domain/invoice-values.ts'
import { type InvoicesQuery, invoicesOf } from '../../../app/invoices-route.ts'
import { useData } from '../../../app/bridge.ts'
import { routeHref } from '../../../app/route.ts'
import { formatAmount } from '../../../components/amount.ts'
import { useGatewayNow } from '../../../components/gateway-clock.ts'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatDuration, formatNumber, formatShare, trimZeros } from '../../../ui/format.ts'
import { Note } from '../../../ui/layout.tsx'
import { Figure, Stats } from '../../../ui/values.tsx'
import type { Period } from '../period.ts'
import { describeBefore, describeChange } from './over-time.ts'
import type { PeriodTotals as Numbers } from './stats.ts'

const hour = 3_600_000

const hrefOf = (rows: Partial<InvoicesQuery>) => routeHref(invoicesOf(rows))

type Props = { readonly period: Period; readonly figures: Numbers | undefined }

/** The figures of a period, compared with the time before. Each leads to its rows. */
export function PeriodStats({
  period,
  query: { data: stats, error, refetch },
}: {
  period: Period
  query: { data: Numbers | undefined; error: Error | null; refetch: () => unknown }
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
    (each) => `${formatAmount(stats?.now.volume[each] ?? '0', each)} ${each}`,
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
        over === '0' ? (
          figures && 'nothing overpaid'
        ) : (
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
  // The filter for the state beside this figure has the same count, which changes before the other figures.
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

function shareOf({ created, createdPaid }: Numbers['now']): string | null {
  return formatShare(BigInt(createdPaid), BigInt(created))
}

function describeConversion({ now, before }: Numbers): string {
  const share = shareOf(before)
  const former = share === null ? '' : `, ${share} before`
  if (now.created === 0) return `none created${former}`
  return `${formatNumber(now.createdPaid)} of ${formatNumber(now.created)} paid${former}`
}

function describeMedian({ now, medianSeconds }: Numbers): string {
  if (now.paid === 0 || medianSeconds === null) return 'none paid'
  const median = medianSeconds === 0 ? 'under 1 s' : formatDuration(medianSeconds * 1e6)
  return `median ${median} to payment`
}
