/** What this receiver had to do with a delivery that failed. Pure. */
import type { Explanation } from '../../../src-preload/contract/failure.ts'
import type { ReceiverState } from '../../../src-preload/contract/receiver.ts'
import type { StoredCapture } from '../../captures/store/captures.ts'

type SeenHere = Explanation['seen']

export type Looked = {
  /** The webhook's endpoint is this receiver. */
  readonly isHere: boolean
  /** Milliseconds. */
  readonly failedAt: number | null
  /** Received deliveries of the very event, the oldest first. */
  readonly ofEvent: readonly StoredCapture[]
  /** Refused around that time, by the endpoint's path. */
  readonly refused: readonly StoredCapture[]
  /** The last capture before and the first one after it; microseconds. */
  readonly around: { readonly before: number | null; readonly after: number | null }
  readonly receiver: Pick<ReceiverState, 'status' | 'writable'>
  /** When this app was started; what was before is not known. */
  readonly startedAt: number
  /** The gateway says that it was answered 503. */
  readonly was503: boolean
}

/** A capture so near shows that the receiver was there. */
const nearMs = 10 * 60_000

export function notifySeen(looked: Looked): SeenHere {
  const { ofEvent, refused } = looked
  if (!looked.isHere) {
    return {
      what: 'elsewhere',
      message: 'The endpoint is not this receiver, so nothing of it can have been seen here.',
      captures: [],
    }
  }
  const captures = (ofEvent.length > 0 ? ofEvent : refused).map(({ id, receivedAt, status }) => ({
    id,
    receivedAt,
    status,
  }))
  if (ofEvent.length > 0) return { ...notifyEvent(ofEvent), captures }
  const nearest = refused.at(-1)
  if (nearest !== undefined) {
    const what = refusalOf(nearest)
    return {
      what,
      message: `No capture names this event, but ${refused.length === 1 ? 'a delivery' : `${refused.length} deliveries`} to this endpoint around that time ${wordsOf(what, nearest.status)}.`,
      captures,
    }
  }
  return { what: 'nothing', message: notifyNothing(looked), captures }
}

function notifyEvent(captures: readonly StoredCapture[]): Pick<SeenHere, 'what' | 'message'> {
  const taken = captures.find(({ status }) => status === 200)
  if (taken !== undefined) {
    const times = captures.length === 1 ? 'once' : `${captures.length} times`
    return {
      what: 'taken',
      message: `It came here ${times}, and was answered 200.`,
    }
  }
  const last = captures.at(-1)
  const what = last === undefined ? 'other' : refusalOf(last)
  return {
    what,
    message: `It came here ${captures.length === 1 ? 'once' : `${captures.length} times`}, and ${wordsOf(what, last?.status ?? null)}.`,
  }
}

function refusalOf({ status, completeness }: StoredCapture): Exclude<SeenHere['what'], 'taken'> {
  if (status === 401) return 'unauthorized'
  if (status === 413) return 'too-large'
  if (status === 408 || completeness === 'partial') return 'slow'
  return 'other'
}

function wordsOf(what: SeenHere['what'], status: number | null): string {
  switch (what) {
    case 'unauthorized':
      return 'was answered 401, for its token was wrong or missing'
    case 'too-large':
      return 'was answered 413, for it was longer than the limit'
    case 'slow':
      return status === null
        ? 'broke off before it was complete'
        : `did not end in time, and was answered ${status}`
    case 'other':
    case 'elsewhere':
    case 'nothing':
    case 'taken':
      return status === null ? 'was not answered' : `was answered ${status}`
  }
}

function notifyNothing({ failedAt, around, receiver, startedAt, was503 }: Looked): string {
  if (was503) {
    return 'The gateway was answered 503: captures could not be written, and what is answered so leaves no capture.'
  }
  const nothing = 'No request of it came here'
  const now = receiver.status === 'listening' ? '' : ' The receiver does not listen now either.'
  if (failedAt === null) return `${nothing}.${now}`
  const isNear = (microseconds: number | null) =>
    microseconds !== null && Math.abs(microseconds / 1000 - failedAt) <= nearMs
  if (isNear(around.before) && isNear(around.after)) {
    return `${nothing}, although others came shortly before and after: the receiver was listening, so it was lost on the way.`
  }
  if (failedAt < startedAt) {
    return isNear(around.before)
      ? `${nothing}. Others came shortly before; whether the receiver still listened is not known, for Tondesk was started again since.${now}`
      : `${nothing}, and nothing else did at that time: Tondesk was probably not running.${now}`
  }
  return receiver.status === 'listening'
    ? `${nothing}, although the receiver listens now: the way from the gateway to it was closed, or the receiver was.`
    : `${nothing}. The receiver does not listen.`
}
