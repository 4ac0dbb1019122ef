import { useState } from 'react'
import { formatCount, fromMs } from '../../../ui/format.ts'
import { Button } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { changeTerm } from '../inspector-commands.ts'
import { useInspector } from '../inspector.ts'
import { useQueryReading } from '../../../components/query/use-query-reading.ts'
import { HistogramBars } from './histogram-bars.tsx'
import {
  type SpanChoice,
  type TimeSpan,
  formatSpan,
  printSpan,
  readSpan,
  spanChoices,
  widened,
} from './time-span.ts'
import { type HistogramData, useHistogram } from './use-histogram.ts'
import styles from './histogram.module.css'

/** When captures arrived, and how many of them are meant; a part of it can be chosen by dragging. */
export function Histogram() {
  // Of a query that cannot be read there is nothing to count.
  const text = useInspector(({ list, query }) => (list.status === 'failed' ? '' : query.text))
  const [choice, setChoice] = useState<SpanChoice>('day')
  const { parts } = useQueryReading(text, null)
  const chosen = parts.find((part) => part.field?.toLowerCase() === 'received' && !part.negated)
  const zoom = chosen === undefined ? null : readSpan(chosen.value)
  const { data, problem, retry } = useHistogram(text, choice, zoom)
  const choose = (span: TimeSpan | null) =>
    void changeTerm(text, 'received', span === null ? null : printSpan(span))
  const isFiltered = text.trim() !== ''

  return (
    <section className={styles['histogram']} aria-label="Arrivals over time">
      <div className={styles['head']}>
        <p className={styles['figures']}>
          {data !== null && <Figures data={data} isFiltered={isFiltered} />}
          {problem !== null && (
            <span role="alert" className={styles['problem']}>
              {data === null ? 'Arrivals could not be counted' : 'What you see may be old'}:{' '}
              {problem.message}{' '}
              <Button kind="link" onClick={retry}>
                Try again
              </Button>
            </span>
          )}
        </p>
        {zoom !== null && (
          <>
            <Chip
              pressed={false}
              title="Twice as long"
              onPress={() => choose(widened(zoom, fromMs(Date.now())))}
            >
              Zoom out
            </Chip>
            <Chip
              pressed={false}
              title="Take the time out of the query"
              onPress={() => choose(null)}
            >
              Reset
            </Chip>
          </>
        )}
        <div className={styles['choices']} role="group" aria-label="Time shown">
          {spanChoices.map(({ value, label }) => (
            <Chip
              key={value}
              pressed={zoom === null && value === choice}
              onPress={() => {
                setChoice(value)
                if (zoom !== null) choose(null)
              }}
            >
              {label}
            </Chip>
          ))}
        </div>
      </div>
      <HistogramBars data={data} isFiltered={isFiltered} onChoose={choose} />
    </section>
  )
}

function Figures({ data, isFiltered }: { data: HistogramData; isFiltered: boolean }) {
  const { bars, from, to, isExact } = data
  const sum = (of: 'total' | 'refused' | 'matching') =>
    bars.reduce((before, bar) => before + bar[of], 0)
  return (
    <>
      <span className={styles['span']}>{formatSpan({ from, to })}</span>
      <span>{formatCount(sum('total'), 'capture')} in this range</span>
      {isFiltered && (
        <span className={styles['matchingWord']}>
          {formatCount(sum('matching'), 'match', 'matches')}
          {!isExact && ' so far'}
        </span>
      )}
      <span className={sum('refused') > 0 ? styles['refusedWord'] : undefined}>
        {formatCount(sum('refused'), 'refused', 'refused')}
      </span>
    </>
  )
}
