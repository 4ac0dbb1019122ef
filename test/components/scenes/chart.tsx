/** A chart of hourly captures. The address sets the number of hours and whether the last one is partial. */
import { useState } from 'react'
import { EmptyChart, TimeChartPanel } from '../../../src-renderer/components/charts/chart-panel.tsx'
import { RangeLinks } from '../../../src-renderer/components/charts/range-links.tsx'
import { count, type Series } from '../../../src-renderer/components/charts/series.ts'
import { type ChartKind, hour } from '../../../src-renderer/components/charts/plan.ts'
import { timeAxis } from '../../../src-renderer/components/charts/time-axis.ts'
import { Choices } from '../../../src-renderer/ui/button.tsx'
import { Controls } from './parts.tsx'

const options = new URLSearchParams(window.location.search)
const kind = (options.get('kind') ?? 'bars') as ChartKind
const hours = Number(options.get('hours') ?? 24)
const series: readonly Series[] = [
  { key: 'accepted', name: 'accepted', colour: 1 },
  { key: 'rejected', name: 'rejected', colour: 4 },
]
const ranges = [
  { name: 'day', label: '24 h' },
  { name: 'week', label: '7 d' },
] as const
const head = { title: 'Captures', unit: 'per hour' }

export function ChartScene() {
  const [range, setRange] = useState<'day' | 'week'>('day')
  const length = range === 'week' ? 7 * hours : hours
  const start = 1_750_000_000e6
  const points = Array.from({ length }, (_, index) => ({
    startsAt: start + index * hour,
    values:
      index === 3 ? { accepted: null, rejected: null } : { accepted: 10 + index, rejected: 1 },
  }))
  const last = points.at(-1)?.startsAt
  const choice = (
    <Choices
      label="Range"
      value={range}
      options={ranges.map(({ name, label }) => ({ value: name, label }))}
      onChange={setRange}
    />
  )
  return (
    <>
      {length === 0 ? (
        <EmptyChart head={{ ...head, actions: choice }}>No captures in this period.</EmptyChart>
      ) : (
        <TimeChartPanel
          {...head}
          actions={choice}
          name={`${length} hours of captures`}
          kind={kind}
          series={series}
          points={points}
          axis={timeAxis(
            points.map(({ startsAt }) => startsAt),
            { step: hour, between: 6 * hour, now: start + length * hour },
          )}
          measure={count}
          running={options.has('running') ? last : undefined}
        />
      )}
      <RangeLinks ranges={ranges} current={range} hrefOf={(name) => `#${name}`} />
      <Controls />
    </>
  )
}
