import { useLayoutEffect, useRef } from 'react'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { attempt, request, put, useData } from '../../../app/bridge.ts'
import { navigate, useRoute } from '../../../app/route.ts'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import { AccountName } from '../../../components/chain/account-link.tsx'
import { RangeLinks } from '../../../components/charts/range-links.tsx'
import { Note, Row } from '../../../ui/layout.tsx'
import { useNow } from '../../../ui/time.tsx'
import { Figure, Stats } from '../../../ui/values.tsx'
import { ActionButton } from '../../../ui/button.tsx'
import { formatCount, formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Loaded } from '../../../ui/loaded.tsx'
import { UpdatedAt } from '../updated.tsx'
import { WebhookCause } from './cause.tsx'
import { DeliveryLog, Outages } from './outages.tsx'
import {
  type InRange,
  failuresHref,
  failuresRoute,
  rangeHolding,
  rangeChoices,
  describeTransactions,
  useFailingAccounts,
  WebhookCharts,
} from './history.tsx'
import { ExplanationView } from './explanation-view.tsx'
import { Errors } from './attempts.tsx'
import { attemptsOf, formatSuccess, healthOf, useHealth } from './health.ts'
import { TestEventButton } from './test-event.tsx'

/** The deliveries of a webhook and their failures; with an account, why its deliveries fail. */
export function DeliveriesTab({ webhook, item }: { webhook: Webhook; item: string }) {
  const range = useRoute(({ route }): HistoryRange =>
    route.page === 'webhooks' && route.view === 'webhook' ? route.range : '24h',
  )
  const area = useRef<HTMLDivElement>(null)
  // Another account begins at its top, however far the one before was scrolled.
  useLayoutEffect(() => {
    if (item !== '') area.current?.scrollIntoView({ block: 'start' })
  }, [item])
  return (
    <div ref={area}>
      {item === '' ? (
        <Overview key={range} webhook={webhook} range={range} />
      ) : (
        <ExplanationView key={`${item} ${range}`} webhook={webhook} account={item} range={range} />
      )}
    </div>
  )
}

function Overview({ webhook, range }: InRange) {
  const { network, id } = webhook
  const health = useHealth(network)
  const { data: sampler } = useData('sampler.state', { network })
  const summary = useData('failure.summary', { network, webhook: id })
  const first = useFailingAccounts(webhook)?.accounts[0]
  const now = useNow() / 1000
  const since = summary.data?.since ?? null
  // A chart of a whole day would show hardly anything of a history that has just begun.
  const drawn = range === '24h' && since !== null ? rangeHolding(since, now) : range
  useShortcuts([
    {
      keys: ['j'],
      label: 'Open the first failing account',
      group: 'Failures',
      run: () => {
        if (first !== undefined) navigate(failuresRoute(webhook, range, first))
      },
    },
  ])
  return (
    <>
      <Loaded query={summary} of="the statistics" rows={3}>
        {(stats) => (
          <WebhookCause
            webhook={webhook}
            range={range}
            summary={stats}
            health={healthOf(health.data)(id)}
          />
        )}
      </Loaded>
      <Row wrap pad="m" line="below">
        <RangeLinks
          ranges={rangeChoices}
          current={drawn}
          hrefOf={(name) => failuresHref(webhook, name)}
        />
        <Row last>
          <Sampler network={network} />
          <TestEventButton webhook={webhook} />
        </Row>
      </Row>
      {sampler !== undefined && sampler.problem !== null && (
        <Note tone="warn">
          <span role="status">{sampler.problem}</span>
        </Note>
      )}
      <Loaded query={health} of="the deliveries" rows={3}>
        {(loaded) => {
          // Figures that are not known are left out.
          const known = healthOf(loaded)(id)
          if (summary.data === undefined || known === undefined) return null
          const { accepted, failed, delay } = known
          const attempts = attemptsOf(known)
          const [last] = summary.data.slowest
          return (
            <Stats least={148}>
              {accepted !== null && attempts !== null && attempts > 0 && (
                <Figure
                  name="Success rate, 24 h"
                  value={formatSuccess(known) ?? undefined}
                  more={`${formatNumber(accepted)} of ${formatCount(attempts, 'attempt')}`}
                  bad={failed > 0}
                />
              )}
              <Figure
                name="Failed attempts, 24 h"
                value={formatNumber(failed)}
                more={
                  accepted === null ? 'counted by the gateway' : 'rejected here, or not arrived'
                }
                bad={failed > 0}
              />
              {delay !== null && (
                <Figure
                  name="Delay p95, 24 h"
                  value={formatDuration(fromMs(delay.p95))}
                  more={[
                    `p50 ${formatDuration(fromMs(delay.p50))}`,
                    `of ${formatCount(delay.deliveries, 'accepted delivery', 'accepted deliveries')}`,
                  ]}
                />
              )}
              {last !== undefined && (
                <Figure
                  name="Largest delivery lag"
                  value={
                    last.lag.milliseconds === null
                      ? `${formatNumber(last.lag.transactions ?? 0)} tx`
                      : formatDuration(fromMs(last.lag.milliseconds))
                  }
                  more={
                    <>
                      <AccountName account={{ address: last.account, label: last.label }} />
                      {last.lag.transactions !== null && `, ${describeTransactions(last.lag)}`}
                    </>
                  }
                  href={failuresHref(webhook, range, last.account)}
                />
              )}
            </Stats>
          )
        }}
      </Loaded>
      <Errors webhook={webhook} range={drawn} />
      {!summary.isPending && <WebhookCharts webhook={webhook} range={drawn} />}
      <Outages webhook={webhook} range={range} />
      <DeliveryLog webhook={webhook} />
    </>
  )
}

/** When the gateway's counters were last read, and a button that reads them now. */
function Sampler({ network }: { network: NetworkId }) {
  const state = useData('sampler.state', { network }).data
  const read = async () => {
    const next = await attempt('Could not load the counters of the gateway', () =>
      request('sampler.run', { network }),
    )
    if (next !== undefined) put('sampler.state', { network }, next)
  }
  return (
    <>
      <UpdatedAt network={network} at={state?.lastAt ?? null} />
      <ActionButton icon="refresh" waits={state?.status === 'reading'} action={read}>
        Refresh
      </ActionButton>
    </>
  )
}
