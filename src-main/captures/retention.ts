import type { BaseContext } from '../app/context.ts'
import { createBackgroundLoop } from '../jobs/background-loop.ts'
import type { CaptureLog } from './capture-log.ts'

const everyMs = 60_000
/** During a burst, pruning starts after this many captures or a share of the limit by bytes. */
const everyCaptures = 20_000
const everyShareOfBytes = 0.125
const microsecondsPerDay = 86_400_000_000

/**
 * Prunes captures every minute, and sooner when many arrive.
 * @returns a function that prunes now
 */
export function createRetention(context: BaseContext, captureLog: CaptureLog): () => void {
  const { log, now, resources, settings } = context
  const since = { captures: 0, bytes: 0 }
  const pruning = createBackgroundLoop(
    async () => {
      Object.assign(since, { captures: 0, bytes: 0 })
      const { maxAgeDays, maxCount, maxBytes } = settings.get().retention
      const oldest = maxAgeDays === null ? null : now() * 1000 - maxAgeDays * microsecondsPerDay
      const deleted = await captureLog.writer.prune({ oldest, maxCount, maxBytes })
      if (deleted > 0) captureLog.deleted(null)
    },
    (error) => log.failure('retention', error),
  )

  captureLog.pipeline.on('committed', ({ count, bytes }) => {
    since.captures += count
    since.bytes += bytes
    const { maxBytes } = settings.get().retention
    if (since.captures >= everyCaptures || since.bytes >= maxBytes * everyShareOfBytes) {
      pruning.run()
    }
  })
  const timer = setInterval(pruning.run, everyMs)
  timer.unref()
  resources.defer(() => clearInterval(timer))
  return pruning.run
}
