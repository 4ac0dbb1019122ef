import type { Settings } from '../../src-preload/contract/settings.ts'
import type { RetentionLimits } from './store/capture-deletion.ts'

type RetentionDeps = {
  readonly settings: () => Settings['retention']
  readonly prune: (limits: RetentionLimits) => Promise<number>
  readonly onPruned: (deleted: number) => void
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Keeps the captures within their limits. Run by compose.ts every minute, by hand in tests. */
type Retention = {
  run(): Promise<number>
}

const microsecondsPerDay = 86_400_000_000

export function createRetention(deps: RetentionDeps): Retention {
  let running: Promise<number> | null = null

  async function prune(): Promise<number> {
    const { maxAgeDays, maxCount, maxBytes } = deps.settings()
    const oldest = maxAgeDays === null ? null : deps.now() * 1000 - maxAgeDays * microsecondsPerDay
    const deleted = await deps.prune({ oldest, maxCount, maxBytes })
    if (deleted > 0) deps.onPruned(deleted)
    return deleted
  }

  return {
    run() {
      // One at a time: a run of many steps may outlast the minute.
      running ??= prune().finally(() => {
        running = null
      })
      return running
    },
  }
}
