/** The numbers behind figures and charts, kept current, and which charts are drawn. */
import { useEffect, useRef } from 'react'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Input, Output } from '../../../../src-preload/contract/routes.ts'
import { on, useDataOf } from '../../../app/bridge.ts'
import { createStored } from '../../../app/stored.ts'
import { useClockOffset } from '../../../components/gateway-clock.ts'
import { fromMs } from '../../../ui/format.ts'
import { useNow } from '../../../ui/layout.tsx'
import { throttle } from '../../../ui/throttle.ts'
import type { Period, PeriodStep } from '../period.ts'

/** Current within a second, and less often the longer an answer takes. */
const minIntervalMs = 400
const maxIntervalMs = 10_000
const maxShareOfTime = 0.1
/** Without a change, time still passes. */
const quietMs = 60_000

type StatsRoute =
  | 'invoiceStats.figures'
  | 'invoiceStats.series'
  | 'invoiceStats.timeToPayment'
  | 'invoiceStats.openByExpiry'

/** As `useDataOf`, loaded again when invoices of the network change. */
export function useStats<N extends StatsRoute>(name: N, input: Input<N> | null) {
  const query = useDataOf(name, input)
  const { refetch } = query
  const isOn = input !== null
  const network = input?.network
  const tookMs = useRef(0)
  useEffect(() => {
    if (!isOn) return undefined
    const load = async () => {
      const began = performance.now()
      await refetch()
      tookMs.current = performance.now() - began
    }
    const look = throttle(
      () => void load(),
      () => Math.min(maxIntervalMs, Math.max(minIntervalMs, tookMs.current / maxShareOfTime)),
    )
    const stop = on('invoice.changed', (change) => change.network === network && look.call())
    const timer = setInterval(look.call, quietMs)
    return () => {
      stop()
      clearInterval(timer)
      look.cancel()
    }
  }, [isOn, network, refetch])
  return query
}

export type Figures = Output<'invoiceStats.figures'> & {
  /** The part of the period that has passed, which is compared with the time before. */
  readonly from: number
  readonly to: number
}

const quarter = 15 * 60_000

/** Figures of the part of a period that has passed, and of the same length of time before it. */
export function useFigures(network: NetworkId, { from, to, currencies }: Period) {
  const now = useNow() / 1000 + useClockOffset(network)
  // A minute ahead, for clocks that differ; the ledger is summed up in quarters of an hour.
  const passed = Math.ceil((now + 60_000) / quarter) * quarter
  const end = passed > from && passed < to ? passed : to
  const query = useStats('invoiceStats.figures', {
    network,
    from,
    to: end,
    currencies: [...currencies],
  })
  const data: Figures | undefined = query.data && { ...query.data, from, to: end }
  return { data, error: query.error, refetch: query.refetch }
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
