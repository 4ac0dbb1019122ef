/** The checks for missed events: the job, the texts of its verdicts, its links, and the form of a new check. */
import { create } from 'zustand'
import type {
  MissedEvent,
  MissedCheck,
  Verdict,
} from '../../../../src-preload/contract/missed-events.ts'
import type { Output, Input } from '../../../../src-preload/contract/routes.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { type WebhooksRoute, webhookRoute } from '../../../app/webhooks-route.ts'
import { request } from '../../../app/bridge.ts'
import type { FieldErrors } from '../../../app/use-form.ts'
import { navigate } from '../../../app/route.ts'
import type { Point, Series } from '../../../components/charts/series.ts'
import { createJobs, hasJobEnded, describeOutcome } from '../../../components/jobs/job-kind.tsx'
import { createAddressList } from '../../../components/address-list/address-list.ts'
import { parseDateTime, parseSpan } from '../../../../src-preload/domain/time-span.ts'
import { formatLocal, formatCount, formatNumber, fromMs } from '../../../ui/format.ts'
import type { IconName } from '../../../ui/icons.tsx'
import type { Tone } from '../../../ui/layout.tsx'

export const checkRoute = ({ id, webhook, network }: MissedCheck): WebhooksRoute =>
  webhookRoute({ id: webhook, network }, 'missed', String(id))

