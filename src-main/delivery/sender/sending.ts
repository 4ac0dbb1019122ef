import { isDeepStrictEqual } from 'node:util'
import { Worker } from 'node:worker_threads'
import { AppError, bridgeCodes } from '../../../src-preload/domain/app-error.ts'
import type {
  OwnPlaces,
  SendAsks,
  SendCalls,
  SendData,
  SendEvent,
  SendReport,
  SendRequest,
} from '../../threads/send-messages.ts'

type SendingEvents = {
  readonly onEvent: (event: SendEvent) => void
  /** What the thread asks of this one. */
  readonly answers: {
    readonly [N in keyof SendAsks]: (
      question: SendAsks[N]['question'],
    ) => Promise<SendAsks[N]['answer']>
  }
  /** The thread ended or met an error: nothing is sent any more, captures go on. */
  readonly onTrouble: (message: string, damage: boolean) => void
}

/**
 * The main thread's side of the send thread, which forwards and replays. The thread is started when
 * it is first needed: an app that sends nothing has none.
 */
export type Sending = {
  ask<N extends keyof SendCalls>(
    name: N,
    question: SendCalls[N]['question'],
  ): Promise<SendCalls[N]['answer']>
  /** What goes on by itself may begin: at once where there is some, else with the thread. */
  start(hasWork: boolean): void
  /** Kept for the thread, which may not be there yet. */
  setOwn(own: OwnPlaces): void
  /** Captures up to this id have been classified. May be called as often as they are. */
  indexed(upTo: number): void
  /** Captures were deleted. */
  deleted(): void
  /** Lets what is under way come to its end for a moment, then ends. */
  close(): Promise<void>
}

type Call = { readonly done: (answer: unknown) => void; readonly fail: (error: Error) => void }

const notifyEveryMs = 20
const maxClosingMs = 10_000
/** A request and its answer are short-lived; with the little room that the app is given they outlive it. */
const resourceLimits = { maxYoungGenerationSizeMb: 48 }

export function createSending(data: SendData, entry: URL, events: SendingEvents): Sending {
  const calls = new Map<number, Call>()
  const closed = Promise.withResolvers<undefined>()
  let worker: Worker | null = null
  let lastCall = 0
  let ended: AppError | null = null
  let hasStarted = false
  let own: OwnPlaces = { ports: [], publicUrls: [] }
  let indexedTo = 0
  let timer: NodeJS.Timeout | undefined

  function tell(request: SendRequest): void {
    if (ended === null) worker?.postMessage(request)
  }

  function open(): void {
    if (worker !== null || ended !== null) return
    worker = new Worker(entry, { workerData: data, name: 'tondesk-send', resourceLimits })
    worker.on('message', onReport)
    worker.on('error', (error: Error) => {
      end(error.message)
      events.onTrouble(error.message, false)
    })
    worker.on('exit', () => end('its thread has ended'))
    tell({ type: 'own', own })
    if (hasStarted) tell({ type: 'start' })
    if (indexedTo > 0) tell({ type: 'indexed', upTo: indexedTo })
  }

  function end(message: string): void {
    if (ended !== null) return
    ended = new AppError(
      bridgeCodes.internal,
      `Sending has stopped (${message}). Captures are still kept; restart Tondesk to send again.`,
    )
    closed.resolve(undefined)
    for (const call of calls.values()) call.fail(ended)
    calls.clear()
  }

  async function answer({ ask, name, question }: Extract<SendReport, { type: 'ask' }>) {
    // The channel pairs each name with its own question.
    const one = events.answers[name] as (question: unknown) => Promise<unknown>
    try {
      tell({ type: 'told', ask, answer: await one(question), error: null })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const told = error instanceof AppError ? error : new AppError(bridgeCodes.internal, message)
      tell({ type: 'told', ask, answer: null, error: told.toBody() })
    }
  }

  function onReport(report: SendReport): void {
    switch (report.type) {
      case 'ready':
        return
      case 'answer':
        calls.get(report.call)?.done(report.answer)
        calls.delete(report.call)
        return
      case 'event':
        events.onEvent(report.event)
        return
      case 'ask':
        void answer(report)
        return
      case 'failed': {
        const { call, message, error, damage } = report
        if (call === null || damage) events.onTrouble(message, damage)
        if (call === null) return
        calls.get(call)?.fail(error === null ? new Error(message) : AppError.fromBody(error))
        calls.delete(call)
        return
      }
      case 'closed':
        closed.resolve(undefined)
        return
    }
  }

  return {
    ask(name, question) {
      open()
      if (ended !== null) return Promise.reject(ended)
      const call = (lastCall += 1)
      return new Promise((done, fail) => {
        // The thread answers each name with its own type; the channel does not know it.
        calls.set(call, { done: done as (answer: unknown) => void, fail })
        tell({ type: 'call', call, name, question } as SendRequest)
      })
    },
    start(hasWork) {
      hasStarted = true
      if (worker !== null) tell({ type: 'start' })
      else if (hasWork) open()
    },
    setOwn(now) {
      if (isDeepStrictEqual(now, own)) return
      own = now
      tell({ type: 'own', own })
    },
    indexed(upTo) {
      indexedTo = upTo
      if (worker === null) return
      timer ??= setTimeout(() => {
        timer = undefined
        tell({ type: 'indexed', upTo: indexedTo })
      }, notifyEveryMs)
    },
    deleted: () => tell({ type: 'deleted' }),
    async close() {
      clearTimeout(timer)
      if (worker === null) {
        end('the app has ended')
        return
      }
      tell({ type: 'close' })
      // A thread that hangs must not keep the app from ending: what it had not written is sent again.
      const late = setTimeout(() => closed.resolve(undefined), maxClosingMs)
      await closed.promise
      clearTimeout(late)
      end('the app has ended')
      await worker.terminate()
    },
  }
}
