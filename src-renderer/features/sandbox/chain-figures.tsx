import type { SandboxChain } from '../../../src-preload/contract/sandbox.ts'
import {
  formatCount,
  formatDay,
  formatExact,
  formatMinute,
  formatNumber,
  fromMs,
} from '../../ui/format.ts'
import { Moment, useNow } from '../../ui/moment.tsx'
import { printRoute } from '../../app/route.ts'
import { Figure, Figures } from '../../ui/figure.tsx'

/** The chain at a glance. */
export function ChainFigures({ chain }: { chain: SandboxChain }) {
  const { network, head, clock, queue, activity } = chain
  const now = useNow()
  const time = clock.mode === 'real' ? now : fromMs(clock.now)
  const tab = (name: 'clock' | 'deliveries') => printRoute({ page: 'sandbox', network, tab: name })
  return (
    <Figures>
      <Figure
        name="Height"
        value={formatNumber(head.seqno)}
        more={
          <>
            {formatCount(head.transactionCount, 'transaction')}, the last block{' '}
            {clock.mode === 'real' ? (
              <Moment at={fromMs(head.utime * 1000)} />
            ) : (
              `at ${formatMinute(fromMs(head.utime * 1000))}`
            )}
          </>
        }
      />
      <Figure
        name="Time by its clock"
        value={formatMinute(time)}
        unit={formatDay(time, time)}
        href={tab('clock')}
        more={
          clock.mode === 'real' ? (
            'the real one'
          ) : (
            <span title={formatExact(time)}>virtual: stands still until it is moved</span>
          )
        }
      />
      <Figure
        name="Deliveries waiting"
        value={formatNumber(queue.waiting)}
        href={tab('deliveries')}
        bad={queue.failing > 0}
        more={
          queue.failing === 0 ? 'none of them failing' : `${formatNumber(queue.failing)} failing`
        }
      />
      <Figure
        name="Steady activity"
        value={formatNumber(activity.perMinute)}
        unit="a minute"
        more={
          activity.perMinute === 0
            ? 'quiet: only what you do happens'
            : 'payments between the wallets'
        }
      />
    </Figures>
  )
}
