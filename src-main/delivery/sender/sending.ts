import { isDeepStrictEqual } from 'node:util'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError, bridgeCodes } from '../../../src-preload/domain/app-error.ts'
import { type Host, type Remote, startThread } from '../../threads/rpc.ts'
import type { SendAsks, SendCalls, SendData, SendEvent } from '../../threads/send-thread.ts'
import type { OwnPlaces } from './guard.ts'

type SendingEvents = {
  readonly onEvent: (event: SendEvent) => void
  readonly answers: Omit<SendAsks, 'event'>
  /** The send thread ended or failed: nothing is sent any more, but captures go on. */
  readonly onTrouble: (message: string, damage: boolean) => void
}

/** The main thread's side of the send thread, which is started when first needed. */
type Sending = {
  readonly ask: Remote<SendCalls>['call']
  start(hasWork: boolean): void
  setOwn(own: OwnPlaces): void
  indexed(): void
  deleted(): void
  close(): Promise<void>
}

const notifyEveryMs = 20
/** A hanging thread must not keep the app from ending; unwritten outcomes are sent again. */
const maxClosingMs = 10_000
/** With a smaller young generation, short-lived requests and responses reach the old generation. */
const resourceLimits = { maxYoungGenerationSizeMb: 48 }

export function createSending(data: SendData, entry: URL, events: SendingEvents): Sending {
  let thread: Host<SendCalls> | null = null
  let isClosed = false
  let hasStarted = false
  let own: OwnPlaces = { ports: [], publicUrls: [] }
  let timer: NodeJS.Timeout | undefined

  function open(): Host<SendCalls> {
    if (thread !== null) return thread
    thread = startThread<SendCalls, SendAsks>(
      entry,
      { workerData: data, name: 'tondesk-send', resourceLimits },
      { ...events.answers, event: events.onEvent },
      { onTrouble: events.onTrouble, toEnded: stopped },
    )
    thread.notify('own', own)
    if (hasStarted) thread.notify('start')
    thread.notify('indexed')
    return thread
  }

  return {
    ask: (name, ...args) =>
      isClosed && thread === null
        ? Promise.reject(stopped(new Error('Tondesk is closing')))
        : open().call(name, ...args),
    start(hasWork) {
      hasStarted = true
      if (thread !== null) thread.notify('start')
      else if (hasWork) open()
    },
    setOwn(now) {
      if (isDeepStrictEqual(now, own)) return
      own = now
      thread?.notify('own', own)
    },
    indexed() {
      if (thread === null) return
      timer ??= setTimeout(() => {
        timer = undefined
        thread?.notify('indexed')
      }, notifyEveryMs)
    },
    deleted: () => thread?.notify('deleted'),
    async close() {
      isClosed = true
      clearTimeout(timer)
      await thread?.close(maxClosingMs)
    },
  }
}

function stopped({ message }: Error): AppError {
  return new AppError(
    bridgeCodes.internal,
    `Sending has stopped (${message}). Captures are still kept; restart Tondesk to send again.`,
  )
}

const sendRoutes = [
  'forward.drop',
  'forward.list',
  'forward.ofCapture',
  'forward.retry',
  'forwardRule.list',
  'forwardRule.remove',
  'forwardRule.retryNow',
  'forwardRule.save',
  'forwardRule.setEnabled',
  'replay.cancel',
  'replay.compare',
  'replay.diff',
  'replay.draft',
  'replay.get',
  'replay.list',
  'replay.preview',
  'replay.remove',
  'replay.resume',
  'replay.sendings',
  'replay.start',
  'target.check',
  'target.confirm',
  'target.confirmed',
  'target.forget',
] as const satisfies readonly (keyof Handlers & keyof SendCalls)[]

type SendRoute = (typeof sendRoutes)[number]

export function relaySendRoutes({ ask }: Sending, onRules: () => void): Pick<Handlers, SendRoute> {
  const changesRules = /^forwardRule\.(remove|save|setEnabled)$/
  // Each route has its own input and output types; one function for all cannot express them.
  const call = ask as (name: SendRoute, question: unknown) => Promise<unknown>
  const relay = (name: SendRoute) => async (question: unknown) => {
    try {
      return await call(name, question)
    } finally {
      if (changesRules.test(name)) onRules()
    }
  }
  return Object.fromEntries(sendRoutes.map((name) => [name, relay(name)])) as never
}
