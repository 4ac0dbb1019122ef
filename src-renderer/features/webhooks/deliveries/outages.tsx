import { type ReactNode, useState } from 'react'
import type { Streak } from '../../../../src-preload/contract/failure.ts'
import type { Webhook, WebhookLog } from '../../../../src-preload/contract/webhook.ts'
import { request, useDataBy, usePages } from '../../../app/bridge.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { LtText } from '../../../components/chain/chain-text.tsx'
import { Hint, Row, Section, Stack, Tag, Text } from '../../../ui/layout.tsx'
import { Moment, useNow } from '../../../ui/time.tsx'
import { Button, Choices } from '../../../ui/button.tsx'
import { formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'
import { Loaded, MoreButton } from '../../../ui/loaded.tsx'
import { type TableColumn, Table } from '../../../ui/table.tsx'
import { type InRange, currentBounds, durationOf, failuresHref } from './history.tsx'

const pageSize = 10

/** Lists the periods without a successful delivery: of one account, or of the webhook and all its accounts. */
export function Outages({ webhook, account = null, range }: InRange & { account?: string | null }) {
  const { network, id } = webhook
  const [sort, setSort] = useState<'newest' | 'longest'>('newest')
  const [page, setPage] = useState(0)
  const key = { network, webhook: id, account, range, sort, page }
  const query = useDataBy('failure.streaks', key, () =>
    request('failure.streaks', {
      network,
      webhook: id,
      account,
      ...currentBounds(range),
      sort,
      offset: page * pageSize,
      limit: pageSize,
    }),
  )
  return (
    <Section
      title="Outages"
      end={
        <Choices
          label="Sort outages by"
          value={sort}
          onChange={(next) => {
            setSort(next)
            setPage(0)
          }}
          options={[
            { value: 'newest', label: 'Newest' },
            { value: 'longest', label: 'Longest' },
          ]}
        />
      }
    >
      <Loaded query={query} of="the outages" rows={4}>
        {({ total, streaks }) =>
          total === 0 ? (
            <Hint>No outages in this period.</Hint>
          ) : (
            <>
              <OutageTable webhook={webhook} range={range} outages={streaks} />
              <Pages page={page} total={total} onPage={setPage} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

/** The column with the number of failed attempts. */
export const attemptsColumn: TableColumn<Pick<Streak, 'failedAttempts'>> = {
  name: 'Failed attempts',
  look: 'number',
  cell: ({ failedAttempts }) => formatNumber(failedAttempts),
}

/** @param now in milliseconds */
export const durationColumn = (now: number): TableColumn<Pick<Streak, 'from' | 'to'>> => ({
  name: 'Duration',
  look: 'number',
  cell: (outage) => formatDuration(fromMs(durationOf(outage, now))),
})

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
        { name: 'Start', cell: ({ from }) => <Moment at={fromMs(from)} /> },
        {
          name: 'End',
          cell: ({ to }) =>
            to === null ? <Tag tone="bad">ongoing</Tag> : <Moment at={fromMs(to)} />,
        },
        durationColumn(now),
        attemptsColumn,
        {
          name: 'Failed event (lt)',
          look: 'number',
          cell: ({ failedLt }) => failedLt !== null && <LtText lt={failedLt} />,
        },
      ]}
    />
  )
}

/** Returns the column that links to why the deliveries of an account fail. */
export function accountColumn(
  { webhook, range }: InRange,
  none: ReactNode = 'the whole webhook',
): TableColumn<Pick<Streak, 'account' | 'label'>> {
  return {
    name: 'Account',
    cell: ({ account, label }) =>
      account === null ? (
        none
      ) : (
        <AccountLink
          account={{ address: account, label }}
          href={failuresHref(webhook, range, account)}
          canCopy={false}
        />
      ),
  }
}

function Pages({
  page,
  total,
  onPage,
}: {
  page: number
  total: number
  onPage: (page: number) => void
}) {
  if (total <= pageSize) return null
  const last = Math.ceil(total / pageSize) - 1
  const to = Math.min(total, (page + 1) * pageSize)
  return (
    <Row justify="end">
      <Text size="s" tone="dim" number>
        Outages {formatNumber(page * pageSize + 1)} to {formatNumber(to)} of {formatNumber(total)}
      </Text>
      <Button disabled={page === 0} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <Button disabled={page >= last} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </Row>
  )
}

/** Lists failed deliveries from the gateway's log. */
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

export function LogTable({ logs, none }: { logs: readonly WebhookLog[]; none: string }) {
  if (logs.length === 0) return <Hint>{none}</Hint>
  return (
    <Table<readonly [number, WebhookLog]>
      label="Log"
      rows={[...logs.entries()]}
      keyOf={([index]) => index}
      columns={[
        {
          name: 'Time',
          cell: ([, { at }]) => (at === null ? 'unknown' : <Moment at={fromMs(at)} />),
        },
        { name: 'Event', cell: ([, { eventType }]) => <Tag>{eventType}</Tag> },
        {
          name: 'Message',
          wraps: true,
          cell: ([, { message }]) => <UntrustedText text={message} />,
        },
      ]}
    />
  )
}
