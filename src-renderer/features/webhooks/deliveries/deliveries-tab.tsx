import { type ComponentProps, type ReactNode, useLayoutEffect, useRef } from 'react'
import type { FailureSummary } from '../../../../src-preload/contract/failure.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Webhook, WebhookHealth } from '../../../../src-preload/contract/webhook.ts'
import { attempt, request, put, useData, useDataBy } from '../../../app/bridge.ts'
import { captureHref, navigate, useRoute } from '../../../app/route.ts'
import type { HistoryRange } from '../../../app/webhooks-route.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountName } from '../../../components/chain/account-link.tsx'
import { RangeLinks } from '../../../components/charts/range-links.tsx'
import { SandboxMoment } from '../../../components/webhook.tsx'
import { Hint, Columns, Note, Row, Section, Stack } from '../../../ui/layout.tsx'
import { Moment, useNow } from '../../../ui/time.tsx'
import { KeyValues, Figure, Stats } from '../../../ui/values.tsx'
import { ActionButton } from '../../../ui/button.tsx'
import { formatCount, formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { Loaded } from '../../../ui/loaded.tsx'
import { Table } from '../../../ui/table.tsx'
import { UpdatedAt } from '../updated.tsx'
import { attemptsColumn, durationColumn, DeliveryLog, Outages, accountColumn } from './outages.tsx'
import {
  type InRange,
  currentBounds,
  durationOf,
  everyMinute,
  failuresHref,
  failuresRoute,
  rangeHolding,
  rangeChoices,
  describeTransactions,
  useFailingAccounts,
  WebhookCharts,
} from './history.tsx'
import { ExplanationView } from './explanation-view.tsx'
import { Attempts, Errors } from './attempts.tsx'
import {
  attemptsOf,
  describeDelay,
  describeSuccess,
  formatSuccess,
  healthOf,
  useHealth,
} from './health.ts'
import { TestEventButton } from './test-event.tsx'

/**
 * Shows the deliveries of a webhook and their failures. With an account, it explains why the
 * deliveries to that account fail.
 */
export function DeliveriesTab({ webhook, item }: { webhook: Webhook; item: string }) {
  const range = useRoute(({ route }): HistoryRange =>
    route.page === 'webhooks' && route.view === 'webhook' ? route.range : '24h',
  )
  const area = useRef<HTMLDivElement>(null)
  // The view of another account starts at its top, even if the previous one was scrolled.
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
  const summary = useDataBy(
    'failure.summary',
    { network, webhook: id, range },
    () => request('failure.summary', { network, webhook: id, ...currentBounds(range) }),
    everyMinute,
  )
  const first = useFailingAccounts(webhook)?.accounts[0]
  const now = useNow() / 1000
  const since = summary.data?.since ?? null
  // In a chart of a whole day, a history of a few minutes would be hardly visible.
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
        {(loaded) => <DeliveryStats health={healthOf(loaded)(id)} summary={summary.data} />}
      </Loaded>
      <Loaded query={summary} of="the statistics" rows={3}>
        {(stats) => <FailureStats webhook={webhook} summary={stats} first={first} range={range} />}
      </Loaded>
      {network === 'sandbox' && <Retry webhook={id} />}
      <Errors webhook={webhook} range={drawn} />
      {!summary.isPending && <WebhookCharts webhook={webhook} range={drawn} />}
      {summary.data !== undefined && (
        <AccountLists webhook={webhook} summary={summary.data} range={range} />
      )}
      <Outages webhook={webhook} range={range} />
      <Attempts webhook={webhook} />
      <DeliveryLog webhook={webhook} />
    </>
  )
}

/** Shows when the gateway's counters were last read, with a button that reads them now. */
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

/** Shows the time of the next attempt, which only the sandbox's queue reports. */
function Retry({ webhook }: { webhook: string }) {
  const { data: chain } = useData('sandbox.chain', { network: 'mainnet' })
  const retry = chain?.webhooks.find(({ id }) => String(id) === webhook)?.retry ?? null
  if (chain === undefined || retry === null) return null
  const { clock } = chain
  return (
    <Section title="Retries of the sandbox">
      <KeyValues
        pairs={[
          ['Next attempt', <SandboxMoment at={retry.nextAttemptAt} clock={clock} />],
          ['Offline if all attempts fail', <SandboxMoment at={retry.offlineAt} clock={clock} />],
        ]}
      />
    </Section>
  )
}

/** @param first the account with the most failed attempts */
function FailureStats({
  webhook,
  summary,
  first,
  range,
}: InRange & { summary: FailureSummary; first: string | undefined }) {
  const now = useNow() / 1000
  const { failing, longest, slowest } = summary
  const [last] = slowest
  const hrefOf = (account: string | null | undefined) =>
    account === null || account === undefined ? undefined : failuresHref(webhook, range, account)
  return (
    <Stats>
      <Figure
        name="Accounts failing now"
        value={formatNumber(failing)}
        more={<Since summary={summary} />}
        href={hrefOf(first)}
        bad={failing > 0}
      />
      <Figure
        name="Longest outage"
        value={longest === null ? 'none' : formatDuration(fromMs(durationOf(longest, now)))}
        more={
          longest === null ? (
            'none in the gateway’s counters'
          ) : (
            <>
              {longest.account === null ? (
                'the webhook'
              ) : (
                <AccountName account={{ address: longest.account, label: longest.label }} />
              )}
              {longest.to === null && ', ongoing'}
            </>
          )
        }
        href={hrefOf(longest?.account)}
      />
      <Figure
        name="Largest delivery lag"
        value={
          last === undefined
            ? 'none'
            : last.lag.milliseconds === null
              ? `${formatNumber(last.lag.transactions ?? 0)} tx`
              : formatDuration(fromMs(last.lag.milliseconds))
        }
        more={
          last === undefined ? (
            'no lag measured'
          ) : (
            <>
              <AccountName account={{ address: last.account, label: last.label }} />
              {last.lag.transactions !== null && `, ${describeTransactions(last.lag)}`}
            </>
          )
        }
        href={hrefOf(last?.account)}
      />
    </Stats>
  )
}

