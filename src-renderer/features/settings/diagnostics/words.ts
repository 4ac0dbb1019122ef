/** The figures in words, for the tables and for a text to pass on. Pure. */
import type {
  GatewayTraffic,
  RootTraffic,
  SentRequest,
} from '../../../../src-preload/contract/traffic.ts'
import { formatDuration, formatNumber, formatUtc, fromMs } from '../../../ui/format.ts'

export type NetworkName = (id: string) => string

export const rootWords: Readonly<Record<RootTraffic['root'], string>> = {
  query: 'Query',
  webhooks: 'Webhooks',
  invoices: 'Invoices',
}

const learnedWords: Readonly<Record<RootTraffic['limit']['learnedFrom'], string>> = {
  none: 'no limit is known',
  keyless: 'the limit without a key',
  plan: 'the least that a key allows',
  answers: 'learned from the answers',
}

export function paceWords({ perSecond, learnedFrom }: RootTraffic['limit']): {
  short: string
  long: string
} {
  if (perSecond === null) return { short: 'none', long: learnedWords[learnedFrom] }
  const short =
    perSecond >= 1
      ? `${formatNumber(Math.round(perSecond * 10) / 10)}/s`
      : `1 in ${formatDuration(fromMs(1000 / perSecond))}`
  return { short, long: learnedWords[learnedFrom] }
}

export function milliseconds(ms: number): string {
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
  const facts = [
    `${root.requests} requests`,
    `${root.errors} errors`,
    `${waiting.interactive} + ${waiting.job} waiting`,
    `${root.underWay} under way`,
    latency === null
      ? 'no answers'
      : `p50 ${latency.p50} ms, p95 ${latency.p95} ms, max ${latency.max} ms`,
    `pace ${paceWords(limit).short} (${paceWords(limit).long})`,
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
      ...(sent.tried > 1 ? [`try ${sent.tried}`] : []),
      ...(sent.error === null ? [] : [sent.error]),
    ].join('  '),
  )
}

/** An error may quote what a server said, over several lines. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ')
}
