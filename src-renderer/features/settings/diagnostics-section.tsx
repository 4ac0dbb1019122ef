import type {
  GatewayTraffic,
  RootTraffic,
  SentRequest,
} from '../../../src-preload/contract/traffic.ts'
import { useData } from '../../app/bridge.ts'
import { CopyButton } from '../../ui/toast.tsx'
import {
  formatDuration,
  formatExact,
  formatNumber,
  formatSecond,
  formatUtc,
  fromMs,
} from '../../ui/format.ts'
import { Hint, Row, Tag, Text, Small } from '../../ui/layout.tsx'
import { Moment, useSecondsLeft } from '../../ui/time.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { type TableColumn, Table, column } from '../../ui/table.tsx'
import { SettingsSection } from '../../components/settings.tsx'

/** The request statistics as text, for the tables and for the clipboard. */

type NetworkName = (id: string) => string

const rootNames: Readonly<Record<RootTraffic['root'], string>> = {
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

/** Describes the rate limit of an API and its source. */
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

function formatMilliseconds(ms: number): string {
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
    `${root.underWay} in progress`,
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

/** Replaces line breaks, because an error may quote a response of several lines. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ')
}

export function DiagnosticsSection() {
  const networks = useData('network.list').data?.networks ?? []
  const nameOf: NetworkName = (id) => networks.find((network) => network.id === id)?.name ?? id
  return (
    <SettingsSection
      id="diagnostics"
      detail="The statistics cover all requests to gateways since Tondesk started, including retries. Tondesk does not record API keys, bodies or query values."
    >
      <Loaded query={useData('traffic.read')} of="the request statistics" rows={3}>
        {(traffic) => <Traffic traffic={traffic} nameOf={nameOf} />}
      </Loaded>
    </SettingsSection>
  )
}

function Traffic({ traffic, nameOf }: { traffic: GatewayTraffic; nameOf: NetworkName }) {
  const isUnused = traffic.roots.every(
    ({ requests, underWay, waiting }) =>
      requests + underWay + waiting.interactive + waiting.job === 0,
  )
  if (isUnused) {
    return <Hint>No requests yet. Open an account or a transaction to see its requests here.</Hint>
  }
  return (
    <>
      <Table
        label="Requests by API"
        scroll
        rows={traffic.roots}
        keyOf={({ network, root }) => `${network}/${root}`}
        columns={rootColumns(nameOf)}
        more={({ lastError }) =>
          lastError !== null && (
            <Small tone="bad">
              <Moment at={fromMs(lastError.at)} /> {lastError.message}
            </Small>
          )
        }
      />
      {traffic.recent.length > 0 && (
        <Table
          label="Recent requests"
          boxed
          rows={traffic.recent.map((sent, index) => ({ ...sent, index }))}
          keyOf={({ index }) => traffic.recent.length - index}
          columns={requestColumns(nameOf)}
        />
      )}
      <Row>
        <CopyButton
          text={trafficText(traffic, nameOf)}
          what="Request statistics"
          label="Copy statistics as text"
        />
      </Row>
    </>
  )
}

function rootColumns(nameOf: NetworkName): TableColumn<RootTraffic>[] {
  return [
    column(
      'API',
      { title: ({ origin }) => origin },
      ({ network, root }) => `${nameOf(network)} · ${rootNames[root]}`,
    ),
    column('Requests', { look: 'number' }, ({ requests }) => formatNumber(requests)),
    column('Errors', { look: 'number' }, ({ errors }) => formatNumber(errors)),
    column(
      'Waiting',
      {
        look: 'number',
        title: ({ waiting: { interactive, job } }) =>
          `${formatNumber(interactive)} for the window, ${formatNumber(job)} for jobs`,
      },
      ({ waiting: { interactive, job } }) => formatNumber(interactive + job),
    ),
    column('In progress', { look: 'number' }, ({ underWay }) => formatNumber(underWay)),
    column('p50', { look: 'number' }, ({ latency }) =>
      latency === null ? '–' : formatMilliseconds(latency.p50),
    ),
    column(
      'p95',
      {
        look: 'number',
        title: ({ latency }) =>
          latency === null ? undefined : `Maximum: ${formatMilliseconds(latency.max)}`,
      },
      ({ latency }) => (latency === null ? '–' : formatMilliseconds(latency.p95)),
    ),
    column('Rate limit', { title: ({ limit }) => describePace(limit).source }, ({ limit }) => (
      <>
        {describePace(limit).pace}{' '}
        {limit.pausedUntil !== null && <Pause until={limit.pausedUntil} />}
      </>
    )),
  ]
}

/** Counts down the pause that the gateway requested. */
function Pause({ until }: { until: number }) {
  const seconds = useSecondsLeft(until)
  if (seconds === 0) return null
  return (
    <Tag tone="warn" title={`The gateway requested a pause until ${formatExact(fromMs(until))}`}>
      paused, {formatDuration(fromMs(seconds * 1000))}
    </Tag>
  )
}

function requestColumns(nameOf: NetworkName): TableColumn<SentRequest>[] {
  const target = ({ network, root }: SentRequest) => `${nameOf(network)} · ${rootNames[root]}`
  const line = ({ method, path }: SentRequest) => `${method} ${path}`
  return [
    column('Sent at', {}, ({ at }) => (
      <time dateTime={formatUtc(fromMs(at))} title={formatExact(fromMs(at))}>
        {formatSecond(fromMs(at))}
      </time>
    )),
    column('API', {}, target),
    column('Request', { look: 'mono', grow: 1, width: 200, title: line }, (sent) => (
      <>
        {line(sent)} {sent.tried > 1 && <Text tone="faint">attempt {sent.tried}</Text>}
      </>
    )),
    column('Status', { title: ({ error }) => error ?? undefined }, ({ status, error }) => (
      <Text tone={error === null ? undefined : 'bad'}>
        {status ?? (error === 'called off' ? error : 'failed')}
      </Text>
    )),
    column('Duration', { look: 'number' }, ({ milliseconds }) => formatMilliseconds(milliseconds)),
  ]
}
