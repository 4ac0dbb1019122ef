import { formatDay, formatDuration, formatMinute, fromMs } from '../../../ui/format.ts'
import { useNow } from '../../../ui/moment.tsx'
import { classes } from '../../../ui/classes.ts'
import charts from '../../../components/charts/chart.module.css'
import { ChartFrame, TableBox } from '../../../components/charts/chart-panel.tsx'
import type { History } from './history.ts'
import { type StatusSpan, statusSpans } from './history-data.ts'
import { statusWords } from './words.ts'
import styles from './status-band.module.css'

const statuses = ['online', 'offline', 'suspended', 'unknown'] as const

/** The webhook's status over time, as a band whose parts differ in height as well as in colour. */
export function StatusBand({
  history: { steps, milliseconds, axis },
  span: range,
}: {
  history: History
  /** How far it reaches: "the last 24 h". */
  span: string
}) {
  const now = useNow()
  const spans = statusSpans(steps, milliseconds)
  const from = spans[0]?.from ?? 0
  const whole = (spans.at(-1)?.to ?? 0) - from || 1
  const words = ({ status, ...span }: StatusSpan) =>
    `${statusWords[status ?? 'unknown']} ${printTime(span.from, now)} to ${printTime(span.to, now)}, ${formatDuration(fromMs(span.to - span.from))}`
  const shown = statuses.filter((each) =>
    spans.some(({ status }) => (status ?? 'unknown') === each),
  )
  return (
    <ChartFrame
      title="Status"
      unit="the worst per step"
      legend={
        <span className={charts['legends']}>
          {shown.map((status) => (
            <span key={status} className={charts['legend']}>
              <span className={classes(styles['mark'], styles[status])} />
              {statusWords[status]}
            </span>
          ))}
        </span>
      }
      table={
        <TableBox title="Status">
          <thead>
            <tr>
              <th scope="col">Status</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col">Lasted</th>
            </tr>
          </thead>
          <tbody>
            {spans.toReversed().map((span) => (
              <tr key={span.from}>
                <td>{statusWords[span.status ?? 'unknown']}</td>
                <td>{printTime(span.from, now)}</td>
                <td>{printTime(span.to, now)}</td>
                <td>{formatDuration(fromMs(span.to - span.from))}</td>
              </tr>
            ))}
          </tbody>
        </TableBox>
      }
    >
      <div className={styles['area']}>
        <div
          className={styles['band']}
          role="img"
          aria-label={`Status, ${range}: ${sayTimes(spans)}`}
        >
          {spans.map((span) => (
            <span
              key={span.from}
              className={classes(styles['part'], styles[span.status ?? 'unknown'])}
              style={{ width: `${((span.to - span.from) / whole) * 100}%` }}
              title={words(span)}
            />
          ))}
        </div>
        <div className={styles['ticks']} aria-hidden="true">
          {axis.ticks.map((at) => (
            <span key={at} style={{ left: `${((at / 1000 - from) / whole) * 100}%` }}>
              {axis.tick(at)}
            </span>
          ))}
        </div>
      </div>
    </ChartFrame>
  )
}

/** How long each status held in all. */
function sayTimes(spans: readonly StatusSpan[]): string {
  const times = new Map<string, number>()
  for (const { status, from, to } of spans) {
    const word = statusWords[status ?? 'unknown']
    times.set(word, (times.get(word) ?? 0) + to - from)
  }
  return [...times].map(([word, ms]) => `${word} ${formatDuration(fromMs(ms))}`).join(', ')
}

function printTime(ms: number, now: number): string {
  const us = fromMs(ms)
  const day = formatDay(us, now)
  return day === formatDay(now, now) ? formatMinute(us) : `${day} ${formatMinute(us)}`
}
