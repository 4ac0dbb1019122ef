import { Worker } from 'node:worker_threads'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { ExportOrder, ExportReport } from './order.ts'

/** A run of millions needs a tenth of it; a small young generation keeps the app's memory small. */
const resourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 16 }

export type ExportThread = {
  /** It has ended, with its last report. @throws AppError as it was refused; Error for a bug */
  readonly done: Promise<ExportReport | null>
  /** Resolves once it holds no file any more. */
  stop(): Promise<void>
}

/** @param entry of `invoice-export-thread.ts` */
export function runInThread(
  entry: URL,
  order: ExportOrder,
  onReport: (report: ExportReport) => void,
): ExportThread {
  const worker = new Worker(entry, {
    workerData: order,
    name: 'tondesk-export',
    resourceLimits,
  })
  const { promise: done, resolve, reject } = Promise.withResolvers<ExportReport | null>()
  let last: ExportReport | null = null
  worker.on('message', (report: ExportReport) => {
    last = report
    if (report.type === 'refused') reject(new AppError(report.code, report.message))
    else onReport(report)
  })
  worker.on('error', reject)
  worker.on('exit', () => resolve(last))
  return {
    done,
    async stop() {
      await worker.terminate()
    },
  }
}
