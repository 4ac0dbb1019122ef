/** The items that need the user on the chosen network, the most urgent first, each with its action. */
import { type ReactNode, useState } from 'react'
import type { Incident } from '../../../src-preload/contract/incident.ts'
import type { MissedCheck } from '../../../src-preload/contract/missed-events.ts'
import type { Discrepancy } from '../../../src-preload/contract/discrepancy.ts'
import type { Network } from '../../../src-preload/contract/network.ts'
import { incidentHash } from '../../../src-preload/domain/incident-links.ts'
import { attempt, reload, request, useDataBy, useDataOf } from '../../app/bridge.ts'
import { lookupsHome } from '../../app/chain-route.ts'
import { SnoozeMenu, describeCause, noticeTones } from '../../app/frame/notices.tsx'
import { useOpenIncidents } from '../../app/incidents.ts'
import { invoicesHome } from '../../app/invoices-route.ts'
import { startReceiver } from '../../app/receiver-state.ts'
import { type Route, routeHref } from '../../app/route.ts'
import { takeWebhook } from '../../app/webhooks.ts'
import { webhookRoute, webhooksHome } from '../../app/webhooks-route.ts'
import { useJobs } from '../../components/jobs/job-kind.tsx'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { checkTunnel } from '../../components/delivery/tunnel.tsx'
import {
  markDiscrepanciesHandled,
  labelOf,
  nameOf,
} from '../../components/invoices/discrepancies.ts'
import { discrepancyTones } from '../../components/invoices/invoice-labels.ts'
import { leftToRebuild, maxLookedThrough, rebuildMissing } from '../../components/missed-events.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'
import { Icon } from '../../ui/icons.tsx'
import { Hint, Row, Section, Stack, Tag, Text } from '../../ui/layout.tsx'
import { awaitHeading } from '../../ui/keyboard.ts'
import { Moment } from '../../ui/time.tsx'
import { hasInvoiceAccess } from './health-stats.tsx'

type Item = {
  readonly key: string
  readonly tone: 'bad' | 'warn' | 'dim'
  readonly title: ReactNode
  readonly detail: ReactNode
  /** In milliseconds; null where it has no beginning. */
  readonly since: number | null
  readonly link: ReturnType<typeof linkTo>
  readonly action?: ReactNode
}

const linkTo = (label: string, route: Route) => ({ label, href: routeHref(route) })

/** `count` also counts what is not among the items. */
type Source = { readonly items: readonly Item[]; readonly count: number }

const sourceOf = (items: readonly Item[]): Source => ({ items, count: items.length })

const first = { offset: 0, limit: 3 }

export function useInbox(network: Network): Source {
  const sources = [
    sourceOf(useIncidents(network)),
    sourceOf(describeKey(network)),
    sourceOf(useMissedEvents(network)),
    useDiscrepancies(network),
    sourceOf(useStoppedJobs(network)),
  ]
  return {
    items: sources.flatMap(({ items }) => items),
    count: sources.reduce((sum, { count }) => sum + count, 0),
  }
}

/** Snoozed incidents need no action for now. */
function useIncidents(network: Network): Item[] {
  const awake = useOpenIncidents().here.filter(({ snoozedUntil }) => snoozedUntil === null)
  return awake.map((incident): Item => {
    const { id, level, title, openedAt } = incident
    const action = actionOf(incident, network)
    return {
      key: `incident ${id}`,
      tone: noticeTones[level],
      title,
      detail: describeCause(incident),
      since: openedAt,
      link: { label: 'Show cause', href: incidentHash(incident) },
      action: (
        <>
          {action !== null && <ActionButton action={action.run}>{action.label}</ActionButton>}
          <SnoozeMenu incident={incident} />
        </>
      ),
    }
  })
}

type Action = { readonly label: string; readonly run: () => Promise<unknown> }

/** The action that solves the incident here; null if the user has to go to its cause. */
function actionOf({ subject, kind }: Incident, { id: network }: Network): Action | null {
  const [group = '', id = ''] = subject.split(':')
  if (group === 'receiver' && kind === 'stopped') {
    return { label: 'Start receiver', run: startReceiver }
  }
  if (group === 'tunnel') return { label: 'Check tunnel', run: checkTunnel }
  if (group === 'webhook' && (kind === 'offline' || kind === 'suspended')) {
    const run = async () => {
      const webhook = await attempt('Could not bring the webhook back online', () =>
        request('webhook.backOnline', { network, id }),
      )
      if (webhook !== undefined) takeWebhook(webhook)
    }
    return { label: 'Bring back online', run }
  }
  if (group === 'target') {
    const run = () =>
      attempt('Could not retry the deliveries', () =>
        request('forwardRule.retryNow', { id: Number(id) }),
      )
    return { label: 'Retry now', run }
  }
  if (group === 'invoices') {
    const run = () =>
      attempt('Could not sync the invoices', () => request('invoiceSync.run', { network }))
    return { label: 'Sync now', run }
  }
  return null
}

