/** The captures of a network: a chart and the latest rows. */
import { useEffect } from 'react'
import { create } from 'zustand'
import type { CaptureRow } from '../../../src-preload/contract/capture.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { createReloader, on, request, useData } from '../../app/bridge.ts'
import { captureHref, queryHref } from '../../app/route.ts'
import { renameCoin } from '../../components/amount.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { Amount } from '../../components/chain/chain-text.tsx'
import { useAccountName } from '../../components/chain/account-link.tsx'
import { TimeChartPanel } from '../../components/charts/chart-panel.tsx'
import { isWithinHour } from '../../components/charts/counted.ts'
import {
  boundsOf,
  findRange,
  type Range,
  day,
  hour,
  minute,
} from '../../components/charts/ranges.ts'
import { type Point, type Series, count } from '../../components/charts/series.ts'
import { timeAxis } from '../../components/charts/time-axis.ts'
import { Choices } from '../../ui/button.tsx'
import { Hint, Tag, Section } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { displayOffset, formatNumber } from '../../ui/format.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Table } from '../../ui/table.tsx'
import { formatReceivedSpan } from '../../components/query/received-span.ts'

type RangeName = '1h' | '24h' | '7d' | '30d'

export const ranges: readonly Range<RangeName>[] = [
  {
    name: '1h',
    label: '1 h',
    step: minute,
    buckets: 60,
    tickStep: 10 * minute,
    unit: 'per minute',
  },
  {
    name: '24h',
    label: '24 h',
    step: hour / 4,
    buckets: 96,
    tickStep: 3 * hour,
    unit: 'per quarter hour',
  },
  { name: '7d', label: '7 d', step: 2 * hour, buckets: 84, tickStep: day, unit: 'per two hours' },
  { name: '30d', label: '30 d', step: day, buckets: 30, tickStep: 5 * day, unit: 'per day' },
]

/** The query of a network's latest captures. */
export const latestCaptures = (network: NetworkId) => ({
  query: { text: `network:${network}` },
  limit: 6,
})

/** Counts what was captured until `now`, as the figures beside the chart do. */
export async function loadChart(own: string, hasOthers: boolean, now: number) {
  const { name } = useRange.getState()
  const range = findRange(ranges, name ?? ((await isWithinHour(own)) ? '1h' : '24h'))
  const span = { ...boundsOf(range, now, displayOffset(now)), buckets: range.buckets }
  const until = `received:${formatReceivedSpan({ from: span.from, to: now })}`
  const count = (text: string) =>
    request('captureQuery.histogram', { query: { text: `${text} ${until}` }, ...span })
  const [all, rejected] = await Promise.all([count(own), count(`${own} -status:2xx`)])
  const buckets = all.buckets.map(({ startsAt, matching }, index) => ({
    startsAt,
    total: matching,
    rejected: rejected.buckets[index]?.matching ?? 0,
  }))
  // Captures that were imported or rebuilt are not counted, so their rows are left out too.
  const rows = hasOthers ? `${own} origin:received` : own
  return { range, now, buckets, rows }
}

type Chart = Awaited<ReturnType<typeof loadChart>>

const { call: noteCaptures, cancel } = createReloader(['capture.list', 'receiver.state'])

