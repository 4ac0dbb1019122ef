/** Missed-event checks: the job, its verdicts in words, and the links to it. */
import type { LedgerEvent, MissedCheck, Verdict } from '../../../../src-preload/contract/ledger.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { type WebhooksRoute, webhookRoute } from '../../../app/webhooks-route.ts'
import type { Point, Series } from '../../../components/charts/series.ts'
import { createJobs, isOver, sayOutcome } from '../../../components/jobs/job-kind.tsx'
import { formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import type { IconName } from '../../../ui/icons.tsx'
import type { Tone } from '../../../ui/layout.tsx'

export function checkRoute({
  id,
  webhook,
  network,
}: Pick<MissedCheck, 'id' | 'webhook' | 'network'>): WebhooksRoute {
  return { ...webhookRoute(webhook, 'missed', String(id)), network }
}

export function checksRoute({
  webhook,
  network,
}: Pick<MissedCheck, 'webhook' | 'network'>): WebhooksRoute {
  return { ...webhookRoute(webhook, 'missed'), network }
}

export const checkJobs = createJobs<MissedCheck>({
  routes: 'ledger',
  listOf: ({ network }) => ({ network }),
  thing: 'check',
  titleOf: ({ id }) => `Missed-event check ${id}`,
  noteOf: (check) =>
    [check.isScheduled && 'scheduled', !isOver(check) && describeCounts(check)]
      .filter(Boolean)
      .join(', '),
  routeOf: checkRoute,
  homeOf: checksRoute,
  startedAt: ({ createdAt }) => fromMs(createdAt),
  counts: 'Accounts',
  progressOf: ({ checked, accounts, unread }) => ({
    done: checked,
    total: accounts,
    failed: unread,
  }),
  resultOf: describeCounts,
  canPause: false,
  canRemoveRunning: true,
  cancelDetail: ({ checked, accounts }) =>
    `${formatNumber(checked)} of ${formatCount(accounts, 'account')} were checked; these results stay. The check cannot be resumed.`,
  removeDetail: ({ events }) =>
    `The results for ${formatCount(events, 'event')} are deleted from this computer. Captures stay, and so do those that the check rebuilt.`,
  outcomeOf: (check) => {
    if (check.state === 'cancelled') return null
    return sayOutcome(check, describeCounts(check), 'the network does not respond.')
  },
  isInSight: (_check, route) =>
    route.page === 'webhooks' && route.view === 'webhook' && route.tab === 'missed',
})

type VerdictLook = {
  readonly word: string
  readonly icon: IconName
  readonly tone: Tone
  readonly colour: Series['colour']
  readonly meaning: string
}

export const verdicts: Record<Verdict, VerdictLook> = {
  delivered: {
    word: 'delivered',
    icon: 'check',
    tone: 'ok',
    colour: 2,
    meaning: 'Accepted once, in time and in order.',
  },
  missing: {
    word: 'missing',
    icon: 'close',
    tone: 'bad',
    colour: 4,
    meaning: 'The event is on the chain, but no delivery was accepted here.',
  },
  late: {
    word: 'late',
    icon: 'clock',
    tone: 'warn',
    colour: 3,
    meaning: 'Accepted, but longer after the block than this check allows.',
  },
  duplicate: {
    word: 'duplicate',
    icon: 'copy',
    tone: 'plain',
    colour: 1,
    meaning: 'Accepted more than once.',
  },
  'out-of-order': {
    word: 'out of order',
    icon: 'transactions',
    tone: 'warn',
    colour: 5,
    meaning: 'Accepted after a later event of the same account.',
  },
  unauthenticated: {
    word: 'unauthenticated',
    icon: 'key',
    tone: 'bad',
    colour: 6,
    meaning: 'Deliveries arrived, but none with the right token.',
  },
  waiting: {
    word: 'waiting',
    icon: 'more',
    tone: 'plain',
    colour: 7,
    meaning: 'Too recent to count as missing.',
  },
}

/** The most serious first. */
export const verdictOrder: readonly Verdict[] = [
  'missing',
  'unauthenticated',
  'late',
  'out-of-order',
  'duplicate',
  'waiting',
  'delivered',
]

/** The verdicts that occur; `delivered` is at the bottom of each bar. */
export function verdictSeries(counts: MissedCheck['counts']): Series[] {
  return verdictOrder
    .filter((verdict) => counts[verdict] > 0)
    .toReversed()
    .map((key) => ({ key, name: verdicts[key].word, colour: verdicts[key].colour }))
}

export function verdictPoints({ steps }: Output<'ledger.histogram'>): Point[] {
  return steps.map(({ startsAt, counts }) => ({ startsAt: fromMs(startsAt), values: counts }))
}

/** `2 missing, 1 late of 40 events`, or that nothing was missed. */
export function describeCounts({ counts, events }: Pick<MissedCheck, 'counts' | 'events'>): string {
  const wrong = verdictOrder
    .filter((verdict) => verdict !== 'delivered' && counts[verdict] > 0)
    .map((verdict) => `${formatNumber(counts[verdict])} ${verdicts[verdict].word}`)
  if (events === 0) return 'no events'
  if (wrong.length > 0) return `${wrong.join(', ')} of ${formatCount(events, 'event')}`
  return `Nothing missed: ${formatNumber(events)} of ${formatCount(events, 'event')} delivered`
}

export const gatewayLabels: Record<LedgerEvent['gateway'], string> = {
  delivered: 'delivered',
  failed: 'failed',
  behind: 'not delivered yet',
  unknown: 'unknown',
}

/** The number of received deliveries. At most twenty are listed. */
export function describeReceived({ captures }: Pick<LedgerEvent, 'captures'>): string {
  if (captures.length === 0) return 'none'
  return `${captures.length >= 20 ? '20 or more' : formatNumber(captures.length)} received`
}

/** The number of missing events that were not rebuilt; null where the page does not hold all of them. */
export function leftToRebuild({ total, events }: Output<'ledger.events'>): number | null {
  if (total > events.length) return null
  return events.filter(({ rebuilt }) => rebuilt === null).length
}
