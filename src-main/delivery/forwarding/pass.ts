import type { ForwardLog, ForwardedRequest } from '../store/forward-log.ts'
import type { StoredRule, StoredTarget } from '../store/forward-rules.ts'
import {
  deliveryHeader,
  endToEnd,
  wasForwarded,
  type HeaderPairs,
} from '../sender/request-headers.ts'
import type { Sender, SentAnswer } from '../sender/sender.ts'
import { deliveryId } from './delivery-id.ts'
import type { Journal } from './journal.ts'
import { judge } from './judge.ts'

type PassDeps = {
  readonly rules: () => readonly StoredRule[]
  readonly install: string
  readonly send: Sender['send']
  readonly request: ForwardLog['request']
  readonly subpathOf: (target: string) => string
  readonly journal: Journal
  /** Since when targets are down, as far as it was seen since the start; microseconds. */
  readonly downSince: Map<number, number | null>
  readonly onChanged: (capture: number) => void
}

/** A delivery that a rule takes before the gateway is answered; what is told of it on arrival. */
export type Passing = {
  readonly capture: number
  readonly receivedAt: number
  readonly lane: string
  readonly lt: bigint | null
  /** Those that take it; the first one’s first target answers. */
  readonly rules: readonly number[]
}

export type Passed = {
  readonly status: number
  readonly headers: HeaderPairs
  readonly body: Uint8Array
}

/** A whole answer is handed on up to this size. */
const largestAnswer = 4 * 1024 * 1024
const nothing = new Uint8Array(0)
const noAnswer = (status: number): Passed => ({ status, headers: [], body: nothing })

/** Sends a delivery once to each target of its rules, at the same time. @returns what the gateway gets */
export async function passThrough(passing: Passing, deps: PassDeps): Promise<Passed> {
  const request = deps.request(passing.capture)
  if (request === null || wasForwarded(request.headers)) return noAnswer(502)
  const ways = deps
    .rules()
    .filter(({ id }) => passing.rules.includes(id))
    .flatMap((rule) => rule.targets.map((target) => ({ rule, target })))
  const [first, ...others] = ways
  if (first === undefined) return noAnswer(502)
  for (const way of others) void send(way, passing, request, deps)
  const answer = await send(first, passing, request, deps)
  return handedOn(answer, first.rule.fullAnswer)
}

type Way = { readonly rule: StoredRule; readonly target: StoredTarget }

async function send(
  { rule, target }: Way,
  { capture, receivedAt, lane, lt }: Passing,
  request: ForwardedRequest,
  deps: PassDeps,
): Promise<SentAnswer> {
  const id = deliveryId(deps.install, { target: target.id, capture, receivedAt })
  const answer = await deps.send(request, target.url, {
    timeoutMs: rule.timeoutSeconds * 1000,
    keepHost: rule.keepHost,
    subpath: rule.appendPath ? deps.subpathOf(request.target) : null,
    extraHeaders: [[deliveryHeader, id]],
    ...(rule.fullAnswer && { keepBytes: largestAnswer }),
  })
  const { kind, isDown } = judge(answer)
  const isDelivered = kind === 'delivered'
  const problem = isDelivered ? null : (answer.problem ?? `It answered ${answer.status ?? '?'}.`)
  const { downSince } = deps
  const wasDownSince =
    downSince.get(target.id) ?? (downSince.has(target.id) ? null : target.downSince)
  downSince.set(target.id, isDown ? (wasDownSince ?? answer.at) : null)
  const about = { capture, target: target.id, rule: rule.id, lane, lt, receivedAt }
  const attempt = { ...answer, ...keptOf(answer) }
  deps.journal.add({
    through: [{ ...about, state: isDelivered ? 'delivered' : 'dropped', attempt }],
    target: {
      target: target.id,
      lastStatus: answer.status,
      lastProblem: problem,
      lastTriedAt: answer.at,
      downSince: downSince.get(target.id) ?? null,
    },
    onWritten: () => deps.onChanged(capture),
  })
  return answer
}

const keptBytes = 16 * 1024

function keptOf({ body }: SentAnswer) {
  return body.byteLength <= keptBytes ? {} : { body: body.subarray(0, keptBytes), isCut: true }
}

/** What did not come in time, or not at all, is told as a proxy does (RFC 9110, 15.6.3 and 15.6.5). */
function handedOn(answer: SentAnswer, isFull: boolean): Passed {
  const { status, failure, headers, body, isCut } = answer
  if (status === null) return noAnswer(failure === 'timeout' ? 504 : 502)
  if (status < 200 || status > 599) return noAnswer(502)
  if (!isFull) return noAnswer(status)
  // Half an answer is none; its status alone would say that all is well.
  if (failure !== null || isCut) return noAnswer(failure === 'timeout' ? 504 : 502)
  return { status, headers: endToEnd(headers), body }
}
