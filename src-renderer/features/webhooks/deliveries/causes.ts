/** What made delivery attempts fail, in words and as the series of a chart. */
import type { DeliveryErrors } from '../../../../src-preload/contract/failure.ts'
import type { Series } from '../../../components/charts/series.ts'
import { fromMs } from '../../../ui/format.ts'

const causes: Readonly<Record<string, string>> = {
  'no-response': 'no response',
  'not-allowed': 'host not allowed',
  tls: 'TLS error',
  refused: 'connection refused',
  'no-host': 'host not found',
  unreachable: 'host unreachable',
  'timed-out': 'timed out',
  'broken-off': 'connection broken off',
  unknown: 'other error',
}

/** `HTTP 500`, `timed out` */
export function describeCause(cause: string): string {
  return causes[cause] ?? `HTTP ${cause}`
}

const colours = [4, 3, 5, 1] as const
const others: Series = { key: 'others', name: 'other errors', colour: 7 }

/** One series for each of the most frequent causes, and one for the others. */
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
  const points = steps.map(({ startsAt, counts }) => {
    const rest = ordered.slice(shown.length).reduce((sum, each) => sum + (counts[each] ?? 0), 0)
    const values = Object.fromEntries(shown.map((cause) => [cause, counts[cause] ?? 0]))
    return { startsAt: fromMs(startsAt), values: { ...values, others: rest } }
  })
  return { points, series: ordered.length > shown.length ? [...series, others] : series }
}
