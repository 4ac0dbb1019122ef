/**
 * Tells what was learnt: to the index first, so that a search finds what the list shows. What is
 * still to be told is on disk: the index learns of it after a kill, too.
 */
import type { CaptureMeanings } from '../store/capture-meanings.ts'
import type { Wait } from './parts.ts'

type AnnounceDeps = {
  readonly meanings: Pick<CaptureMeanings, 'noteUntold' | 'untold' | 'forgetUntold'>
  /** Words and facets of these are made anew. */
  readonly reindex: (ids: readonly number[]) => Promise<void>
  readonly onChanged: (ids: readonly number[]) => void
  readonly wait: Wait
  readonly onBug: (error: unknown) => void
}

type Announce = {
  /** Begins with what was left. */
  start(): void
  readonly changed: (ids: readonly number[]) => void
  stop(): Promise<void>
}

/** What comes within this time is told together. */
const everyMs = 200
const maxAtOnce = 1000

export function createAnnounce(deps: AnnounceDeps): Announce {
  const { meanings } = deps
  const stopped = new AbortController()
  let running: Promise<void> | null = null
  let isMore = false

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      isMore = false
      const { ids, to } = meanings.untold(maxAtOnce)
      if (ids.length === 0) return
      await deps.reindex(ids)
      meanings.forgetUntold(to)
      deps.onChanged(ids)
      await deps.wait(everyMs, stopped.signal)
    }
  }

  function go(): void {
    running ??= run()
      .catch((error: unknown) => {
        if (!stopped.signal.aborted) deps.onBug(error)
      })
      .finally(() => {
        running = null
        if (isMore && !stopped.signal.aborted) go()
      })
  }

  return {
    start: go,
    changed(ids) {
      if (stopped.signal.aborted) return
      meanings.noteUntold(ids)
      isMore = true
      go()
    },
    async stop() {
      stopped.abort()
      await running
    },
  }
}
