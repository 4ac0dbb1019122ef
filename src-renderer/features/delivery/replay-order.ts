/** The values of the replay form, the order that they describe, and the start of a replay. */
import { parseDateTime } from '../../../src-preload/domain/time-span.ts'
import type { ReplaySubject } from '../../../src-preload/contract/replay.ts'
import type { Input } from '../../../src-preload/contract/routes.ts'
import { request } from '../../app/bridge.ts'
import { type FieldErrors, type Parsed, parseInteger } from '../../app/use-form.ts'
import { replayJobs } from '../../components/delivery/replays.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { announce } from '../../ui/toast.tsx'
import { formatCount } from '../../ui/format.ts'
import {
  checkTarget,
  confirmTarget,
  refusedDetail,
  recentTargets,
} from '../../components/delivery/targets.tsx'

export type ReplayOrder = Input<'replay.start'>
type Sequence = NonNullable<ReplayOrder['order']>
type Pace = NonNullable<ReplayOrder['pace']>

/** The values of the form. Numbers are kept as the user typed them. */
export type ReplayValues = Readonly<
  Record<'target' | 'factor' | 'perSecond' | 'parallel' | 'times' | 'timeoutSeconds', string> &
    Record<'keepHost' | 'appendPath' | 'stopAtFailure', boolean>
> & {
  readonly pace: Pace['kind']
  readonly order: Sequence
  /** The start time for the subject “since”. */
  readonly since: Since
}

export const defaultValues: ReplayValues = {
  target: '',
  pace: 'fast',
  factor: '1',
  perSecond: '10',
  parallel: '1',
  times: '1',
  order: 'arrival',
  keepHost: false,
  appendPath: false,
  timeoutSeconds: '15',
  stopAtFailure: false,
  since: { span: '15', text: '' },
}

/** @param now the current time, in milliseconds */
export function parseOrder(
  wanted: ReplaySubject,
  values: ReplayValues,
  edit: ReplayOrder['edit'],
  now: number,
): Parsed<ReplayOrder> {
  const errors: Record<string, string> = {}
  const whole = (field: 'parallel' | 'times' | 'timeoutSeconds', max: number): number => {
    const value = parseInteger(values[field])
    if (value !== null && value >= 1 && value <= max) return value
    errors[field] = `Enter 1 to ${max}.`
    return 1
  }
  const decimal = (field: 'factor' | 'perSecond', min: number, max: number): number => {
    const value = parseDecimal(values[field])
    if (value !== null && value >= min && value <= max) return value
    errors[field] = `Enter ${min} to ${max}.`
    return 1
  }
  const parsePace = (): Pace => {
    switch (values.pace) {
      case 'fast':
        return { kind: 'fast' }
      case 'original':
        return { kind: 'original', factor: decimal('factor', 0.1, 1000) }
      case 'rate':
        return { kind: 'rate', perSecond: decimal('perSecond', 0.01, 10_000) }
    }
  }
  const parseSubject = (): ReplaySubject => {
    if (wanted.kind !== 'since') return wanted
    const at = sinceTime(values.since, now)
    if (at === null) errors['since'] = 'Enter a time in the past.'
    return { kind: 'since', at: at ?? 0 }
  }
  const target = values.target.trim()
  if (target === '') errors['target'] = 'Enter the URL of the target.'
  const input = {
    subject: parseSubject(),
    target,
    edit,
    pace: parsePace(),
    parallel: whole('parallel', 256),
    times: whole('times', 1000),
    order: values.order,
    keepHost: values.keepHost,
    appendPath: values.appendPath,
    timeoutSeconds: whole('timeoutSeconds', 120),
    stopAtFailure: values.stopAtFailure,
  }
  return Object.keys(errors).length > 0 ? { input: null, errors } : { input, errors: null }
}

/** The number is a rate or a factor, never an amount of money, so a float is exact enough. */
function parseDecimal(text: string): number | null {
  const plain = text.trim().replace(',', '.')
  return /^\d{1,9}(\.\d{1,6})?$/.test(plain) ? Number(plain) : null
}

/** Describes what is replayed: `capture 12`, `3 captures`, `captures that match “event:invoice”`. */
export function describeReplaySubject(subject: ReplaySubject): string {
  switch (subject.kind) {
    case 'captures': {
      const [only = 0] = subject.ids
      return subject.ids.length === 1
        ? `capture ${only}`
        : formatCount(subject.ids.length, 'capture')
    }
    case 'query':
      return subject.text.trim() === '' ? 'all captures' : `captures that match “${subject.text}”`
    case 'since':
      return 'recent captures'
  }
}

export const replaySequences: readonly {
  readonly value: Sequence
  readonly label: string
  readonly why: string
}[] = [
  { value: 'arrival', label: 'As received', why: 'Captures are sent in order of arrival.' },
  { value: 'lt', label: 'By logical time', why: 'Captures are sent in order of logical time.' },
]

export const replaySpans = [
  { value: '5', label: 'Last 5 minutes' },
  { value: '15', label: 'Last 15 minutes' },
  { value: '60', label: 'Last hour' },
  { value: 'today', label: 'Today' },
  { value: 'typed', label: 'Since a chosen time' },
] as const

/** The start time of the replayed captures: a number of minutes ago, or a time that the user enters. */
export type Since = { readonly span: (typeof replaySpans)[number]['value']; readonly text: string }

/**
 * @param now in milliseconds @returns microseconds; null if the text is not a time or the time is
 * in the future
 */
function sinceTime({ span, text }: Since, now: number): number | null {
  if (span === 'today') return new Date(now).setHours(0, 0, 0, 0) * 1000
  if (span !== 'typed') return (now - Number(span) * 60_000) * 1000
  const [day = '', time = ''] = text.split('T')
  const ms = parseDateTime(day, time)
  return ms === null || ms > now ? null : ms * 1000
}

/** A replay of more requests than this to this computer has to be confirmed first. */
const maxUnconfirmed = 20

/** Asks the user to confirm the replay if that is required, then starts it. @throws AppError */
export async function startReplay(order: ReplayOrder): Promise<'started' | 'kept' | FieldErrors> {
  const check = await checkTarget(order.target)
  if (check.status === 'unknown') return { target: check.why }
  if (check.status !== 'known') return { target: 'Enter the URL of the target.' }
  const { verdict } = check
  if (verdict.kind === 'refused') return { target: verdict.problem ?? refusedDetail }
  const { total } = await request('replay.preview', order)
  const count = formatCount(total, 'request')
  const isPublic = verdict.kind === 'public'
  const agrees = () =>
    confirm({
      title: `Send ${count} to ${verdict.host}?`,
      detail: isPublic
        ? `The requests go to another computer, ${verdict.url}. You can stop the replay, but sent requests cannot be undone.`
        : `The requests go to ${verdict.url}. You can stop the replay at any time.`,
      action: `Send ${count}`,
      destructive: isPublic,
    })
  // The question about a host also states the number of requests, so that the user confirms only once.
  if (isPublic && !verdict.isConfirmed) {
    if (!(await confirmTarget(verdict, count))) return 'kept'
  } else if ((isPublic || total > maxUnconfirmed) && !(await agrees())) return 'kept'
  const job = await request('replay.start', order)
  recentTargets.remember(order.target)
  announce(`Replay of ${formatCount(job.total, 'request')} started`)
  replayJobs.begun(job)
  return 'started'
}
