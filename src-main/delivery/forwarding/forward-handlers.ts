import type { CaptureTimeline } from '../../../src-preload/contract/meaning.ts'
import type { Handlers, Output, Parsed } from '../../../src-preload/contract/routes.ts'
import type { ForwardRows } from '../store/forward-rows.ts'
import type { Sending } from '../sender/sending.ts'
import type { ForwardCall } from './forward-calls.ts'

type ForwardHandlersDeps = {
  readonly sending: Sending
  /** Rules may be others now. */
  readonly onRules: () => void
}

/** Asked of the send thread, where forwarding goes on. */
export function createForwardHandlers({
  sending,
  onRules,
}: ForwardHandlersDeps): Pick<Handlers, ForwardCall> {
  // Each name has its own question and answer, in the thread as in the contract.
  const send = sending.ask as (name: ForwardCall, question: unknown) => Promise<unknown>
  const ask =
    <N extends ForwardCall>(name: N) =>
    (question: Parsed<N>): Promise<Output<N>> =>
      send(name, question) as Promise<Output<N>>
  const change =
    <N extends ForwardCall>(name: N) =>
    async (question: Parsed<N>): Promise<Output<N>> => {
      try {
        return await ask(name)(question)
      } finally {
        onRules()
      }
    }
  return {
    'forwardRule.list': ask('forwardRule.list'),
    'forwardRule.save': change('forwardRule.save'),
    'forwardRule.setEnabled': change('forwardRule.setEnabled'),
    'forwardRule.remove': change('forwardRule.remove'),
    'forwardRule.retryNow': ask('forwardRule.retryNow'),
    'forward.ofCapture': ask('forward.ofCapture'),
    'forward.list': ask('forward.list'),
    'forward.drop': ask('forward.drop'),
    'forward.retry': ask('forward.retry'),
  }
}

/** What forwarding has to say of a capture’s way. */
export function forwardMoments(rows: ForwardRows, capture: number): CaptureTimeline {
  return rows.ofCapture(capture).flatMap(({ id, url, mode, queuedAt }) => {
    const tries = rows.attempts(id).map(({ at, status, problem }) => {
      const isFine = status !== null && status >= 200 && status <= 299
      const text = status === null ? (problem ?? 'No answer.') : `${url} answered ${status}.`
      return { at, what: 'forward-attempt' as const, text, ok: isFine }
    })
    const queued = { at: queuedAt, what: 'forward-queued' as const, ok: true }
    return mode === 'through' ? tries : [{ ...queued, text: `Queued for ${url}.` }, ...tries]
  })
}