function describeKey({ kind, name, secrets, problem }: Network): Item[] {
  const item = (title: string, detail: string): Item => ({
    key: 'key',
    tone: 'bad',
    title,
    detail,
    since: null,
    link: linkTo('Open network settings', { page: 'settings', section: 'networks' }),
  })
  if (kind === 'sandbox') return []
  if (problem !== null) return [item(`${name} cannot be used`, problem)]
  if (secrets.api === null) {
    return [
      item(`No API key for ${name}`, 'Without an API key, Tondesk cannot read your webhooks.'),
    ]
  }
  if (!secrets.api.present) {
    const detail = `The API key that ends in ${secrets.api.hint} is no longer in the keychain. Enter it again.`
    return [item(`The API key for ${name} is missing`, detail)]
  }
  return []
}

/** The latest finished check of each webhook that delivers here, if events are missing. */
function useMissedEvents({ id: network }: Network): Item[] {
  const checks = useJobs('missedEvents', network).data ?? []
  const latest = [...Map.groupBy(checks, ({ webhook }) => webhook).values()].flatMap(
    (each) => each.find(({ state }) => state === 'done') ?? [],
  )
  const found = latest.filter(({ isHere, counts }) => isHere && counts.missing > 0)
  const ids = found.map(({ id }) => id)
  const left = useDataBy('missedEvents.events', { of: 'inbox', ids }, async () => {
    const filter = { verdict: 'missing' as const }
    const pages = await Promise.all(
      ids.map((id) =>
        request('missedEvents.events', { id, filter, offset: 0, limit: maxLookedThrough }),
      ),
    )
    return pages.map(leftToRebuild)
  }).data
  return found.flatMap((check, index) => {
    const missing = left?.[index] ?? check.counts.missing
    return left === undefined || missing === 0 ? [] : [describeMissed(check, missing)]
  })
}

function describeMissed(check: MissedCheck, missing: number): Item {
  const { id, webhook, network, counts, finishedAt } = check
  const events = formatCount(missing, 'missing event')
  return {
    key: `missed ${webhook}`,
    tone: 'bad',
    title: `${events} of webhook ${webhook}`,
    detail: `${formatNumber(counts.missing)} of ${formatCount(check.events, 'event')} on the chain did not reach this computer.`,
    since: finishedAt,
    link: linkTo(
      'Show missed events',
      webhookRoute({ id: webhook, network }, 'missed', String(id)),
    ),
    action: (
      <ActionButton action={async () => void (await rebuildMissing(id, missing))}>
        Rebuild…
      </ActionButton>
    ),
  }
}

function useDiscrepancies(network: Network): Source {
  const input = hasInvoiceAccess(network) ? { network: network.id, ...first } : null
  const { matters = [], total = 0 } = useDataOf('discrepancy.page', input).data ?? {}
  return { items: matters.map(describeDiscrepancy), count: total }
}

function describeDiscrepancy(matter: Discrepancy): Item {
  const { key, network, kind, invoice, since, advice } = matter
  const tone = discrepancyTones[kind]
  return {
    key: `discrepancy ${key}`,
    tone: tone === 'plain' ? 'dim' : tone,
    title: (
      <>
        {invoice !== null && 'Invoice '}
        <UntrustedText text={nameOf(matter)} />: {labelOf(matter)}
      </>
    ),
    detail: advice.title,
    since,
    link: linkTo('Open', { ...invoicesHome, network, view: 'attention', matter: key }),
    action: (
      <ActionButton action={() => markDiscrepanciesHandled(network, [key])}>
        Mark as handled
      </ActionButton>
    ),
  }
}

type StoppedJob = Pick<MissedCheck, 'id' | 'state' | 'problem' | 'createdAt'>

