import { classes } from '../../ui/classes.ts'
import { formatDay, formatDuration, formatMinute } from '../../ui/format.ts'
import { useNow } from '../../ui/time.tsx'
import { ChartFrame, TableBox } from './chart-panel.tsx'
import { Table } from '../../ui/table.tsx'
import styles from './chart.module.css'
import type { TimeAxis } from './time-axis.ts'

const looks = ['online', 'offline', 'suspended', 'unknown'] as const

/** A period with one status, in microseconds. */
export type BandPart = {
  readonly look: (typeof looks)[number]
  readonly word: string
  readonly from: number
  readonly to: number
}

/** Shows a status over time as a band whose parts differ in height and color. */
export function StatusBand({
  title,
  unit,
  name,
  parts,
  axis,
}: {
  title: string
  unit: string
  /** The name for screen readers, before the total time of each status. */
  name: string
  /** The parts follow each other without gaps. */
  parts: readonly BandPart[]
  axis: TimeAxis
}) {
  const now = useNow()
  const from = parts[0]?.from ?? 0
  const whole = (parts.at(-1)?.to ?? 0) - from || 1
  const describe = ({ word, ...span }: BandPart) =>
    `${word} ${formatBandTime(span.from, now)} to ${formatBandTime(span.to, now)}, ${formatDuration(span.to - span.from)}`
  return (
    <ChartFrame
      title={title}
      unit={unit}
      legend={
        <span className={styles['legends']}>
          {looks.map((look) => {
            const part = parts.find((each) => each.look === look)
            return (
              part !== undefined && (
                <span key={look} className={styles['legend']}>
                  <span className={classes(styles['swatch'], styles[look])} />
                  {part.word}
                </span>
              )
            )
          })}
        </span>
      }
      table={
        <TableBox title={title}>
          <Table
            label={title}
            rows={parts.toReversed()}
            keyOf={(part) => part.from}
            columns={[
              { name: 'Status', cell: ({ word }) => word },
              { name: 'From', cell: (part) => formatBandTime(part.from, now) },
              { name: 'To', cell: (part) => formatBandTime(part.to, now) },
              { name: 'Duration', cell: (part) => formatDuration(part.to - part.from) },
            ]}
          />
        </TableBox>
      }
    >
      <div className={styles['band']}>
        <div
          className={styles['parts']}
          role="img"
          aria-label={`${name}: ${describeTotals(parts)}`}
        >
          {parts.map((part) => (
            <span
              key={part.from}
              className={classes(
                styles['part'],
                styles[part.look],
                part.look === 'online' && styles['short'],
              )}
              style={{ width: `${((part.to - part.from) / whole) * 100}%` }}
              title={describe(part)}
            />
          ))}
        </div>
        <div className={styles['ticks']} aria-hidden="true">
          {axis.ticks.map((at) => (
            <span key={at} style={{ left: `${((at - from) / whole) * 100}%` }}>
              {axis.tick(at)}
            </span>
          ))}
        </div>
      </div>
    </ChartFrame>
  )
}

/** The total time of each status. */
function describeTotals(parts: readonly BandPart[]): string {
  const times = new Map<string, number>()
  for (const { word, from, to } of parts) times.set(word, (times.get(word) ?? 0) + to - from)
  return [...times].map(([word, us]) => `${word} ${formatDuration(us)}`).join(', ')
}

function formatBandTime(us: number, now: number): string {
  const day = formatDay(us, now)
  return day === formatDay(now, now) ? formatMinute(us) : `${day} ${formatMinute(us)}`
}
