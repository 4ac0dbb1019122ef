import { formatExact, formatMoment, formatUtc, fromMs } from '../../ui/format.ts'
import { useShownNetwork } from '../../components/chain/of-network.tsx'
import { useGatewayNow } from './gateway-clock.ts'

/** A little more than between two looks at the clock, in microseconds. */
const tick = 12e6

/**
 * A moment of the gateway's clock, in milliseconds: relative to that clock within a day, exact under
 * the pointer. Needs `OfNetwork` around it.
 */
export function InvoiceMoment({ at, className }: { at: number; className?: string | undefined }) {
  const seen = useGatewayNow(useShownNetwork().id)
  const us = fromMs(at)
  // The clock was last seen some seconds ago: what came since is not of the future.
  const now = us - seen < tick ? Math.max(seen, us) : seen
  return (
    <time dateTime={formatUtc(us)} title={formatExact(us)} className={className}>
      {formatMoment(us, now)}
    </time>
  )
}