export const checkJobs = createJobs<MissedCheck>({
  kind: 'missedEvents',
  thing: 'check',
  titleOf: ({ id }) => `Missed-event check ${id}`,
  noteOf: (check) =>
    [check.isScheduled && 'scheduled', !hasJobEnded(check) && describeCounts(check)]
      .filter(Boolean)
      .join(', '),
  routeOf: checkRoute,
  homeOf: ({ webhook, network }) => webhookRoute({ id: webhook, network }, 'missed'),
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
    `The check has finished ${formatNumber(checked)} of ${formatCount(accounts, 'account')}. Their results stay, but you cannot resume the check.`,
  removeDetail: ({ events }) =>
    `Tondesk deletes the results for ${formatCount(events, 'event')} from this computer. Captures stay, including those that this check rebuilt.`,
  outcomeOf: (check) => {
    if (check.state === 'cancelled') return null
    return describeOutcome(check, describeCounts(check), 'the network does not respond.')
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

export const verdictLooks: Record<Verdict, VerdictLook> = {
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
    meaning: 'Accepted, but the delay after the block was longer than this check allows.',
  },
  duplicate: {
    word: 'duplicate',
    icon: 'copy',
    tone: 'plain',
    colour: 1,
    meaning: 'Accepted more than once.',
  },
  'out-of-order': {
    word: 'arrived out of order',
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

/** The verdicts, with the most serious first. */
export const verdictOrder: readonly Verdict[] = [
  'missing',
  'unauthenticated',
  'late',
  'out-of-order',
  'duplicate',
  'waiting',
  'delivered',
]

/** Returns a series for each verdict that occurs; `delivered` is at the bottom of each bar. */
export const verdictSeries = (counts: MissedCheck['counts']): Series[] =>
  verdictOrder
    .filter((verdict) => counts[verdict] > 0)
    .toReversed()
    .map((key) => ({ key, name: verdictLooks[key].word, colour: verdictLooks[key].colour }))

export const verdictPoints = ({ steps }: Output<'missedEvents.histogram'>): Point[] =>
  steps.map(({ startsAt, counts }) => ({ startsAt: fromMs(startsAt), values: counts }))

/** Describes the result: `40 events: 2 missing, 1 late`, or that nothing was missed. */
export function describeCounts({ counts, events }: Pick<MissedCheck, 'counts' | 'events'>): string {
  const wrong = verdictOrder
    .filter((verdict) => verdict !== 'delivered' && counts[verdict] > 0)
    .map((verdict) => `${formatNumber(counts[verdict])} ${verdictLooks[verdict].word}`)
  if (events === 0) return 'no events'
  if (wrong.length > 0) return `${formatCount(events, 'event')}: ${wrong.join(', ')}`
  return `Nothing missed: ${formatNumber(events)} of ${formatCount(events, 'event')} delivered`
}

export const gatewayLabels: Record<MissedEvent['gateway'], string> = {
  delivered: 'delivered',
  failed: 'failed',
  behind: 'not delivered yet',
  unknown: 'unknown',
}

/** Describes how many deliveries were received. At most twenty of them are listed. */
export function describeReceived({ captures }: Pick<MissedEvent, 'captures'>): string {
  if (captures.length === 0) return 'none'
  return `${captures.length >= 20 ? '20 or more' : formatNumber(captures.length)} received`
}

const hour = 3_600_000
const day = 24 * hour

/** The periods that the user can choose; for `free` the user enters one. */
export const spanChoices = [
  { value: '1h', label: 'Last hour', length: hour },
  { value: '24h', label: '24 hours', length: day },
  { value: '7d', label: '7 days', length: 7 * day },
  { value: '30d', label: '30 days', length: 30 * day },
  { value: 'free', label: 'Custom', length: 0 },
] as const
type SpanName = (typeof spanChoices)[number]['value']

type ChosenSpan = {
  readonly name: SpanName
  /** The bounds in the form of a `datetime-local` field; an empty `to` means the current time. */
  readonly from: string
  readonly to: string
}

/** A period in milliseconds; if `to` is null, it ends now. */
type Span = { readonly from: number; readonly to: number | null }

/** Returns the chosen period, or a sentence that describes the problem. */
export function parsePeriod({ name, from, to }: ChosenSpan, now: number): Span | string {
  const { length = 0 } = spanChoices.find(({ value }) => value === name) ?? {}
  if (name !== 'free') return { from: now - length, to: null }
  const first = parseLocal(from)
  const last = to === '' ? null : parseLocal(to)
  if (first === null) return 'Enter a start time.'
  if (to !== '' && last === null)
    return 'Enter an end time. If you leave the field empty, the period ends now.'
  if (first >= now) return 'The start time is in the future.'
  if (last !== null && last <= first) return 'The end time is before the start time.'
  return { from: first, to: last }
}

/**
 * Parses a local time in the form of a `datetime-local` field. Returns milliseconds, or null for
 * other text.
 */
export function parseLocal(text: string): number | null {
  const [, day = '', time = ''] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)$/.exec(text) ?? []
  return parseDateTime(day, time)
}

/** Returns milliseconds, or a sentence that describes the problem. */
export function parseLateness(text: string): number | string {
  const ms = parseSpan(text)
  if (ms === null) return 'Enter a time such as 30 s or 5 min.'
  if (ms < 1000 || ms > day) return 'Enter a time from 1 s to 24 h.'
  return ms
}

export type CheckedAccounts = 'all' | 'failing' | 'list'

export type NewCheck = {
  readonly accounts: CheckedAccounts
  readonly span: ChosenSpan
  /** The typed duration, for example "1 min". */
  readonly lateAfter: string
}

export const useNewCheck = create<NewCheck>(() => ({
  accounts: 'all',
  span: { name: '24h', from: '', to: '' },
  lateAfter: '1 min',
}))

/** The accounts to check, if the user entered a list. */
export const checkedList = createAddressList()

/** Prepares a check of one account around the time of its failure; the user then starts it. */
export function checkAccount(
  webhook: Webhook,
  { account, failedAt }: { readonly account: string; readonly failedAt: number | null },
): void {
  const isRecent = failedAt === null || Date.now() - failedAt < day - hour
  checkedList.feed.clear()
  checkedList.feed.useNetwork(webhook.network)
  checkedList.feed.type(account)
  useNewCheck.setState({
    accounts: 'list',
    span: isRecent
      ? { name: '24h', from: '', to: '' }
      : { name: 'free', from: formatLocal(fromMs(failedAt - hour), 'minute'), to: '' },
  })
  navigate(webhookRoute(webhook, 'missed'))
}

/** Starts the check, or returns the problems of its fields. @throws AppError */
export async function startCheck({
  id,
  network,
}: Webhook): Promise<MissedCheck | { readonly errors: FieldErrors }> {
  const { accounts, span, lateAfter } = useNewCheck.getState()
  const times = parsePeriod(span, Date.now())
  const lateAfterMs = parseLateness(lateAfter)
  if (typeof times === 'string') return { errors: { span: times } }
  if (typeof lateAfterMs === 'string') return { errors: { lateAfter: lateAfterMs } }
  const start = (which: Input<'missedEvents.start'>['accounts']) =>
    request('missedEvents.start', { network, webhook: id, accounts: which, ...times, lateAfterMs })
  if (accounts === 'all') return start({ all: true })
  if (accounts === 'failing') return start({ failing: true })
  return checkedList.feed.hand((draft) => start({ draft }))
}