function Since({ summary: { failing, began, since } }: { summary: FailureSummary }): ReactNode {
  if (since === null) return 'no history yet'
  if (failing === 0) return 'none at the gateway’s last update'
  if (began === null) return 'since before monitoring began'
  return (
    <>
      since <Moment at={fromMs(began)} />
    </>
  )
}

/** The maximum number of accounts in this table. The Accounts tab lists all of them. */
const maxRows = 10

function AccountLists({ webhook, summary, range }: InRange & { summary: FailureSummary }) {
  const { current, worst, slowest } = summary
  const now = useNow() / 1000
  return (
    <Columns least={330} gap="none">
      <List
        title="Accounts failing now"
        none="No account was failing at the gateway’s last update."
        rows={current}
        columns={[
          accountColumn({ webhook, range }),
          { name: 'Since', cell: ({ from }) => <Moment at={fromMs(from)} /> },
          durationColumn(now),
          attemptsColumn,
        ]}
      />
      <List
        title="Accounts with the most failed attempts"
        none="The gateway’s counters show no failure in this period."
        rows={worst}
        columns={[accountColumn({ webhook, range }), attemptsColumn]}
      />
      <List
        title="Largest delivery lag"
        none="No failing or watched account lags behind the chain."
        rows={slowest}
        columns={[
          accountColumn({ webhook, range }),
          {
            name: 'Lag',
            look: 'number',
            cell: ({ lag: { milliseconds } }) =>
              milliseconds === null ? 'unknown' : formatDuration(fromMs(milliseconds)),
          },
          {
            name: 'Transactions',
            look: 'number',
            cell: ({ lag: { transactions, more } }) =>
              transactions === null
                ? 'not counted'
                : `${formatNumber(transactions)}${more ? ' or more' : ''}`,
          },
        ]}
      />
    </Columns>
  )
}

type ListOf<T> = Pick<ComponentProps<typeof Table<T>>, 'rows' | 'columns'>

function List<T extends { account: string | null }>({
  title,
  none,
  rows,
  columns,
}: ListOf<T> & { title: string; none: string }) {
  return (
    <Section title={title}>
      {rows.length === 0 ? (
        <Hint>{none}</Hint>
      ) : (
        <Table
          label={title}
          rows={rows.slice(0, maxRows)}
          keyOf={({ account }) => account ?? ''}
          columns={columns}
        />
      )}
    </Section>
  )
}

/**
 * Describes the failed attempts by the gateway's counters, which do not include attempts since the
 * last reading.
 */
function describeCounted({ failedAttempts: { hour, week } }: FailureSummary): string {
  return `gateway: ${formatNumber(hour)} in the last hour, ${formatNumber(week)} in 7 d`
}

function DeliveryStats({
  health,
  summary,
}: {
  health: WebhookHealth | undefined
  summary: FailureSummary | undefined
}) {
  if (health === undefined) return null
  const { accepted, failed, delay, lastError } = health
  const attempts = attemptsOf(health)
  return (
    <>
      <Stats>
        <Figure
          name="Success rate, 24 h"
          value={formatSuccess(health) ?? undefined}
          more={
            accepted === null || attempts === null
              ? 'accepted deliveries are unknown'
              : `${formatNumber(accepted)} of ${formatCount(attempts, 'attempt')}`
          }
          bad={failed > 0 && attempts !== null && attempts > 0}
        />
        <Figure
          name="Failed attempts, 24 h"
          value={formatNumber(failed)}
          more={[
            accepted === null ? 'counted by the gateway' : 'rejected here, or not arrived',
            summary && describeCounted(summary),
            lastError !== null && <LastError key="last" error={lastError} />,
          ]}
          bad={failed > 0}
        />
        <Figure
          name="Delay p50, 24 h"
          value={delay === null ? 'unknown' : formatDuration(fromMs(delay.p50))}
          more="from block to capture"
        />
        <Figure
          name="Delay p95, 24 h"
          value={delay === null ? 'unknown' : formatDuration(fromMs(delay.p95))}
          more={
            delay === null
              ? 'from block to capture'
              : `of ${formatCount(delay.deliveries, 'accepted delivery', 'accepted deliveries')}`
          }
        />
      </Stats>
      <Stack pad="m" gap="xs" line="below">
        {attempts === null && <Hint>{describeSuccess(health)}</Hint>}
        <Hint>{describeDelay(health)}</Hint>
      </Stack>
    </>
  )
}

function LastError({ error }: { error: NonNullable<WebhookHealth['lastError']> }) {
  const text = <UntrustedText text={error.text} />
  return (
    <>
      last: {error.capture === null ? text : <a href={captureHref(error.capture)}>{text}</a>}{' '}
      <Moment at={fromMs(error.at)} />
    </>
  )
}
