/**
 * The state of receiver, tunnel, webhooks, forwarding and invoices of a network, with the figures
 * of the last 24 hours and links to the cause of a problem.
 */
import type { ReactNode } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'
import { invoiceCurrencies } from '../../../src-preload/domain/invoice-values.ts'
import { webhookState } from '../../../src-preload/domain/webhook-state.ts'
import { request, useData, useDataBy, useDataOf } from '../../app/bridge.ts'
import { useOpenIncidents } from '../../app/incidents.ts'
import { invoicesHome, invoicesOf } from '../../app/invoices-route.ts'
import { routeHref, queryHref } from '../../app/route.ts'
import { webhooksHome } from '../../app/webhooks-route.ts'
import { formatMoney } from '../../components/amount.ts'
import { fitRange, useCountedData } from '../../components/charts/counted.ts'
import { hour, minute } from '../../components/charts/plan.ts'
import { SmallChart } from '../../components/charts/sparkline.tsx'
import { useGatewayNow } from '../../components/gateway-clock.ts'
import { queryTerm } from '../../components/query-term.ts'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'
import { Tag, Text } from '../../ui/layout.tsx'
import { useNow } from '../../ui/time.tsx'
import { Figure, Stats } from '../../ui/values.tsx'
import {
  type Health,
  forwardingHealth,
  invoicesHealth,
  receiverHealth,
  tunnelHealth,
  webhooksHealth,
} from './health.ts'

const loading: Health = { tone: 'plain', word: 'loading', cause: null }

/** True if the network has a token for invoices. The sandbox always has one. */
export function hasInvoiceAccess({ kind, secrets, urls }: Network): boolean {
  return urls?.console !== null && (kind === 'sandbox' || secrets.invoices !== null)
}

export function useHealth(network: Network) {
  const { id } = network
  const receiver = useData('receiver.state').data
  const tunnel = useData('tunnel.state').data
  const webhooks = useData('webhook.list', { network: id }).data
  const rules = useData('forwardRule.list').data
  const isOpen = hasInvoiceAccess(network)
  const sync = useDataOf('invoiceSync.state', isOpen ? { network: id } : null).data
  const incidents = useOpenIncidents().here.filter(({ snoozedUntil }) => snoozedUntil === null)
  const healthOf = (group: string, health: Health | undefined): Health => {
    const isInInbox = incidents.some(({ subject }) => subject.split(':')[0] === group)
    return isInInbox && health !== undefined ? { ...health, cause: null } : (health ?? loading)
  }
  return {
    receiver: healthOf('receiver', receiver && receiverHealth(receiver)),
    tunnel: healthOf('tunnel', tunnel && tunnelHealth(tunnel)),
    webhooks: healthOf('webhook', webhooks && webhooksHealth(webhooks)),
    forwarding: healthOf('target', rules && forwardingHealth(rules)),
    invoices: healthOf(
      'invoices',
      isOpen && sync === undefined ? undefined : invoicesHealth(network, sync ?? null),
    ),
  }
}

type Parts = ReturnType<typeof useHealth>

const hours = 24
const lastDay = 'received:>-24h'

/** The small charts show the smallest range that holds all captures. */
const ranges = [
  { name: '5m', step: minute / 3, buckets: 15 },
  { name: '15m', step: minute, buckets: 15 },
  { name: '1h', step: 5 * minute, buckets: 12 },
  { name: '6h', step: 30 * minute, buckets: 12 },
  { name: '24h', step: 2 * hour, buckets: 12 },
] as const
const wholeDay = ranges[4]

/** How often a query matched until now. */
async function countSteps(
  text: string,
  { step, buckets: steps }: (typeof ranges)[number],
  now: number,
) {
  const from = now - step * steps
  const { buckets, isExact } = await request('captureQuery.histogram', {
    query: { text },
    from,
    to: now,
    buckets: steps,
  })
  const values = buckets.map(({ matching }) => matching)
  return { from, values, total: values.reduce((sum, each) => sum + each, 0), isExact }
}

/** Counts everything up to the same time, so that the figures agree while captures arrive. */
export async function loadCounts(network: string, host: string | null, forwards: boolean) {
  const own = `network:${network}`
  const hasOthers = (await request('capture.counts')).others > 0
  const range = (await fitRange(ranges, own)) ?? wholeDay
  const now = fromMs(Date.now())
  const count = (text: string) => countSteps(text, range, now)
  const [received, rejected, unknown, tunnel, forwarded, dropped] = await Promise.all([
    count(own),
    count(`${own} -status:2xx`),
    countSteps('network:unknown', wholeDay, now),
    host === null ? null : count(`${own} ${queryTerm('header.host', host)}`),
    forwards ? count(`${own} forward:delivered`) : null,
    forwards ? count(`${own} forward:failed,dropped`) : null,
  ])
  return { hasOthers, received, rejected, unknown, tunnel, forwarded, dropped }
}