function useStoppedJobs({ id: network }: Network): Item[] {
  const lookups = useJobs('lookup').data?.filter((job) => job.network === network) ?? []
  const checks = useJobs('missedEvents', network).data ?? []
  const changes = useJobs('change', network).data ?? []
  const invoices = useJobs('invoiceJob', network).data ?? []
  const routeOf = (job: { readonly id: number }): Route => ({
    ...invoicesHome,
    network,
    view: 'jobs',
    job: job.id,
  })
  return [
    ...lookups.flatMap((job) =>
      describeJob(job, 'lookup', 'Lookup', { ...lookupsHome, view: 'job', id: job.id }),
    ),
    ...checks.flatMap((job) => {
      const route = webhookRoute({ id: job.webhook, network }, 'missed', String(job.id))
      return describeJob(job, 'missedEvents', 'Missed-event check', route)
    }),
    ...changes.flatMap((job) => {
      const webhook = job.webhooks.find(({ id }) => id !== null)?.id ?? null
      const route: Route =
        webhook === null
          ? { ...webhooksHome, network, view: 'file' }
          : webhookRoute({ id: webhook, network }, 'changes', String(job.id))
      return describeJob(job, 'change', 'Change of subscriptions', route)
    }),
    ...invoices.flatMap((job) => {
      const thing = `Job that ${job.kind === 'issue' ? 'issues' : 'cancels'} invoices`
      return describeJob(job, 'invoiceJob', thing, routeOf(job))
    }),
    ...invoices
      .filter(({ unclear, state }) => unclear > 0 && state !== 'running')
      .map(({ id, unclear, createdAt }): Item => ({
        key: `unclear ${id}`,
        tone: 'warn',
        title: `${formatCount(unclear, 'invoice')} with an unknown outcome`,
        detail: 'The gateway did not respond, so the invoices may or may not exist.',
        since: createdAt,
        link: linkTo('Decide', routeOf({ id })),
      })),
  ]
}

/** Describes a job that stopped automatically; one that the user paused has no problem. */
function describeJob(
  { id, state, problem, createdAt }: StoppedJob,
  kind: 'lookup' | 'missedEvents' | 'change' | 'invoiceJob',
  thing: string,
  route: Route,
): Item[] {
  if (state !== 'failed' && (state !== 'paused' || problem === null)) return []
  const resume = async () => {
    await attempt('Could not resume the job', () => request('job.resume', { kind, id }))
    reload('job.list', { kind })
  }
  return [
    {
      key: `${kind} ${id}`,
      tone: state === 'failed' ? 'bad' : 'warn',
      title: `${thing} ${id} ${state === 'failed' ? 'failed' : 'is paused'}`,
      detail: problem ?? 'The gateway does not respond.',
      since: createdAt,
      link: linkTo('Open', route),
      action: <ActionButton action={resume}>Resume</ActionButton>,
    },
  ]
}

const maxShown = 8

export function Inbox({ inbox: { items, count } }: { inbox: Source }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? items : items.slice(0, maxShown)
  const discrepancies = routeHref({ ...invoicesHome, view: 'attention', matter: null })
  return (
    <Section
      title="Inbox"
      level={2}
      actions={count > 0 && <Tag tone="warn">{formatNumber(count)}</Tag>}
      end={
        items.some(({ key }) => key.startsWith('discrepancy')) && (
          <a href={discrepancies}>All discrepancies</a>
        )
      }
    >
      {count === 0 ? (
        <Hint>
          Nothing needs you. Incidents, missed events, discrepancies and jobs that stopped are
          listed here.
        </Hint>
      ) : (
        <Stack as="ul" gap="m">
          {shown.map((item) => (
            <InboxItem key={item.key} item={item} />
          ))}
          {items.length > shown.length && (
            <li>
              <Button kind="link" onClick={() => setWhole(true)}>
                Show {formatNumber(items.length - shown.length)} more
              </Button>
            </li>
          )}
        </Stack>
      )}
    </Section>
  )
}

function InboxItem({ item: { tone, title, detail, since, link, action } }: { item: Item }) {
  return (
    <Row as="li" align="start" gap="m">
      <Text tone={tone}>
        <Icon name="warning" />
      </Text>
      <Stack gap="none" grow>
        <Text as="p" strong over="break">
          {title}
        </Text>
        <Hint>
          {detail}{' '}
          {since !== null && (
            <Text tone="faint">
              <Moment at={fromMs(since)} />{' '}
            </Text>
          )}
          <a href={link.href} onClick={() => awaitHeading(link.href)}>
            {link.label}
          </a>
        </Hint>
      </Stack>
      <Row last gap="s">
        {action}
      </Row>
    </Row>
  )
}
