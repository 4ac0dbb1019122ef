import { type KeyboardEvent, type PointerEvent, memo, useRef, useState } from 'react'
import {
  formatCount,
  formatDay,
  formatMinute,
  formatNumber,
  formatSecond,
  fromMs,
} from '../../ui/format.ts'
import type { Output } from '../../../src-preload/contract/routes.ts'
import { type TimeSpan, spanBetween } from '../query/received-span.ts'
import { TableBox } from './chart-panel.tsx'
import { arrivalBarsId } from './counted.ts'
import { Bars as Dots, isSparse } from './sparkline.tsx'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Table } from '../../ui/table.tsx'
import surface from '../../ui/surface.module.css'
import styles from './arrival-bars.module.css'
import { lookupTable } from '../../../src-preload/domain/lookup-table.ts'

export type ArrivalData = TimeSpan & {
  readonly bars: Output<'captureQuery.histogram'>['buckets']
  readonly isExact: boolean
}

const height = 34
/** A pointer that moves by this number of pixels drags. */
const dragFrom = 4

/** The selected bars: from the first pressed bar to the one under the pointer. `of` is the number of bars. */
type Marked = { readonly anchor: number; readonly focus: number; readonly of: number }

type ArrivalsProps = {
  data: ArrivalData | null
  isFiltered: boolean
  onChoose: (span: TimeSpan) => void
}

/** Returns the bar to which a key leads, which may be outside the chart. */
const barAfter = (key: string, from: number, last: number): number | undefined =>
  lookupTable({
    ArrowLeft: from - 1,
    ArrowRight: Math.min(from, last) + 1,
    PageUp: from - 10,
    PageDown: from + 10,
    Home: 0,
    End: last,
  })[key]

/**
 * Shows captures by their time of arrival. Dragging selects a time. On the keyboard, arrow keys
 * move between bars, Shift and arrow keys select, and Enter applies the selection.
 */
export function ArrivalBars({ data, isFiltered, onChoose }: ArrivalsProps) {
  const [kept, setMarked] = useState<Marked | null>(null)
  const pressedAt = useRef<number | null>(null)
  const bars = data?.bars ?? []
  const last = bars.length - 1
  // Only bars show by their colours which captures match.
  const sparse = !isFiltered && isSparse(bars.map(({ total }) => total))
  // A selection in another time span does not apply to this one.
  const marked = kept?.of === bars.length ? kept : null
  const begin = marked === null ? 0 : Math.min(marked.anchor, marked.focus)
  const end = marked === null ? 0 : Math.max(marked.anchor, marked.focus)

  const choose = () => {
    if (data === null || marked === null) return
    setMarked(null)
    onChoose(spanBetween(data, bars.length, marked.anchor, marked.focus))
  }

  const indexAt = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const part = (event.clientX - box.left) / Math.max(1, box.width)
    return Math.max(0, Math.min(last, Math.floor(part * bars.length)))
  }

  const press = (event: KeyboardEvent) => {
    const to = barAfter(event.key, marked?.focus ?? last + 1, last)
    if (last < 0) return
    if (to !== undefined) {
      const focus = Math.max(0, Math.min(last, to))
      const anchor = event.shiftKey ? (marked?.anchor ?? focus) : focus
      setMarked({ anchor, focus, of: bars.length })
    } else if (event.key === 'Enter' && marked !== null) choose()
    else if (event.key === 'Escape' && marked !== null) setMarked(null)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      id={arrivalBarsId}
      className={styles['bars']}
      role="slider"
      tabIndex={0}
      aria-label="Select a time range: arrow keys move the selection, Shift extends the selection, Enter applies the range"
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={marked?.focus ?? Math.max(0, last)}
      aria-valuetext={marked === null ? 'Nothing selected' : describe(data, begin, end, isFiltered)}
      onKeyDown={press}
      onBlur={() => pressedAt.current === null && setMarked(null)}
      onPointerDown={(event) => {
        if (event.button !== 0 || last < 0) return
        pressedAt.current = event.clientX
        event.currentTarget.setPointerCapture(event.pointerId)
        const at = indexAt(event)
        setMarked({ anchor: at, focus: at, of: bars.length })
      }}
      onPointerMove={(event) => {
        if (pressedAt.current === null) return
        const focus = indexAt(event)
        setMarked((now) => (now === null ? now : { ...now, focus }))
      }}
      onPointerUp={(event) => {
        const from = pressedAt.current
        pressedAt.current = null
        if (from !== null && Math.abs(event.clientX - from) >= dragFrom) choose()
      }}
      onPointerCancel={() => {
        pressedAt.current = null
        setMarked(null)
      }}
    >
      {sparse && (
        <div className={styles['points']}>
          <Dots
            isPoints
            label=""
            values={bars.map(({ total }) => total)}
            failed={bars.map(({ refused }) => refused)}
          />
        </div>
      )}
      <svg viewBox={`0 0 ${Math.max(1, bars.length) * 10} ${height}`} preserveAspectRatio="none">
        {!sparse && <Bars bars={bars} isFiltered={isFiltered} endsAt={data?.to ?? 0} />}
        {marked !== null && (
          <rect
            className={styles['marked']}
            x={begin * 10 - 1.5}
            y={0}
            width={(end - begin + 1) * 10}
            height={height}
          />
        )}
      </svg>
      {marked !== null && (
        <span
          className={classes(surface['raised'], styles['span'])}
          style={
            begin * 2 < bars.length
              ? { left: `${(begin / bars.length) * 100}%` }
              : { right: `${(1 - (end + 1) / bars.length) * 100}%` }
          }
        >
          {describe(data, begin, end, isFiltered)}
        </span>
      )}
    </div>
  )
}

