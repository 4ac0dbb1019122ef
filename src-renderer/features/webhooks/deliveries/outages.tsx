import { type ReactNode, useState } from 'react'
import type { Streak } from '../../../../src-preload/contract/failure.ts'
import type { Webhook, WebhookLog } from '../../../../src-preload/contract/webhook.ts'
import { usePages } from '../../../app/bridge.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { LtText } from '../../../components/chain/chain-text.tsx'
import { Hint, Section, Stack, Tag } from '../../../ui/layout.tsx'
import { Moment, useNow } from '../../../ui/time.tsx'
import { Button } from '../../../ui/button.tsx'
import { formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'
import { Loaded, MoreButton } from '../../../ui/loaded.tsx'
import { type TableColumn, Table, column } from '../../../ui/table.tsx'
import { type InRange, currentBounds, durationOf, failuresHref } from './history.tsx'

const pageSize = 10

/** Times without a successful delivery: of one account, or of the webhook and all its accounts. */
export function Outages({ webhook, account = null, range }: InRange & { account?: string | null }) {
  const { network, id } = webhook
  const [bounds] = useState(() => currentBounds(range))
  const requested = { network, webhook: id, account, ...bounds, limit: pageSize }
  const query = usePages<'failure.streaks', number>(
    'failure.streaks',
    (offset) => ({ ...requested, offset: offset ?? 0 }),
    ({ next }) => next,
  )
  return (
    <Section title="Outages">
      <Loaded query={query} of="the outages" rows={4}>
        {({ pages }) => {
          const outages = pages.flatMap(({ streaks }) => streaks)
          if (outages.length === 0) return <Hint>No outages in this period.</Hint>
          return (
            <Stack>
              <OutageTable webhook={webhook} range={range} outages={outages} />
              <MoreButton query={query}>Load more outages</MoreButton>
            </Stack>
          )
        }}
      </Loaded>
    </Section>
  )
}

function OutageTable({ webhook, range, outages }: InRange & { outages: readonly Streak[] }) {
  const now = useNow() / 1000
  return (
    <Table<Streak>
      scroll
      label="Outages"
      rows={outages}
      keyOf={({ account, from }) => `${account ?? ''} ${from}`}
      columns={[
        accountColumn({ webhook, range }),
        column('Start', {}, ({ from }) => <Moment at={fromMs(from)} />),
        column('End', {}, ({ to }) =>
          to === null ? <Tag tone="bad">ongoing</Tag> : <Moment at={fromMs(to)} />,
        ),
        column('Duration', { look: 'number' }, (outage) =>
          formatDuration(fromMs(durationOf(outage, now))),
        ),
        column('Failed attempts', { look: 'number' }, ({ failedAttempts }) =>
          formatNumber(failedAttempts),
        ),
        column(
          'Failed event (lt)',
          { look: 'number' },
          ({ failedLt }) => failedLt !== null && <LtText lt={failedLt} />,
        ),
      ]}
    />
  )
}

/** Links to why the deliveries of the account fail. */
export function accountColumn(
  { webhook, range }: InRange,
  none: ReactNode = 'the whole webhook',
): TableColumn<Pick<Streak, 'account' | 'label'>> {
  return column('Account', {}, ({ account, label }) =>
    account === null ? (
      none
    ) : (
      <AccountLink
        account={{ address: account, label }}
        href={failuresHref(webhook, range, account)}
        canCopy={false}
      />
    ),
  )
}

/** Failed deliveries as the gateway logged them. */
export function DeliveryLog({ webhook: { network, id } }: { webhook: Webhook }) {
  const query = usePages<'webhook.logs', number>(
    'webhook.logs',
    (offset) => ({ network, id, offset: offset ?? 0 }),
    ({ next }) => next,
  )
  return (
    <Section
      title="Gateway delivery log"
      end={
        <Button icon="refresh" busy={query.isFetching} onClick={() => void query.refetch()}>
          Reload log
        </Button>
      }
    >
      <Loaded query={query} of="the log" rows={4}>
        {({ pages }) => (
          <Stack>
            <LogTable
              logs={pages.flatMap(({ logs }) => logs)}
              none="The gateway logged no failed delivery of this webhook."
            />
            <MoreButton query={query}>Load older entries</MoreButton>
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

/** Neighbours that are alike, as one line. */
function groupRuns(logs: readonly WebhookLog[]): (readonly [WebhookLog, ...WebhookLog[]])[] {
  const runs: [WebhookLog, ...WebhookLog[]][] = []
  for (const log of logs) {
    const last = runs.at(-1)
    const isSame = last?.[0].message === log.message && last[0].eventType === log.eventType
    if (isSame) last.push(log)
    else runs.push([log])
  }
  return runs
}

/** When equal attempts were made, in milliseconds. */
export function Span({ from, to }: { from: number; to: number }) {
  return (
    <>
      {to - from >= 60_000 && (
        <>
          <Moment at={fromMs(from)} absolute="minute" /> to{' '}
        </>
      )}
      <Moment at={fromMs(to)} absolute="minute" />
    </>
  )
}

export function LogTable({ logs, none }: { logs: readonly WebhookLog[]; none: string }) {
  if (logs.length === 0) return <Hint>{none}</Hint>
  return (
    <Table<readonly [WebhookLog, ...WebhookLog[]]>
      label="Log"
      rows={groupRuns(logs)}
      keyOf={([newest]) => logs.indexOf(newest)}
      columns={[
        column('Time', {}, (run) => {
          const [from = null, to] = [run.at(-1)?.at, run[0].at]
          return from === null || to === null ? 'not reported' : <Span from={from} to={to} />
        }),
        column('Entries', { look: 'number' }, (run) => formatNumber(run.length)),
        column('Event', {}, ([{ eventType }]) => <Tag>{eventType}</Tag>),
        column('Message', { wraps: true }, ([{ message }]) => <UntrustedText text={message} />),
      ]}
    />
  )
}
