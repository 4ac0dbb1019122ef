/** How the deliveries of a webhook arrive: figures, errors by status and account, and each attempt. */
import { useState } from 'react'
import type { CaptureRow } from '../../../../src-preload/contract/capture.ts'
import type { DeliveryErrors } from '../../../../src-preload/contract/failure.ts'
import type { Webhook, WebhookHealth } from '../../../../src-preload/contract/webhook.ts'
import { request, usePages } from '../../../app/bridge.ts'
import { captureHref, routeHref, queryHref, useRoute } from '../../../app/route.ts'
import { type HistoryRange, webhookRoute } from '../../../app/webhooks-route.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { TransactionHash } from '../../../components/chain/chain-text.tsx'
import { TimeChartPanel } from '../../../components/charts/chart-panel.tsx'
import { useCounted } from '../../../components/charts/counted.ts'
import { RangeLinks } from '../../../components/charts/range-links.tsx'
import { count } from '../../../components/charts/series.ts'
import { tickStepOf, timeAxis } from '../../../components/charts/time-axis.ts'
import { Button, Choices } from '../../../ui/button.tsx'
import { formatCount, formatDuration, formatNumber, fromMs } from '../../../ui/format.ts'
import { Hint, Row, Section, Stack, Tag, Text, Small } from '../../../ui/layout.tsx'
import { Moment } from '../../../ui/time.tsx'
import { Figure, Stats } from '../../../ui/values.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Table } from '../../../ui/table.tsx'
import {
  type InRange,
  boundsOf,
  describeRange,
  describeStep,
  failuresHref,
  ranges,
} from '../failures/history.tsx'
import { capturesOf, describeCause, drawCauses } from './causes.ts'
import {
  attemptsOf,
  describeDelay,
  describeSuccess,
  formatSuccess,
  healthOf,
  useHealth,
} from './health.ts'
import { TestEventButton } from './test-event.tsx'

export function DeliveriesTab({ webhook }: { webhook: Webhook }) {
  const range = useRoute(({ route }): HistoryRange =>
    route.page === 'webhooks' && route.view === 'webhook' ? route.range : '24h',
  )
  const health = useHealth(webhook.network)
  return (
    <>
      <Row wrap pad="m" line="below">
        <Small>Deliveries in the last 24 hours</Small>
        <Row last>
          <TestEventButton webhook={webhook} />
        </Row>
      </Row>
      <Loaded query={health} of="the deliveries" rows={3}>
        {(loaded) => <DeliveryStats health={healthOf(loaded)(webhook.id)} />}
      </Loaded>
      <Errors webhook={webhook} range={range} />
      <Attempts webhook={webhook} />
    </>
  )
}

function DeliveryStats({ health }: { health: WebhookHealth | undefined }) {
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
        {attempts === null && (
          <Text as="p" size="s" tone="dim">
            {describeSuccess(health)}
          </Text>
        )}
        <Text as="p" size="s" tone="dim">
          {describeDelay(health)}
        </Text>
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

function Errors({ webhook, range }: InRange) {
  const { network, id } = webhook
  const load = async () => {
    const now = Date.now()
    const bounds = boundsOf(range, now)
    const errors = await request('failure.errors', { network, webhook: id, ...bounds })
    return { errors, now, between: tickStepOf(fromMs(bounds.to - bounds.from)) }
  }
  const query = useCounted('failure.errors', { network, webhook: id, range }, load, 5000)
  return (
    <Section
      title="Errors"
      actions={
        <Row last>
          <RangeLinks
            ranges={ranges}
            current={range}
            hrefOf={(name) => routeHref(webhookRoute(webhook, 'deliveries', '', name))}
          />
        </Row>
      }
    >
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
        hrefOf={({ startsAt }, cause) =>
          captured.has(cause)
            ? queryHref(
                capturesOf(webhook, {
                  cause,
                  span: { from: startsAt, to: startsAt + fromMs(milliseconds) },
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
          {
            name: 'Account',
            cell: ({ account, label }) =>
              account === null ? (
                <Text tone="faint">unknown</Text>
              ) : (
                <AccountLink
                  account={{ address: account, label }}
                  href={failuresHref(webhook, range, account)}
                  canCopy={false}
                />
              ),
          },
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

/** Requests that this receiver stored, newest first; each opens the capture and the transaction. */
function Attempts({ webhook }: { webhook: Webhook }) {
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
      detail="Select an attempt to open its capture, with the request, the response and the transaction. Attempts that did not reach this receiver are in the gateway’s log on the Failures tab."
      actions={
        <Row last wrap>
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
        </Row>
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
              {query.hasNextPage && (
                <Row justify="end">
                  <Button
                    busy={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    {query.isFetchingNextPage ? 'Loading…' : 'Load older attempts'}
                  </Button>
                </Row>
              )}
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
