import { AppError } from '../../../src-preload/domain/app-error.ts'
import { invoiceCodes } from '../../../src-preload/domain/error-codes.ts'
import type { ReaderCalls } from '../../threads/invoice-reader-thread.ts'
import { type Host, type Remote, startThread } from '../../threads/rpc.ts'

export type InvoiceReader = {
  /** @throws AppError INVOICES_UNREADABLE */
  readonly ask: Remote<ReaderCalls>['call']
  /** Starts the thread early, so that the first call need not wait for it. */
  open(): void
  close(): Promise<void>
}

/** Starts the thread with the first call, because commands seldom make one, and again should it end. */
export function createInvoiceReader(
  database: string,
  entry: URL,
  onTrouble: (message: string, damage: boolean) => void,
): InvoiceReader {
  let running: Host<ReaderCalls> | null = null
  let isClosed = false

  function start(): Host<ReaderCalls> {
    const thread = startThread<ReaderCalls>(
      entry,
      { workerData: database, name: 'tondesk-invoices' },
      {},
      {
        onTrouble,
        onEnd() {
          if (running === thread) running = null
        },
      },
    )
    return thread
  }

  return {
    ask(name, ...args) {
      if (isClosed) return Promise.reject(unreadable('Tondesk is closing'))
      running ??= start()
      return running.call(name, ...args).catch((error: unknown) => {
        throw unreadable(error instanceof Error ? error.message : String(error))
      })
    },
    open() {
      if (!isClosed) running ??= start()
    },
    async close() {
      isClosed = true
      await running?.close()
    },
  }
}

function unreadable(why: string): AppError {
  return new AppError(
    invoiceCodes.unreadable,
    `Invoices cannot be read now (${why}). Try again; should it stay so, restart Tondesk.`,
  )
}