/** Shows the same numbers as a table, newest first, without rows for times without captures. */
export function ArrivalTable({ data, isFiltered, onChoose }: ArrivalsProps) {
  if (data === null) return null
  const { bars } = data
  const rows = bars.flatMap((bar, index) =>
    bar.total === 0 ? [] : [{ ...bar, index, endsAt: bars[index + 1]?.startsAt ?? data.to }],
  )
  return (
    <TableBox id={arrivalBarsId} title="Captures over time">
      <Table
        label="Captures over time"
        rows={rows.toReversed()}
        keyOf={({ startsAt }) => startsAt}
        columns={[
          {
            name: 'Time',
            cell: ({ startsAt, endsAt, index }) => (
              <Button
                kind="link"
                onClick={() => onChoose(spanBetween(data, bars.length, index, index))}
              >
                {describeTime(startsAt, endsAt)}
              </Button>
            ),
          },
          { name: 'Captures', look: 'number', cell: ({ total }) => formatNumber(total) },
          ...(isFiltered
            ? [
                {
                  name: 'Matches',
                  look: 'number' as const,
                  cell: ({ matching }: Bar) => formatNumber(matching),
                },
              ]
            : []),
          { name: 'Rejected', look: 'number', cell: ({ refused }) => formatNumber(refused) },
        ]}
      />
    </TableBox>
  )
}

type Bar = ArrivalData['bars'][number]

/** The bars are a separate component, because the selection changes with each move of the pointer. */
const Bars = memo(function Bars({
  bars,
  isFiltered,
  endsAt,
}: {
  bars: readonly Bar[]
  isFiltered: boolean
  endsAt: number
}) {
  const runs = endsAt > fromMs(Date.now())
  const highest = Math.max(1, ...bars.map((bar) => bar.total))
  // A single capture beside thousands stays visible.
  const tall = (count: number) => (count === 0 ? 0 : Math.max(2, (count / highest) * height))
  return bars.map((bar, index) => {
    const x = index * 10
    const full = tall(bar.total)
    const found = isFiltered ? Math.min(full, tall(bar.matching)) : full
    const bad = bar.refused === 0 ? 0 : Math.max(2, (bar.refused / Math.max(1, bar.total)) * full)
    return (
      <g key={bar.startsAt}>
        <title>{describeBars([bar], bars[index + 1]?.startsAt, isFiltered)}</title>
        <rect className={styles['reach']} x={x} y={0} width={10} height={height} />
        {isFiltered && (
          <rect className={styles['other']} x={x} y={height - full} width={7} height={full} />
        )}
        <rect
          className={classes(styles['bar'], runs && index === bars.length - 1 && styles['running'])}
          x={x}
          y={height - found}
          width={7}
          height={found}
        />
        <rect className={styles['refused']} x={x} y={height - full} width={7} height={bad} />
      </g>
    )
  })
})

function describe(
  data: ArrivalData | null,
  begin: number,
  end: number,
  isFiltered: boolean,
): string {
  if (data === null) return ''
  return describeBars(
    data.bars.slice(begin, end + 1),
    data.bars[end + 1]?.startsAt ?? data.to,
    isFiltered,
  )
}

function describeBars(
  bars: readonly Bar[],
  endsAt: number | undefined,
  isFiltered: boolean,
): string {
  const sum = (of: 'total' | 'refused' | 'matching') =>
    bars.reduce((before, bar) => before + bar[of], 0)
  const parts = [
    formatCount(sum('total'), 'capture'),
    ...(isFiltered ? [formatCount(sum('matching'), 'match', 'matches')] : []),
    formatCount(sum('refused'), 'rejected', 'rejected'),
  ]
  return `${describeTime(bars[0]?.startsAt ?? 0, endsAt)}: ${parts.join(', ')}`
}

function describeTime(startsAt: number, endsAt: number | undefined): string {
  const isShort = endsAt !== undefined && endsAt - startsAt < 60e6
  const time = isShort ? formatSecond : formatMinute
  const to = endsAt === undefined ? '' : ` to ${time(endsAt)}`
  return `${formatDay(startsAt, fromMs(Date.now()))} ${time(startsAt)}${to}`
}
