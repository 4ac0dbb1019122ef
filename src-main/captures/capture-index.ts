import { AppError } from '../../src-preload/domain/app-error.ts'
import { captureCodes } from '../../src-preload/domain/error-codes.ts'
import type { IndexCalls, IndexData, IndexReports } from '../threads/index-thread.ts'
import { startThread } from '../threads/rpc.ts'

type CaptureIndexEvents = {
  readonly onIndexed: (upTo: number) => void
  readonly onDeletionsFollowed: (upTo: number) => void
  /** The thread ended or failed; the list continues without facts and search. */
  readonly onTrouble: (message: string, damage: boolean) => void
}

export type CaptureIndex = Awaited<ReturnType<typeof createCaptureIndex>>

/**
 * Without limits, a thread that reads bodies all day keeps over a hundred megabytes of garbage. The old
 * generation's limit is twenty times the live data, because it decides how soon V8 collects.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 384 }

/** Under load the log grows thousands of times a second, and the index does not need a message each time. */
const notifyEveryMs = 25

export async function createCaptureIndex(
  paths: IndexData,
  entry: URL,
  { onIndexed, onDeletionsFollowed, onTrouble }: CaptureIndexEvents,
) {
  const thread = startThread<IndexCalls, IndexReports>(
    entry,
    { workerData: paths, name: 'tondesk-index', resourceLimits },
    { indexed: onIndexed, deletionsFollowed: onDeletionsFollowed },
    {
      onTrouble,
      toEnded: ({ message }) =>
        new AppError(
          captureCodes.searchUnavailable,
          `Search has stopped (${message}). Captures are still stored; restart Tondesk to search again.`,
        ),
    },
  )
  let timer: NodeJS.Timeout | undefined
  await thread.call('start')

  return {
    ask: thread.call,
    appended(): void {
      timer ??= setTimeout(() => {
        timer = undefined
        thread.notify('logChanged')
      }, notifyEveryMs)
    },
    deleted: () => thread.notify('logChanged'),
    async close(): Promise<void> {
      clearTimeout(timer)
      await thread.close()
    },
  }
}
