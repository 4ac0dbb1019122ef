/** The numbers behind figures and charts, kept current, and which charts are drawn. */
import type { InvoiceCurrency } from '../../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { request, useDataBy } from '../../../app/bridge.ts'
import { createStored } from '../../../app/stored.ts'
import { useClockOffset } from '../../../components/gateway-clock.ts'
import { fromMs } from '../../../ui/format.ts'
import { useNow } from '../../../ui/time.tsx'
import type { Period, PeriodStep } from '../period.ts'

/** Without a change, time still passes. */
const quietMs = 60_000

export type PeriodTotals = Output<'invoiceStats.totals'> & {
  /** The part of the period that has passed, which is compared with the time before. */
  readonly from: number
  readonly to: number
}

const quarter = 15 * 60_000

/** Figures of the part of a period that has passed, and of the same length of time before it. */
export function usePeriodTotals(network: NetworkId, { from, to, currencies }: Period) {
  const now = useNow() / 1000 + useClockOffset(network)
  // A minute ahead, for clocks that differ; the ledger is summed up in quarters of an hour.
  const passed = Math.ceil((now + 60_000) / quarter) * quarter
  const end = passed > from && passed < to ? passed : to
  const span = { network, from, to: end, currencies: [...currencies] }
  const query = useDataBy('invoiceStats.totals', span, () => request('invoiceStats.totals', span), {
    everyMs: quietMs,
  })
  const data: PeriodTotals | undefined = query.data && { ...query.data, from, to: end }
  return { data, error: query.error, refetch: query.refetch }
}

/** All pending invoices of a currency, by the time until they expire. */
export function useOpenByExpiry(network: NetworkId, currency: InvoiceCurrency) {
  const input = { network, currencies: [currency] }
  return useDataBy(
    'invoiceStats.openByExpiry',
    input,
    () => request('invoiceStats.openByExpiry', input),
    { everyMs: quietMs },
  )
}

/** The present by the gateway's clock, in microseconds. */
export function useChartNow(network: NetworkId): number {
  return useNow() + fromMs(useClockOffset(network))
}

type ChartChoice = {
  /** Names of an `OverTimeChart` and of a distribution. */
  readonly over: string
  readonly beside: string
  /** Null: as fits the period. */
  readonly step: PeriodStep | null
  /** The period before is drawn, too. */
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