type StepCounts = Awaited<ReturnType<typeof countSteps>>

const countMs = 2000

export function useCaptureCounts(network: Network) {
  const publicUrl = useData('settings.get').data?.receiver.publicUrl ?? null
  const host = publicUrl === null ? null : (URL.parse(publicUrl)?.host ?? null)
  const forwards = (useData('forwardRule.list').data ?? []).length > 0
  const key = { of: 'overview', network: network.id, host, forwards }
  const query = useCountedData(
    'captureQuery.histogram',
    key,
    () => loadCounts(network.id, host, forwards),
    countMs,
  )
  const { data } = query
  /** Imported and rebuilt captures are not counted, so their rows are left out too. */
  const hrefOf = (text: string) =>
    queryHref(
      [`network:${network.id}`, lastDay, text, data?.hasOthers === true ? 'origin:received' : '']
        .filter((term) => term !== '')
        .join(' '),
    )
  return { query, data, host, hrefOf }
}

type Counts = ReturnType<typeof useCaptureCounts>

export function HealthStats({
  network,
  parts,
  counts: { data, host, hrefOf },
}: {
  network: Network
  parts: Parts
  counts: Counts
}) {
  const { received, rejected, unknown, forwarded = null, dropped = null } = data ?? {}
  const arrived = data?.tunnel ?? undefined
  return (
    <Stats label="Health" least={148}>
      <Part
        name="Receiver"
        health={parts.receiver}
        value={received && formatTotal(received)}
        unit={received?.total === 1 ? 'capture' : 'captures'}
        href={hrefOf('')}
        more={
          <>
            last 24 h
            {rejected !== undefined && rejected.total > 0 && (
              <>
                {', '}
                <a href={hrefOf('-status:2xx')}>
                  <Text tone="bad">{formatTotal(rejected)} rejected</Text>
                </a>
              </>
            )}
            {unknown !== undefined && unknown.total > 0 && (
              <>
                {', '}
                <a
                  href={queryHref(`network:unknown ${lastDay}`)}
                  title="Tondesk could not determine the network of these captures."
                >
                  {formatTotal(unknown)} unassigned
                </a>
              </>
            )}
          </>
        }
        graph={received && <Steps of={received} failed={rejected ?? null} what="Captures" />}
      />
      <Part
        name="Tunnel"
        health={parts.tunnel}
        value={host === null ? '–' : arrived && formatTotal(arrived)}
        unit={host === null ? undefined : arrived?.total === 1 ? 'capture' : 'captures'}
        href={host === null ? '#/inspector/tunnels' : hrefOf(queryTerm('header.host', host))}
        more={host === null ? 'no public URL' : <span title={host}>last 24 h through {host}</span>}
        graph={arrived && <Steps of={arrived} what="Captures through the tunnel" />}
      />
      <WebhooksFigure health={parts.webhooks} network={network} />
      <Part
        name="Forwarding"
        health={parts.forwarding}
        value={data && (forwarded === null ? '–' : formatTotal(forwarded))}
        unit={forwarded === null ? undefined : 'delivered'}
        href={forwarded === null ? '#/inspector/forwarding' : hrefOf('forward:delivered')}
        more={
          dropped !== null && dropped.total > 0 ? (
            <>
              last 24 h,{' '}
              <a href={hrefOf('forward:failed,dropped')}>
                <Text tone="bad">{formatTotal(dropped)} failed</Text>
              </a>
            </>
          ) : (
            forwarded !== null && 'last 24 h'
          )
        }
        graph={
          forwarded && (
            <Steps of={sumOf(forwarded, dropped)} failed={dropped} what="Forwarded captures" />
          )
        }
      />
      <InvoicesFigure health={parts.invoices} network={network} />
    </Stats>
  )
}

function Part({
  name,
  health: { tone, word, cause },
  more,
  ...figure
}: {
  name: string
  health: Health
  value: string | undefined
  unit?: string | undefined
  href: string
  more: ReactNode
  graph: ReactNode
}) {
  return (
    <Figure
      {...figure}
      name={name}
      tag={<Tag tone={tone}>{word}</Tag>}
      more={[
        more,
        cause === null ? null : (
          <a key="cause" href={routeHref(cause.route)} title={cause.text}>
            <Text tone={tone === 'plain' ? undefined : tone}>{cause.text}</Text>
          </a>
        ),
      ]}
    />
  )
}

