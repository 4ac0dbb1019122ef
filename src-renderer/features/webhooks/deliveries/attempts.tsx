/** The delivery attempts of a webhook, and the causes of failed attempts. */
import { useState } from 'react'
import type { CaptureRow } from '../../../../src-preload/contract/capture.ts'
import type { DeliveryErrors } from '../../../../src-preload/contract/failure.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { request, usePages } from '../../../app/bridge.ts'
import { captureHref, queryHref } from '../../../app/route.ts'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { TransactionHash } from '../../../components/chain/chain-text.tsx'
import { TimeChartPanel } from '../../../components/charts/chart-panel.tsx'
import { useCountedData } from '../../../components/charts/counted.ts'
import { type Series, count } from '../../../components/charts/series.ts'
import { tickStepOf, timeAxis } from '../../../components/charts/time-axis.ts'
import { Button, Choices } from '../../../ui/button.tsx'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import { Hint, Section, Stack, Tag, Text } from '../../../ui/layout.tsx'
import { Moment } from '../../../ui/time.tsx'
import { Loaded, MoreButton } from '../../../ui/loaded.tsx'
import { Table } from '../../../ui/table.tsx'
import { type InRange, boundsOf, describeRange, describeStep } from './history.tsx'
import { accountColumn } from './outages.tsx'
import { queryTerm } from '../../../components/query-term.ts'
import { type TimeSpan, formatReceivedSpan } from '../../../components/query/received-span.ts'
import { lookupTable } from '../../../../src-preload/domain/lookup-table.ts'

export function Errors({ webhook, range }: InRange) {
  const { network, id } = webhook
  const load = async () => {
    const now = Date.now()
    const bounds = boundsOf(range, now)
    const errors = await request('failure.errors', { network, webhook: id, ...bounds })
    return { errors, now, between: tickStepOf(fromMs(bounds.to - bounds.from)) }
  }
  const query = useCountedData('failure.errors', { network, webhook: id, range }, load, 5000)
  return (
    <Section title="Errors">
      <Loaded query={query} of="the errors" rows={6}>
        {(loaded) =>
          loaded.errors.total === 0 ? (
            <Hint>No failed delivery attempts in {describeRange(range)}.</Hint>
          ) : (
            <ErrorsShown webhook={webhook} range={range} {...loaded} />
          )
        }
      </Loaded>
    </Section>
  )
}

function ErrorsShown({
  webhook,
  range,
  errors,
  now,
  between,
}: InRange & { errors: DeliveryErrors; now: number; between: number }) {
  const { steps, milliseconds, groups, moreGroups, total, isWhole } = errors
  const { points, series } = drawCauses(steps)
  const unit = describeStep(milliseconds)
  const captured = new Set(
    groups.filter(({ capture }) => capture !== null).map(({ cause }) => cause),
  )
  return (
    <Stack>
      <TimeChartPanel
        title="Failures by status"
        unit={unit}
        name={`Failures by status ${unit}, ${describeRange(range)}: ${formatCount(total, 'failed attempt')}`}
        kind="bars"
        measure={count}
        points={points}
        series={series}
        axis={timeAxis(
          points.map(({ startsAt }) => startsAt),
          { step: fromMs(milliseconds), between, now: fromMs(now) },
        )}
        running={points.at(-1)?.startsAt}
        hrefOf={({ startsAt, endsAt = startsAt + fromMs(milliseconds) }, cause) =>
          captured.has(cause)
            ? queryHref(
                capturesOf(webhook, {
                  cause,
                  span: { from: startsAt, to: endsAt },
                }),
              )
            : null
        }
        note={
          isWhole
            ? 'Captures of this receiver, and the gateway’s log for attempts that did not arrive.'
            : `Only the newest ${formatNumber(total)} failed attempts are counted.`
        }
      />
      <Table<DeliveryErrors['groups'][number]>
        scroll
        label="Errors by status and account"
        rows={groups}
        keyOf={({ cause, account }) => `${cause} ${account ?? ''}`}
        columns={[
          { name: 'Error', cell: ({ cause }) => <Tag tone="bad">{describeCause(cause)}</Tag> },
          accountColumn({ webhook, range }, <Text tone="faint">unknown</Text>),
          {
            name: 'Failed attempts',
            look: 'number',
            cell: ({ count: attempts }) => formatNumber(attempts),
          },
          { name: 'Last', cell: ({ lastAt }) => <Moment at={fromMs(lastAt)} /> },
          {
            name: 'Captures',
            cell: ({ cause, account, capture }) =>
              capture === null ? (
                <Text tone="faint">not captured</Text>
              ) : (
                <a href={queryHref(capturesOf(webhook, { cause, account }))}>Show captures</a>
              ),
          },
        ]}
      />
      {moreGroups > 0 && (
        <Hint>{formatCount(moreGroups, 'smaller group')} of errors not shown.</Hint>
      )}
    </Stack>
  )
}

const pageSize = 20

/**
 * Lists the requests that this receiver stored, newest first. Each links to the capture and the
 * transaction.
 */
