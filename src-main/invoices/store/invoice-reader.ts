import { AppError, invoiceCodes } from '../../../src-preload/domain/app-error.ts'
import type { ReaderCalls } from '../../threads/invoice-reader-thread.ts'
import { type Host, type Remote, startThread } from '../../threads/rpc.ts'

export type InvoiceReader = ReturnType<typeof createInvoiceReader>

/** Starts the thread at the first call, because commands rarely make one, and again if it has ended. */
export function createInvoiceReader(
  database: string,
  entry: URL,
  onTrouble: (message: string, damage: boolean) => void,
) {
  let running: Host<ReaderCalls> | null = null
  let isClosed = false

  function open(): Host<ReaderCalls> {
    const options = { workerData: database, name: 'tondesk-invoices' }
    const onEnd = () => {
      running = null
    }
    running ??= startThread<ReaderCalls>(entry, options, {}, { onTrouble, onEnd })
    return running
  }
  return {
    /** @throws AppError INVOICES_UNREADABLE */
    ask: ((name, ...args) => {
      if (isClosed) return Promise.reject(unreadable('Tondesk is closing'))
      return open()
        .call(name, ...args)
        .catch((error: unknown) => {
          throw unreadable(error instanceof Error ? error.message : String(error))
        })
    }) as Remote<ReaderCalls>['call'],
    /** Starts the thread early, so that the first call does not wait for it. */
    open() {
      if (!isClosed) open()
    },
    async close() {
      isClosed = true
      await running?.close()
    },
  }
}

const unreadable = (why: string): AppError =>
  new AppError(
    invoiceCodes.unreadable,
    `Invoices cannot be loaded (${why}). Try again. If it fails again, restart Tondesk.`,
  )
