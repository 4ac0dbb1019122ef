import { useMemo } from 'react'
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatCount } from '../../../ui/format.ts'
import { invoicesOf } from '../../../app/invoices-route.ts'
import { printRoute } from '../../../app/route.ts'
import { type ChartHead, TimeChartPanel } from '../../../components/charts/chart-panel.tsx'
import type { Point } from '../../../components/charts/series.ts'
import type { Period } from '../period.ts'
import { type Distribution, drawOpen, drawPaymentTimes } from './buckets.ts'
import { type BesideName, besideNames, chooseCharts, useChartChoice } from './chart-choice.ts'
import { BareChart, ChartPicker, ChartStates } from './chart-parts.tsx'
import { useLiveAnswer } from './live.ts'

const titles: Record<BesideName, string> = {
  'payment-time': 'Time to payment',
  'open-TON': 'Open by expiry, TON',
  'open-USDT': 'Open by expiry, USDT',
}

const currencyOf = (name: BesideName): InvoiceCurrency | null =>
  name === 'open-TON' ? 'TON' : name === 'open-USDT' ? 'USDT' : null

/** How long payment took, or when what is open expires. */
export function BesidePanel({ network, period }: { network: Network; period: Period }) {
  const chosen = useChartChoice((choice) => choice.beside)
  const names = besideNames.filter((each) => {
    const currency = currencyOf(each)
    return (
      currency === null || period.currencies.length === 0 || period.currencies.includes(currency)
    )
  })
  const name = names.find((each) => each === chosen) ?? 'payment-time'
  const currency = currencyOf(name)
  const head: ChartHead = {
    title: titles[name],
    unit: currency === null ? 'invoices' : currency,
    heading: (
      <ChartPicker
        label="Distribution"
        value={name}
        options={names.map((each) => ({ value: each, label: titles[each] }))}
        onChange={(beside) => chooseCharts({ beside })}
      />
    ),
  }
  return currency === null ? (
    <PaymentTimes {...{ head, network, period }} />
  ) : (
    <OpenByExpiry key={currency} {...{ head, network, currency }} />
  )
}

function PaymentTimes({
  head,
  network,
  period,
}: {
  head: ChartHead
  network: Network
  period: Period
}) {
  const { from, to, currencies } = period
  const live = useLiveAnswer(network.id, 'invoiceStats.timeToPayment', {
    network: network.id,
    from,
    to,
    currencies: [...currencies],
  })
  return (
    <ChartStates head={head} live={live}>
      {({ buckets }) => (
        <Bars
          head={head}
          drawn={drawPaymentTimes(buckets, currencies, { from, to })}
          column="Paid within"
          bare="None was paid in this time."
          of="paid"
        />
      )}
    </ChartStates>
  )
}

function OpenByExpiry({
  head,
  network,
  currency,
}: {
  head: ChartHead
  network: Network
  currency: InvoiceCurrency
}) {
  const live = useLiveAnswer(network.id, 'invoiceStats.openByExpiry', {
    network: network.id,
    currencies: [currency],
  })
  return (
    <ChartStates head={head} live={live}>
      {({ steps }) => (
        <Bars
          head={head}
          drawn={drawOpen(steps, currency)}
          column="Expires"
          bare={`No invoice in ${currency} is open.`}
          of="open, whatever the period"
        />
      )}
    </ChartStates>
  )
}

function Bars({
  head,
  drawn: { points, series, axis, measure, total, rowsOf },
  column,
  bare,
  of,
}: {
  head: ChartHead
  drawn: Distribution
  column: string
  bare: string
  of: string
}) {
  const hrefOf = useMemo(
    () => (point: Point, key: string) => {
      const rows = rowsOf(point, key)
      return rows === null ? null : printRoute(invoicesOf(rows))
    },
    [rowsOf],
  )
  if (total === 0) return <BareChart head={head}>{bare}</BareChart>
  return (
    <TimeChartPanel
      {...head}
      {...{ points, series, axis, measure, column, hrefOf }}
      unit={`${formatCount(total, 'invoice')} ${of}`}
      name={`${head.title}: ${formatCount(total, 'invoice')} ${of}`}
      kind="bars"
    />
  )
}