export function Attempts({ webhook }: { webhook: Webhook }) {
  const [only, setOnly] = useState<'failed' | null>(null)
  const failed = only === 'failed'
  const text = capturesOf(webhook, { failed })
  const query = usePages<'capture.list', number>(
    'capture.list',
    (before) => ({ query: { text }, limit: pageSize, ...(before !== null && { before }) }),
    ({ nextBefore }) => nextBefore,
  )
  return (
    <Section
      title="Delivery attempts"
      detail="Select an attempt to open its capture, with the request, the response and the transaction. Attempts that did not reach this receiver are in the gateway’s log below."
      end={
        <>
          <Choices
            label="Attempts shown"
            value={only}
            onChange={setOnly}
            options={[
              { value: null, label: 'All' },
              { value: 'failed', label: 'Failed' },
            ]}
          />
          <a href={queryHref(text)}>Open in Inspector</a>
          <Button icon="refresh" busy={query.isFetching} onClick={() => void query.refetch()}>
            Reload attempts
          </Button>
        </>
      }
    >
      <Loaded query={query} of="the attempts" rows={5}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.rows)
          return (
            <Stack>
              {rows.length === 0 && !query.hasNextPage ? (
                <Hint>{describeNone(webhook, failed)}</Hint>
              ) : (
                <AttemptTable rows={rows} webhook={webhook} />
              )}
              <MoreButton query={query}>Load older attempts</MoreButton>
            </Stack>
          )
        }}
      </Loaded>
    </Section>
  )
}

function describeNone({ isHere }: Webhook, failed: boolean): string {
  if (!isHere) return 'This webhook delivers to another endpoint, so there are no captures of it.'
  return failed ? 'No captured attempt of this webhook failed.' : 'No delivery attempts yet.'
}

function AttemptTable({ rows, webhook }: { rows: readonly CaptureRow[]; webhook: Webhook }) {
  return (
    <Table<CaptureRow>
      scroll
      label="Delivery attempts"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Time', cell: ({ receivedAt }) => <Moment at={receivedAt} /> },
        {
          name: 'Response',
          cell: ({ status }) =>
            status === null ? (
              <Tag tone="bad">none</Tag>
            ) : (
              <Tag tone={status === 200 ? 'ok' : 'bad'}>{status}</Tag>
            ),
        },
        { name: 'Event', cell: ({ kind }) => kind ?? 'unknown' },
        {
          name: 'Account',
          cell: ({ account }) =>
            account !== null && (
              <AccountLink account={{ address: account, label: null }} canCopy={false} />
            ),
        },
        {
          name: 'Transaction',
          cell: ({ txHash }) =>
            txHash !== null && <TransactionHash hash={txHash} network={webhook.network} />,
        },
        {
          name: 'Capture',
          cell: ({ id }) => <a href={captureHref(id)}>Capture {formatNumber(id)}</a>,
        },
      ]}
    />
  )
}

const causes: Readonly<Record<string, string>> = lookupTable({
  'no-response': 'no response',
  'not-allowed': 'host not allowed',
  tls: 'TLS error',
  refused: 'connection refused',
  'no-host': 'host not found',
  unreachable: 'host unreachable',
  'timed-out': 'timed out',
  'broken-off': 'connection broken off',
  unknown: 'other error',
})

/** Describes the cause of a failure: `HTTP 500`, `timed out`. */
function describeCause(cause: string): string {
  return causes[cause] ?? `HTTP ${cause}`
}

const colours = [4, 3, 5, 1] as const
const others: Series = { key: 'others', name: 'other errors', colour: 7 }

/** Draws one series for each of the most frequent causes, and one for the others. */
export function drawCauses(steps: DeliveryErrors['steps']) {
  const totals = new Map<string, number>()
  for (const { counts } of steps) {
    for (const [cause, each] of Object.entries(counts)) {
      totals.set(cause, (totals.get(cause) ?? 0) + each)
    }
  }
  const ordered = [...totals].sort(([, a], [, b]) => b - a).map(([cause]) => cause)
  const shown = ordered.slice(0, colours.length)
  const series = shown.map((cause, index): Series => {
    return { key: cause, name: describeCause(cause), colour: colours[index] ?? 7 }
  })
  const countOf = (counts: Readonly<Record<string, number>>, cause: string) =>
    Object.hasOwn(counts, cause) ? (counts[cause] ?? 0) : 0
  const points = steps.map(({ startsAt, counts }) => {
    const rest = ordered.slice(shown.length).reduce((sum, each) => sum + countOf(counts, each), 0)
    const values = Object.fromEntries(shown.map((cause) => [cause, countOf(counts, cause)]))
    return { startsAt: fromMs(startsAt), values: { ...values, others: rest } }
  })
  return { points, series: ordered.length > shown.length ? [...series, others] : series }
}

/** Returns the query that finds the delivery attempts of a webhook. */
export function capturesOf(
  { network, id }: Pick<Webhook, 'network' | 'id'>,
  only: { cause?: string; account?: string | null; failed?: boolean; span?: TimeSpan } = {},
): string {
  const { cause = '', account = null, failed = false, span } = only
  return [
    queryTerm('network', network),
    queryTerm('webhook', id),
    'origin:received',
    /^\d+$/.test(cause) && queryTerm('status', cause),
    cause === 'no-response' && 'status:none',
    account !== null && queryTerm('account', account),
    failed && '-status:200',
    span !== undefined && `received:${formatReceivedSpan(span)}`,
  ]
    .filter((term) => term !== false)
    .join(' ')
}
