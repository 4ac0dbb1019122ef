import { useState } from 'react'
import { request } from '../../app/bridge.ts'
import {
  type ArrivalData,
  ArrivalBars,
  ArrivalTable,
} from '../../components/charts/arrival-bars.tsx'
import { fitRange, useCountedData } from '../../components/charts/counted.ts'
import {
  type SpanChoice,
  type TimeSpan,
  defaultBuckets,
  formatSpan,
  formatReceivedSpan,
  ranges,
  readSpan,
  spanChoices,
  spanOf,
  widenSpan,
} from '../../components/query/received-span.ts'
import { useQueryReading } from '../../components/query/use-query-reading.ts'
import { Button, Chip } from '../../ui/button.tsx'
import { formatCount, fromMs, displayOffset } from '../../ui/format.ts'
import { Row, Stack, Text, Small } from '../../ui/layout.tsx'
import { captureList, changeTerm } from './captures-state.ts'

/** Soon, so that the chart agrees with the count in the head of the page. */
const histogramMs = 500

/** Shows captures over time and how many of them match. The user selects a period by dragging. */
export function Histogram() {
  // An invalid query matches no captures, so nothing is counted.
  const text = captureList.use(({ status, query }) => (status === 'failed' ? '' : query.text))
  // Until the user chooses one: the smallest that holds all captures, a day at most.
  const [choice, setChoice] = useState<SpanChoice | null>(null)
  const [showsTable, setShowsTable] = useState(false)
  const { parts } = useQueryReading(text, null)
  const chosen = parts.find((part) => part.field?.toLowerCase() === 'received' && !part.negated)
  const zoom = chosen === undefined ? null : readSpan(chosen.value)
  const { data, error, refetch } = useCountedData(
    'captureQuery.histogram',
    { text, choice, ...zoom },
    () => loadArrivals(text, choice, zoom),
    histogramMs,
  )
  const choose = (span: TimeSpan | null) =>
    void changeTerm(text, 'received', span === null ? null : formatReceivedSpan(span))
  const isFiltered = text.trim() !== ''

  return (
    <Stack as="section" pad="m" line="below" gap="xs" aria-label="Captures over time">
      <Row gap="s" wrap>
        <Row grow gap="l">
          {data !== undefined && <Totals data={data} isFiltered={isFiltered} />}
          {error !== null && (
            <Text tone="bad" size="s" role="alert">
              {data === undefined ? 'Could not count the captures' : 'This may be out of date'}:{' '}
              {error.message}{' '}
              <Button kind="link" onClick={() => void refetch()}>
                Try again
              </Button>
            </Text>
          )}
        </Row>
        {zoom !== null && (
          <>
            <Chip
              pressed={false}
              title="Show a time range twice as long"
              onPress={() => choose(widenSpan(zoom, fromMs(Date.now())))}
            >
              Zoom out
            </Chip>
            <Chip
              pressed={false}
              title="Remove the time range from the query"
              onPress={() => choose(null)}
            >
              Clear time range
            </Chip>
          </>
        )}
        <Row gap="xs" role="group" aria-label="Time range">
          {spanChoices.map(({ value, label }) => (
            <Chip
              key={value}
              pressed={zoom === null && value === (choice ?? data?.choice)}
              onPress={() => {
                setChoice(value)
                if (zoom !== null) choose(null)
              }}
            >
              {label}
            </Chip>
          ))}
        </Row>
        <Button
          kind="quiet"
          aria-label={`Show the captures over time as a ${showsTable ? 'chart' : 'table'}`}
          onClick={() => setShowsTable(!showsTable)}
        >
          {showsTable ? 'Chart' : 'Table'}
        </Button>
      </Row>
      {showsTable ? (
        <ArrivalTable data={data ?? null} isFiltered={isFiltered} onChoose={choose} />
      ) : (
        <ArrivalBars data={data ?? null} isFiltered={isFiltered} onChoose={choose} />
      )}
    </Stack>
  )
}

function Totals({ data, isFiltered }: { data: ArrivalData; isFiltered: boolean }) {
  const { bars, from, to, isExact } = data
  const sum = (of: 'total' | 'refused' | 'matching') =>
    bars.reduce((before, bar) => before + bar[of], 0)
  return (
    <>
      <Small tone="faint" over="nowrap">
        {formatSpan({ from, to })}
      </Small>
      <Small over="nowrap">{formatCount(sum('total'), 'capture')} in this range</Small>
      {isFiltered && (
        <Small tone="accent" over="nowrap">
          {formatCount(sum('matching'), 'match', 'matches')}
          {!isExact && ' so far'}
        </Small>
      )}
      <Small tone={sum('refused') > 0 ? 'bad' : 'dim'} over="nowrap">
        {formatCount(sum('refused'), 'rejected', 'rejected')}
      </Small>
    </>
  )
}

async function loadArrivals(
  text: string,
  chosen: SpanChoice | null,
  zoom: TimeSpan | null,
): Promise<ArrivalData & { readonly choice: SpanChoice }> {
  const choice = chosen ?? (await fitRange(ranges.slice(0, 3)))?.name ?? '24h'
  const span = zoom === null ? await spanNow(choice) : { ...zoom, buckets: defaultBuckets }
  const { buckets, isExact } = await request('captureQuery.histogram', { query: { text }, ...span })
  return { from: span.from, to: span.to, bars: buckets, isExact, choice }
}

async function spanNow(choice: SpanChoice) {
  const now = fromMs(Date.now())
  const first = { from: 0, to: 0, buckets: 1 }
  const { oldestAt } =
    choice === 'all' ? await request('captureQuery.histogram', first) : { oldestAt: null }
  return spanOf(choice, now, displayOffset(now), oldestAt)
}
