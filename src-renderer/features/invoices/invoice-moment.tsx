import { formatExact, formatMoment, formatUtc, fromMs } from '../../format.ts'
import { useShownNetwork } from '../chain/of-network.tsx'
import { useGatewayNow } from './gateway-clock.ts'

/**
 * A moment of the gateway's clock, in milliseconds: relative to that clock within a day, exact under
 * the pointer. Needs `OfNetwork` around it.
 */
export function InvoiceMoment({ at, className }: { at: number; className?: string | undefined }) {
  const now = useGatewayNow(useShownNetwork().id)
  const us = fromMs(at)
  return (
    <time dateTime={formatUtc(us)} title={formatExact(us)} className={className}>
      {formatMoment(us, now)}
    </time>
  )
}
