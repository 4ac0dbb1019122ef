import type { ErrorBody } from '../../src-preload/domain/app-error.ts'
import type { Events, Output, Parsed, RouteName } from '../../src-preload/contract/routes.ts'
import type { TargetVerdict } from '../../src-preload/contract/target.ts'

export type SendData = { readonly database: string; readonly index: string }

/** What of this app must never be sent to; told by the main thread whenever it changes. */
export type OwnPlaces = {
  /** Ports that this app listens on, or would: on whatever loopback address. */
  readonly ports: readonly { readonly port: number; readonly whose: string }[]
  /** URLs that lead back here from outside. */
  readonly publicUrls: readonly string[]
}

/** Routes of replays that are answered there, as the contract has them. */
type ReplayRoute = Exclude<Extract<RouteName, `replay.${string}`>, 'replay.ofCapture'>

/** Routes of forwarding; all of them are answered there. */
export type ForwardCall = Extract<RouteName, `forwardRule.${string}` | `forward.${string}`>

/** Questions the send thread answers between its own work. What rooms add to it stands here. */
export type SendCalls = {
  'target.check': { question: { readonly url: string }; answer: TargetVerdict }
  'target.confirm': { question: { readonly host: string }; answer: null }
  'target.confirmed': { question: null; answer: string[] }
  'target.forget': { question: { readonly host: string }; answer: null }
  /** Sends a capture to the targets of these rules now. */
  'forward.pass': {
    question: {
      readonly capture: number
      readonly receivedAt: number
      readonly lane: string
      readonly lt: bigint | null
      readonly rules: readonly number[]
    }
    answer: {
      readonly status: number
      readonly headers: readonly (readonly [string, string])[]
      readonly body: Uint8Array
    }
  }
} & { [N in ReplayRoute | ForwardCall]: { question: Parsed<N>; answer: Output<N> } }

/** Questions that the thread asks of the main thread. */
export type SendAsks = {
  'query.ids': {
    question: { readonly text: string; readonly after: number; readonly limit: number }
    answer: { readonly ids: readonly number[]; readonly next: number | null }
  }
  'query.count': {
    question: { readonly text: string }
    answer: { readonly count: number; readonly isExact: boolean }
  }
  /** Answered when captures up to this id have been classified. */
  'index.reach': { question: { readonly id: number }; answer: unknown }
}

/** Events of the contract that the thread has the main thread emit. */
export type SendEvent = {
  [N in keyof Events]: { readonly name: N; readonly payload: Events[N] }
}[keyof Events]

export type SendRequest =
  /** Begins what goes on by itself: forwarding, replays that were under way. */
  | { readonly type: 'start' }
  | { readonly type: 'own'; readonly own: OwnPlaces }
  /** Captures up to this id have been classified. */
  | { readonly type: 'indexed'; readonly upTo: number }
  /** Captures were deleted. */
  | { readonly type: 'deleted' }
  | { readonly type: 'close' }
  /** The answer to what the thread has asked; `error` is what it ends with instead. */
  | {
      readonly type: 'told'
      readonly ask: number
      readonly answer: unknown
      readonly error: ErrorBody | null
    }
  | {
      [N in keyof SendCalls]: {
        readonly type: 'call'
        readonly call: number
        readonly name: N
        readonly question: SendCalls[N]['question']
      }
    }[keyof SendCalls]

export type SendReport =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly call: number; readonly answer: unknown }
  | { readonly type: 'event'; readonly event: SendEvent }
  | {
      [N in keyof SendAsks]: {
        readonly type: 'ask'
        readonly ask: number
        readonly name: N
        readonly question: SendAsks[N]['question']
      }
    }[keyof SendAsks]
  | {
      readonly type: 'failed'
      readonly call: number | null
      readonly message: string
      /** Set where a person is told of it as it is. */
      readonly error: ErrorBody | null
      readonly damage: boolean
    }
  | { readonly type: 'closed' }
