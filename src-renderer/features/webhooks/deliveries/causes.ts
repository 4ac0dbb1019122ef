/**
 * The causes of failed delivery attempts: in words, as the series of a chart, and as a query for
 * their captures.
 */
import type { DeliveryErrors } from '../../../../src-preload/contract/failure.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import type { Series } from '../../../components/charts/series.ts'
import { queryTerm } from '../../../components/query-term.ts'
import { type TimeSpan, formatReceivedSpan } from '../../../components/query/received-span.ts'
import { fromMs } from '../../../ui/format.ts'
import { lookupTable } from '../../../../src-preload/domain/lookup-table.ts'

const causes: Readonly<Record<string, string>> = lookupTable({
  'no-response': 'no response',
  'not-allowed': 'host not allowed',
  tls: 'TLS error',
  refused: 'connection refused',
  'no-host': 'host not found',
  unreachable: 'host unreachable',
  'timed-out': 'timed out',
  'broken-off': 'connection broken off',
  unknown: 'other error',
})

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
  const countOf = (counts: Readonly<Record<string, number>>, cause: string) =>
    Object.hasOwn(counts, cause) ? (counts[cause] ?? 0) : 0
  const points = steps.map(({ startsAt, counts }) => {
    const rest = ordered.slice(shown.length).reduce((sum, each) => sum + countOf(counts, each), 0)
    const values = Object.fromEntries(shown.map((cause) => [cause, countOf(counts, cause)]))
    return { startsAt: fromMs(startsAt), values: { ...values, others: rest } }
  })
  return { points, series: ordered.length > shown.length ? [...series, others] : series }
}

/** The query that finds the delivery attempts of a webhook. */
export function capturesOf(
  { network, id }: Pick<Webhook, 'network' | 'id'>,
  only: { cause?: string; account?: string | null; failed?: boolean; span?: TimeSpan } = {},
): string {
  const { cause = '', account = null, failed = false, span } = only
  return [
    queryTerm('network', network),
    queryTerm('webhook', id),
    'origin:received',
    /^\d+$/.test(cause) && queryTerm('status', cause),
    cause === 'no-response' && 'status:none',
    account !== null && queryTerm('account', account),
    failed && '-status:200',
    span !== undefined && `received:${formatReceivedSpan(span)}`,
  ]
    .filter((term) => term !== false)
    .join(' ')
}
