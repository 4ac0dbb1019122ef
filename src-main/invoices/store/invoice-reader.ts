import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { invoiceCodes } from '../../../src-preload/domain/error-codes.ts'
import type {
  ReaderCalls,
  ReaderReport,
  ReaderRequest,
} from '../../threads/invoice-reader-messages.ts'

/** The main thread's side of the thread that reads invoices. */
export type InvoiceReader = {
  /** @throws AppError INVOICES_UNREADABLE */
  ask<N extends keyof ReaderCalls>(
    name: N,
    question: ReaderCalls[N]['question'],
  ): Promise<ReaderCalls[N]['answer']>
  /** Starts the thread, so that the first question need not wait for it. */
  open(): void
  close(): Promise<void>
}

type Call = {
  readonly worker: Worker
  readonly done: (answer: unknown) => void
  readonly fail: (error: Error) => void
}

/**
 * The thread is started by the first question, as commands seldom have one, and again should it end.
 * @param entry of `reader-thread.ts`
 */
export function createInvoiceReader(
  database: string,
  entry: URL,
  onTrouble: (message: string, damage: boolean) => void,
): InvoiceReader {
  const calls = new Map<number, Call>()
  let lastCall = 0
  let running: Worker | null = null
  let isClosed = false

  function onReport(report: ReaderReport): void {
    const call = calls.get(report.call)
    calls.delete(report.call)
    if (report.type === 'answer') call?.done(report.answer)
    else {
      if (report.damage) onTrouble(report.message, true)
      call?.fail(unreadable(report.message))
    }
  }

  function onEnd(worker: Worker, message: string): void {
    if (running === worker) running = null
    for (const [id, call] of calls) {
      if (call.worker !== worker) continue
      calls.delete(id)
      call.fail(unreadable(message))
    }
  }

  function start(): Worker {
    const worker = new Worker(entry, { workerData: { database }, name: 'tondesk-invoices' })
    worker.on('message', onReport)
    worker.on('error', (error: Error) => {
      onEnd(worker, error.message)
      onTrouble(error.message, false)
    })
    worker.on('exit', () => onEnd(worker, 'its thread has ended'))
    return worker
  }

  return {
    ask(name, question) {
      if (isClosed) return Promise.reject(unreadable('Tondesk is closing'))
      running ??= start()
      const worker = running
      const call = (lastCall += 1)
      return new Promise((done, fail) => {
        // The thread answers each name with its own type; the channel does not know it.
        calls.set(call, { worker, done: done as (answer: unknown) => void, fail })
        worker.postMessage({ type: 'call', call, name, question })
      })
    },
    open() {
      if (!isClosed) running ??= start()
    },
    async close() {
      isClosed = true
      if (running === null) return
      const ended = once(running, 'exit')
      running.postMessage({ type: 'close' } satisfies ReaderRequest)
      await ended
    },
  }
}

function unreadable(why: string): AppError {
  return new AppError(
    invoiceCodes.unreadable,
    `Invoices cannot be read now (${why}). Try again; should it stay so, restart Tondesk.`,
  )
}
