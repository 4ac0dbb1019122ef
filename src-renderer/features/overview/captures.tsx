/** The captures on the Overview: figures, a chart and the latest rows. */
import { useEffect } from 'react'
import { create } from 'zustand'
import type { CaptureRow, HistogramBucket } from '../../../src-preload/contract/capture.ts'
import { on, request, reload, useData } from '../../app/bridge.ts'
import { captureHref, emptyQuery, printRoute, queryHref } from '../../app/route.ts'
import { renameCoin } from '../../components/amount.ts'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { useAccountName } from '../../components/chain/account-link.tsx'
import { TimeChartPanel } from '../../components/charts/chart-panel.tsx'
import { isWithinHour, useCounted } from '../../components/charts/counted.ts'
import {
  boundsOf,
  findRange,
  localOffset,
  type Range,
  day,
  hour,
  minute,
} from '../../components/charts/ranges.ts'
import { type Point, type Series, count } from '../../components/charts/series.ts'
import { timeAxis } from '../../components/charts/time-axis.ts'
import { Choices } from '../../ui/button.tsx'
import { Figure, Figures, Moment, Tag, Section } from '../../ui/layout.tsx'
import { formatBytes, formatDuration, formatNumber, fromMs } from '../../ui/format.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Table } from '../../ui/table.tsx'
import { throttle } from '../../ui/throttle.ts'
import { printSpan } from '../../components/query/received-span.ts'

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

const latest = { limit: 8 }

const figures = { of: 'figures' }

/** Loads everything that is counted at one moment, so that the numbers agree while captures arrive. */
async function loadFigures() {
  const now = fromMs(Date.now())
  const countSince = async (span: number) => {
    const [bucket] = await request('capture.histogram', { from: now - span, to: now, buckets: 1 })
    return bucket ?? { total: 0, refused: 0 }
  }
  const [counts, hour, day] = await Promise.all([
    request('capture.counts'),
    countSince(3600e6),
    countSince(86_400e6),
  ])
  return { counts, lastHour: hour.total, lastDay: day.total, rejected: day.refused }
}

async function loadChart(name: RangeName | null) {
  const range = findRange(ranges, name ?? ((await isWithinHour()) ? '1h' : '24h'))
  const now = fromMs(Date.now())
  const { from, to } = boundsOf(range, now, localOffset(now))
  const buckets = await request('capture.histogram', { from, to, buckets: range.buckets })
  return { range, now, buckets }
}

type Chart = Awaited<ReturnType<typeof loadChart>>

/** Keeps the latest rows and the receiver's own count up to date while the page is open. */
export function useLiveCaptures(): void {
  useEffect(() => {
    const { call, cancel } = throttle(() => {
      reload('capture.list', latest)
      reload('receiver.state')
    }, 500)
    call()
    const stops = [
      on('capture.added', call),
      on('capture.changed', call),
      on('capture.classified', call),
      cancel,
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
}

const countMs = 1000

export function CaptureFigures() {
  const { data, error } = useCounted('capture.histogram', figures, loadFigures, countMs)
  const counts = data?.counts
  const format = (value: number | undefined) =>
    value === undefined ? undefined : formatNumber(value)
  // Captures that were imported or created by hand are not counted.
  const received = (text: string) =>
    queryHref(`${text} ${(counts?.others ?? 0) > 0 ? 'origin:received' : ''}`.trim())
  return (
    <Figures>
      <Figure
        name="Captures"
        href={received('')}
        value={format(counts?.total)}
        more={counts === undefined ? '' : `${formatNumber(counts.pinned)} pinned`}
      />
      <Figure
        name="Unread"
        href={queryHref('')}
        value={format(counts?.unread)}
        more="since your last visit"
      />
      <Figure
        name="Last hour"
        href={received('received:>-1h')}
        value={format(data?.lastHour)}
        more={error?.message ?? `${formatNumber(data?.lastDay ?? 0)} in the last 24 h`}
      />
      <Figure
        name="Rejected"
        href={received('received:>-24h -status:2xx')}
        value={format(data?.rejected)}
        more={error?.message ?? 'not 2xx, last 24 h'}
        bad={(data?.rejected ?? 0) > 0}
      />
    </Figures>
  )
}

/** Until the user chooses one: an hour where that holds all captures, else a day. */
const useRange = create<{ name: RangeName | null }>(() => ({ name: null }))

const series: readonly Series[] = [
  { key: 'accepted', name: 'accepted', colour: 1 },
  { key: 'rejected', name: 'rejected', colour: 4 },
]

export function CaptureChart() {
  const { name } = useRange()
  const query = useCounted('capture.histogram', { range: name }, () => loadChart(name), countMs)
  return (
    <Loaded query={query} of="the chart">
      {(chart) => (
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
  return buckets.map(({ startsAt, total, refused }) => ({
    startsAt,
    values: { accepted: total - refused, rejected: refused },
  }))
}

function describeChart({ range, buckets }: Chart): string {
  const total = buckets.reduce((sum, bucket) => sum + bucket.total, 0)
  return `Captures ${range.unit}, last ${range.label}: ${formatNumber(total)} in total`
}

function barQuery(
  { range: { step } }: Chart,
  { startsAt }: Pick<HistogramBucket, 'startsAt'>,
): string {
  return `received:${printSpan({ from: startsAt, to: startsAt + step })}`
}

export function LatestCaptures() {
  return (
    <Section
      title="Latest captures"
      level={2}
      end={
        <a href={printRoute({ page: 'inspector', captureId: null, query: emptyQuery })}>
          All captures
        </a>
      }
    >
      <Loaded query={useData('capture.list', latest)} of="the latest captures">
        {({ rows }) => <Captures rows={rows} />}
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
          title: summaryOf,
          cell: summaryOf,
        },
        { name: 'Size', look: 'number', cell: ({ bodyBytes }) => formatBytes(bodyBytes) },
        { name: 'Duration', look: 'number', cell: ({ durationUs }) => formatDuration(durationUs) },
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

function summaryOf({ kind, summary }: CaptureRow): string {
  return kind === 'invoice' ? renameCoin(summary) : summary
}
