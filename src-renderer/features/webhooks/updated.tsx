import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { useData } from '../../app/bridge.ts'
import { routeHref } from '../../app/route.ts'
import { formatCount, formatDuration, formatSecond, fromMs } from '../../ui/format.ts'
import { Text, Small } from '../../ui/layout.tsx'
import { Moment, useNow } from '../../ui/time.tsx'

/** Shows when the data of a network was updated, and when the sampler will load its webhooks again. */
export function UpdatedAt({ network, at }: { network: NetworkId; at: number | null }) {
  const { data: sampler } = useData('sampler.state', { network })
  const now = useNow()
  if (at === null || sampler === undefined) {
    return <Small over="nowrap">Not loaded yet</Small>
  }
  const { status, problem, requests, rowsLeft } = sampler
  const next = fromMs(sampler.nextAt ?? 0)
  const title = [
    `Last automatic update: ${formatCount(requests, 'request')}`,
    rowsLeft > 0 && `${formatCount(rowsLeft, 'row')} not loaded yet`,
    next > now && `Next update at ${formatSecond(next)}`,
    problem,
  ]
  return (
    <Text size="s" tone="dim" over="nowrap" title={title.filter(Boolean).join('\n')}>
      Updated <Moment at={fromMs(at)} />
      {status === 'off' && (
        <>
          , automatic updates are off in{' '}
          <a href={routeHref({ page: 'settings', section: 'monitoring' })}>Settings</a>
        </>
      )}
      {status === 'paused' && ', paused'}
      {status !== 'off' &&
        next > now &&
        `, next in ${formatDuration(Math.ceil((next - now) / 1e6) * 1e6)}`}
    </Text>
  )
}