/** Keeps the latest rows and the receiver's own count up to date while the page is open. */
export function useLiveCaptures(): void {
  useEffect(() => {
    noteCaptures()
    const stops = [
      on('capture.added', noteCaptures),
      on('capture.changed', noteCaptures),
      on('capture.classified', noteCaptures),
      cancel,
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
}

/** Until the user chooses one: an hour where that holds all captures, else a day. */
export const useRange = create<{ name: RangeName | null }>(() => ({ name: null }))

const series: readonly Series[] = [
  { key: 'accepted', name: 'accepted', colour: 1 },
  { key: 'rejected', name: 'rejected', colour: 4 },
]

export function CaptureChart({
  counts,
}: {
  counts: Parameters<typeof Loaded<{ readonly chart: Chart }>>[0]['query']
}) {
  const { name } = useRange()
  return (
    <Loaded query={counts} of="the chart">
      {({ chart }) => (
        <TimeChartPanel
          title="Captures"
          unit={chart.range.unit}
          name={describeChart(chart)}
          kind="bars"
          series={series}
          points={pointsOf(chart)}
          axis={timeAxis(
            chart.buckets.map(({ startsAt }) => startsAt),
            { step: chart.range.step, between: chart.range.tickStep, now: chart.now },
          )}
          measure={count}
          // The range ends with the step that is now.
          running={chart.buckets.at(-1)?.startsAt}
          hrefOf={({ startsAt }, key) =>
            queryHref(`${barQuery(chart, { startsAt })} ${key === 'accepted' ? '' : '-'}status:2xx`)
          }
          actions={
            <Choices
              label="Time range"
              value={name ?? chart.range.name}
              options={ranges.map((range) => ({ value: range.name, label: range.label }))}
              onChange={(next) => useRange.setState({ name: next })}
            />
          }
        />
      )}
    </Loaded>
  )
}

function pointsOf({ buckets }: Chart): Point[] {
  return buckets.map(({ startsAt, total, rejected }) => ({
    startsAt,
    values: { accepted: total - rejected, rejected },
  }))
}

function describeChart({ range, buckets }: Chart): string {
  const total = buckets.reduce((sum, bucket) => sum + bucket.total, 0)
  return `Captures ${range.unit}, last ${range.label}: ${formatNumber(total)} in total`
}

function barQuery({ range: { step }, rows }: Chart, { startsAt }: Pick<Point, 'startsAt'>): string {
  return `${rows} received:${formatReceivedSpan({ from: startsAt, to: startsAt + step })}`
}

export function LatestCaptures({ network: { id, name } }: { network: Network }) {
  return (
    <Section
      title="Latest captures"
      level={2}
      end={<a href={queryHref(latestCaptures(id).query.text)}>All captures</a>}
    >
      <Loaded query={useData('capture.list', latestCaptures(id))} of="the latest captures">
        {({ rows }) =>
          rows.length === 0 ? (
            <Hint>
              No captures of {name} yet.{' '}
              <a href={queryHref('')}>Show the captures of all networks</a>
            </Hint>
          ) : (
            <Captures rows={rows} />
          )
        }
      </Loaded>
    </Section>
  )
}

function Captures({ rows }: { rows: readonly CaptureRow[] }) {
  return (
    <Table
      label="Latest captures"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Time',
          width: 104,
          look: 'dim',
          cell: ({ receivedAt }) => <Moment at={receivedAt} />,
        },
        {
          name: 'Event',
          width: 150,
          cell: ({ id, kind, method }) => <a href={captureHref(id)}>{kind ?? method}</a>,
        },
        {
          name: 'Account',
          grow: 1,
          width: 110,
          look: 'mono',
          title: ({ account }) => account ?? undefined,
          cell: (row) => <Account row={row} />,
        },
        {
          name: 'Content',
          grow: 2,
          width: 110,
          look: 'dim',
          cell: (row) => <CaptureContent row={row} />,
        },
        { name: 'Response', cell: ({ status }) => <Status status={status} /> },
      ]}
    />
  )
}

function Account({ row }: { row: CaptureRow }) {
  return <UntrustedText text={useAccountName(row) ?? ''} />
}

function Status({ status }: { status: number | null }) {
  if (status === null) return <Tag tone="warn">none</Tag>
  const tone = status < 300 ? 'ok' : status < 500 ? 'warn' : 'bad'
  return <Tag tone={tone}>{status}</Tag>
}

/** The amount that moved and its comment, where the transaction is known. */
function CaptureContent({ row: { kind, summary, meaning, message } }: { row: CaptureRow }) {
  const { amount, comment } = meaning
  if (amount === null) return <>{(kind === 'invoice' ? renameCoin(summary) : summary) || message}</>
  const { direction, units, asset } = amount
  return (
    <>
      <Amount units={direction === 'out' ? `-${units}` : units} asset={asset} signed />{' '}
      <UntrustedText text={comment ?? message} />
    </>
  )
}