/** Formats a number, with a sign if it is only a minimum because counting was stopped. */
function formatTotal({ total, isExact }: Pick<StepCounts, 'total' | 'isExact'>): string {
  return isExact ? formatNumber(total) : `≥ ${formatNumber(total)}`
}

function Steps({ of, failed, what }: { of: StepCounts; failed?: StepCounts | null; what: string }) {
  return (
    <SmallChart
      values={of.values.map((each, step) => Math.max(each, failed?.values[step] ?? 0))}
      failed={failed?.values ?? []}
      from={of.from}
      label={`${what}, last 24 h: ${formatTotal(of)}${failed ? `, ${formatTotal(failed)} failed` : ''}`}
    />
  )
}

/** Values of the last hours, from the first one on that is not zero, but six at least. */
function HourlyChart({
  values,
  failed = [],
  label,
}: {
  values: readonly number[]
  failed?: readonly number[]
  label: string
}) {
  const now = useNow()
  const first = Math.min(
    Math.max(
      0,
      values.findIndex((each) => each > 0),
    ),
    Math.max(0, values.length - 6),
  )
  return (
    <SmallChart
      values={values.slice(first)}
      failed={failed.slice(first)}
      from={now - (values.length - first) * hour}
      label={label}
    />
  )
}

function WebhooksFigure({ health, network: { id } }: { health: Health; network: Network }) {
  const list = useData('webhook.list', { network: id }).data?.webhooks
  const summary = useData('subscription.summary', { network: id }).data
  const online = list?.filter((each) => webhookState(each) === 'online').length
  const attempts = summary?.failedAttempts.map((each) => each ?? 0) ?? []
  const failed = attempts.reduce((sum, each) => sum + each, 0)
  return (
    <Part
      name="Webhooks"
      health={health}
      value={list && (list.length === 0 ? '–' : formatNumber(online ?? 0))}
      unit={
        list === undefined || list.length === 0
          ? undefined
          : `of ${formatNumber(list.length)} online`
      }
      href={routeHref(webhooksHome)}
      more={summary && `${formatCount(failed, 'failed attempt')} in 24 h`}
      graph={
        summary && (
          <HourlyChart
            values={attempts}
            failed={attempts}
            label={`Failed attempts per hour, last 24 h: ${formatNumber(failed)}`}
          />
        )
      }
    />
  )
}

function sumOf(one: StepCounts, other: StepCounts | null): StepCounts {
  if (other === null) return one
  return {
    from: one.from,
    values: one.values.map((each, step) => each + (other.values[step] ?? 0)),
    total: one.total + other.total,
    isExact: one.isExact && other.isExact,
  }
}

const quarterMs = 15 * 60_000

function InvoicesFigure({ health, network }: { health: Health; network: Network }) {
  const isOpen = hasInvoiceAccess(network)
  const counts = useDataOf('invoice.counts', isOpen ? { network: network.id } : null).data
  // The ledger is summed up in quarters of an hour.
  const now = useGatewayNow(network.id) / 1000
  const to = (Math.floor(now / quarterMs) + 1) * quarterMs
  const span = { from: to - hours * 3_600_000, to }
  const input = {
    network: network.id,
    ...span,
    step: 'hour' as const,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
  const series = useDataBy('invoiceStats.series', input, async () =>
    isOpen ? (await request('invoiceStats.series', input)).steps : [],
  ).data
  const paid = series?.map(({ tally }) => tally.paid)
  const total = paid?.reduce((sum, each) => sum + each, 0)
  const volumes = invoiceCurrencies
    .map((currency) => ({
      currency,
      units: (series ?? []).reduce((sum, { tally }) => sum + BigInt(tally.volume[currency]), 0n),
    }))
    .filter(({ units }) => units > 0n)
    .map(({ currency, units }) => formatMoney(units.toString(), currency))
  const pending = counts?.byStatus['pending'] ?? 0
  return (
    <Part
      name="Invoices"
      health={health}
      value={isOpen ? (total === undefined ? undefined : formatNumber(total)) : '–'}
      unit={isOpen ? 'paid' : undefined}
      href={routeHref(
        isOpen
          ? invoicesOf({ statuses: ['paid'], period: { by: 'ended', ...span } })
          : invoicesHome,
      )}
      more={
        isOpen && (
          <span title={volumes.join(', ')}>
            last 24 h,{' '}
            <a href={routeHref(invoicesOf({ statuses: ['pending'] }))}>
              {formatNumber(pending)} pending
            </a>
          </span>
        )
      }
      graph={
        isOpen &&
        paid !== undefined && (
          <HourlyChart
            values={paid}
            label={`Invoices paid per hour, last 24 h: ${formatNumber(total ?? 0)}`}
          />
        )
      }
    />
  )
}
