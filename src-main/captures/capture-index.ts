import { Worker } from 'node:worker_threads'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { captureCodes } from '../../src-preload/domain/error-codes.ts'
import type { IndexCalls, IndexData, IndexReport, IndexRequest } from '../threads/index-messages.ts'

type CaptureIndexEvents = {
  readonly onIndexed: (upTo: number) => void
  readonly onDeletionsFollowed: (upTo: number) => void
  /** The thread ended or met an error: the list goes on without facts and search. */
  readonly onTrouble: (message: string, damage: boolean) => void
}

/** The main thread's side of the index thread. */
export type CaptureIndex = {
  ask<N extends keyof IndexCalls>(
    name: N,
    question: IndexCalls[N]['question'],
  ): Promise<IndexCalls[N]['answer']>
  /** The log has grown. May be called as often as it does. */
  appended(): void
  /** Captures were deleted. */
  deleted(): void
  close(): Promise<void>
}

/**
 * Unbounded, a thread that reads bodies all day keeps over a hundred megabytes of what is long dead. The
 * old generation's limit is twenty times what lives there: it decides how soon the dead are looked for.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 384 }

/** Under load the log grows thousands of times a second; the index need not be told each time. */
const notifyEveryMs = 25

export async function createCaptureIndex(
  paths: IndexData,
  entry: URL,
  events: CaptureIndexEvents,
): Promise<CaptureIndex> {
  const worker = new Worker(entry, {
    workerData: paths,
    name: 'tondesk-index',
    resourceLimits,
  })
  const calls = new Map<number, { done: (answer: unknown) => void; fail: (e: Error) => void }>()
  const ready = Promise.withResolvers<undefined>()
  const closed = Promise.withResolvers<undefined>()
  let lastCall = 0
  let timer: NodeJS.Timeout | undefined
  let ended: AppError | null = null

  function onReport(report: IndexReport): void {
    switch (report.type) {
      case 'ready':
        ready.resolve(undefined)
        return
      case 'indexed':
        events.onIndexed(report.upTo)
        return
      case 'deletionsFollowed':
        events.onDeletionsFollowed(report.upTo)
        return
      case 'answer':
        calls.get(report.call)?.done(report.answer)
        calls.delete(report.call)
        return
      case 'failed':
        if (report.call === null || report.damage) events.onTrouble(report.message, report.damage)
        if (report.call !== null) {
          // SQLite's result code tells damage and a full disk from other errors.
          const { message, errcode } = report
          const code = errcode === null ? {} : { errcode }
          calls.get(report.call)?.fail(Object.assign(new Error(message), code))
        }
        calls.delete(report.call ?? 0)
        return
      case 'closed':
        closed.resolve(undefined)
        return
    }
  }

  function end(message: string): void {
    if (ended !== null) return
    ended = new AppError(
      captureCodes.searchUnavailable,
      `Search has stopped (${message}). Captures are still kept; restart Tondesk to search again.`,
    )
    ready.reject(ended)
    closed.resolve(undefined)
    for (const call of calls.values()) call.fail(ended)
    calls.clear()
  }

  function tell(request: IndexRequest): void {
    if (ended === null) worker.postMessage(request)
  }

  worker.on('message', onReport)
  worker.on('error', (error: Error) => {
    end(error.message)
    events.onTrouble(error.message, false)
  })
  worker.on('exit', () => end('its thread has ended'))
  await ready.promise

  return {
    ask(name, question) {
      if (ended !== null) return Promise.reject(ended)
      const call = (lastCall += 1)
      return new Promise((done, fail) => {
        // The thread answers each name with its own type; the channel does not know it.
        calls.set(call, { done: done as (answer: unknown) => void, fail })
        tell({ type: 'call', call, name, question } as IndexRequest)
      })
    },
    appended() {
      timer ??= setTimeout(() => {
        timer = undefined
        tell({ type: 'appended' })
      }, notifyEveryMs)
    },
    deleted: () => tell({ type: 'deleted' }),
    async close() {
      clearTimeout(timer)
      tell({ type: 'close' })
      await closed.promise
      await worker.terminate()
    },
  }
}
