/** Request statistics as text, for the tables and for the clipboard. */
import type {
  GatewayTraffic,
  RootTraffic,
  SentRequest,
} from '../../../src-preload/contract/traffic.ts'
import { formatDuration, formatNumber, formatUtc, fromMs } from '../../ui/format.ts'

export type NetworkName = (id: string) => string

export const rootNames: Readonly<Record<RootTraffic['root'], string>> = {
  query: 'Query',
  webhooks: 'Webhooks',
  invoices: 'Invoices',
}

const limitSources: Readonly<Record<RootTraffic['limit']['learnedFrom'], string>> = {
  none: 'No limit known',
  keyless: 'Limit without a key',
  plan: 'Lowest limit of any key',
  answers: 'Learned from responses',
}

/** The rate limit of an API, and how it is known. */
export function describePace({ perSecond, learnedFrom }: RootTraffic['limit']): {
  pace: string
  source: string
} {
  const source = limitSources[learnedFrom]
  if (perSecond === null) return { pace: 'none', source }
  const pace =
    perSecond >= 1
      ? `${formatNumber(Math.round(perSecond * 10) / 10)}/s`
      : `1 in ${formatDuration(fromMs(1000 / perSecond))}`
  return { pace, source }
}

export function formatMilliseconds(ms: number): string {
  return formatDuration(fromMs(ms))
}

export function trafficText({ roots, recent }: GatewayTraffic, name: NetworkName): string {
  return [
    ...roots.map((root) => describeRoot(root, name)),
    '',
    `The last ${recent.length} requests, newest first:`,
    ...recent.map((sent) => describeRequest(sent, name)),
    '',
  ].join('\n')
}

function describeRoot(root: RootTraffic, name: NetworkName): string {
  const { latency, limit, lastError, waiting } = root
  const { pace, source } = describePace(limit)
  const facts = [
    `${root.requests} requests`,
    `${root.errors} errors`,
    `${waiting.interactive} + ${waiting.job} waiting`,
    `${root.underWay} in flight`,
    latency === null
      ? 'no responses'
      : `p50 ${latency.p50} ms, p95 ${latency.p95} ms, max ${latency.max} ms`,
    `rate limit ${pace} (${source.toLowerCase()})`,
    ...(limit.pausedUntil === null ? [] : [`paused until ${formatUtc(fromMs(limit.pausedUntil))}`]),
    ...(lastError === null
      ? []
      : [`last error ${formatUtc(fromMs(lastError.at))}: ${lastError.message}`]),
  ]
  return oneLine(`${name(root.network)} ${root.root} ${root.origin}: ${facts.join('; ')}`)
}

function describeRequest(sent: SentRequest, name: NetworkName): string {
  return oneLine(
    [
      formatUtc(fromMs(sent.at)),
      name(sent.network),
      sent.root,
      sent.method,
      sent.path,
      sent.status ?? '-',
      `${sent.milliseconds} ms`,
      ...(sent.tried > 1 ? [`attempt ${sent.tried}`] : []),
      ...(sent.error === null ? [] : [sent.error]),
    ].join('  '),
  )
}

/** An error may quote a response of several lines. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ')
}
