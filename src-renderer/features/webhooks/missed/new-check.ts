/** The check that the user prepares; it stays while the user looks at other pages. */
import { create } from 'zustand'
import type { MissedCheck } from '../../../../src-preload/contract/ledger.ts'
import type { Input } from '../../../../src-preload/contract/routes.ts'
import type { Webhook } from '../../../../src-preload/contract/webhook.ts'
import { request } from '../../../app/bridge.ts'
import type { FieldErrors } from '../../../app/use-form.ts'
import { navigate } from '../../../app/route.ts'
import { createAddressList } from '../../../components/address-list/address-list.ts'
import { readSpan as parseDuration } from '../../../components/time-span.ts'
import { checksRoute } from './checks.ts'

export const spanNames = ['1h', '24h', '7d', '30d', 'free'] as const
type SpanName = (typeof spanNames)[number]

export const spanLabels: Record<SpanName, string> = {
  '1h': 'Last hour',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  free: 'Custom',
}

const hour = 3_600_000
const day = 24 * hour
const lengths: Record<Exclude<SpanName, 'free'>, number> = {
  '1h': hour,
  '24h': day,
  '7d': 7 * day,
  '30d': 30 * day,
}

type ChosenSpan = {
  readonly name: SpanName
  /** In the form of a `datetime-local` field; an empty `to` is now. */
  readonly from: string
  readonly to: string
}

/** In milliseconds; `to` null is now. */
type Span = { readonly from: number; readonly to: number | null }

/** The chosen period, or its problem in a sentence. */
export function parsePeriod({ name, from, to }: ChosenSpan, now: number): Span | string {
  if (name !== 'free') return { from: now - lengths[name], to: null }
  const first = parseLocal(from)
  const last = to === '' ? null : parseLocal(to)
  if (first === null) return 'Enter a start.'
  if (to !== '' && last === null) return 'Enter an end, or leave it empty for now.'
  if (first >= now) return 'The start is in the future.'
  if (last !== null && last <= first) return 'The end is before the start.'
  return { from: first, to: last }
}

/** A local time in the form of a `datetime-local` field, in milliseconds; null for other text. */
export function parseLocal(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)) return null
  const at = new Date(text).getTime()
  return Number.isFinite(at) ? at : null
}

/** In the form of a `datetime-local` field, to the minute. */
export function formatLocal(ms: number): string {
  const date = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  const date10 = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${date10}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Milliseconds, or the problem in a sentence. */
export function parseLateness(text: string): number | string {
  const ms = parseDuration(text)
  if (ms === null) return 'Enter a time such as 30 s or 5 min.'
  if (ms < 1000 || ms > day) return 'Enter a time from 1 s to 24 h.'
  return ms
}

export type CheckedAccounts = 'all' | 'failing' | 'list'

export type NewCheck = {
  readonly accounts: CheckedAccounts
  readonly span: ChosenSpan
  /** As typed: "1 min". */
  readonly lateAfter: string
}

export const useNewCheck = create<NewCheck>(() => ({
  accounts: 'all',
  span: { name: '24h', from: '', to: '' },
  lateAfter: '1 min',
}))

/** The accounts to check, where they are a list. */
export const checkedList = createAddressList()

/** Prepares a check of one account around its failure, which the user starts. */
export function checkAccount(
  { id, network }: Webhook,
  { account, failedAt }: { readonly account: string; readonly failedAt: number | null },
): void {
  const isRecent = failedAt === null || Date.now() - failedAt < day - hour
  checkedList.feed.clear()
  checkedList.feed.useNetwork(network)
  checkedList.feed.type(account)
  useNewCheck.setState({
    accounts: 'list',
    span: isRecent
      ? { name: '24h', from: '', to: '' }
      : { name: 'free', from: formatLocal(failedAt - hour), to: '' },
  })
  navigate(checksRoute({ webhook: id, network }))
}

/** Starts it, or returns the problems of its fields. @throws AppError */
export async function startCheck({
  id,
  network,
}: Webhook): Promise<MissedCheck | { readonly errors: FieldErrors }> {
  const { accounts, span, lateAfter } = useNewCheck.getState()
  const times = parsePeriod(span, Date.now())
  const lateAfterMs = parseLateness(lateAfter)
  if (typeof times === 'string') return { errors: { span: times } }
  if (typeof lateAfterMs === 'string') return { errors: { lateAfter: lateAfterMs } }
  const start = (which: Input<'ledger.start'>['accounts']) =>
    request('ledger.start', { network, webhook: id, accounts: which, ...times, lateAfterMs })
  if (accounts === 'all') return start({ all: true })
  if (accounts === 'failing') return start({ failing: true })
  return checkedList.feed.hand((draft) => start({ draft }))
}
