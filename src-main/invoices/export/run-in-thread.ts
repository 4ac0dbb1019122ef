import type { ExportCalls } from '../../threads/invoice-export-thread.ts'
import { startThread } from '../../threads/rpc.ts'
import type { ExportOrder, ExportReports, ExportResult } from './order.ts'

/** A run of millions needs a tenth of it; a small young generation keeps the app's memory small. */
const resourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 16 }

export type ExportThread = {
  /** @throws AppError as it was refused; Error for a bug */
  readonly done: Promise<ExportResult>
  /** Resolves once it holds no file any more. */
  readonly stop: () => Promise<void>
}

/** @param entry of `invoice-export-thread.ts` */
export function runInThread(entry: URL, order: ExportOrder, reports: ExportReports): ExportThread {
  const thread = startThread<ExportCalls, ExportReports>(
    entry,
    { name: 'tondesk-export', resourceLimits },
    reports,
  )
  const { stop } = thread
  return { done: thread.call('run', order).finally(stop), stop }
}
