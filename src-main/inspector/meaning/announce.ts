/** Tells what was learnt: to the index first, so that a search finds what the list shows. */
import type { Wait } from './parts.ts'

export type AnnounceDeps = {
  /** Words and facets of these are made anew. */
  readonly reindex: (ids: readonly number[]) => Promise<void>
  readonly onChanged: (ids: readonly number[]) => void
  readonly wait: Wait
  readonly onBug: (error: unknown) => void
}

export type Announce = {
  readonly changed: (ids: readonly number[]) => void
  stop(): Promise<void>
}

/** What comes within this time is told together. */
const everyMs = 200
const mostAtOnce = 1000

export function createAnnounce(deps: AnnounceDeps): Announce {
  const waiting = new Set<number>()
  const stopped = new AbortController()
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      const ids = [...waiting].slice(0, mostAtOnce)
      for (const id of ids) waiting.delete(id)
      await deps.reindex(ids)
      deps.onChanged(ids)
      await deps.wait(everyMs, stopped.signal)
    }
  }

  return {
    changed(ids) {
      if (stopped.signal.aborted) return
      for (const id of ids) waiting.add(id)
      running ??= run()
        .catch((error: unknown) => {
          if (!stopped.signal.aborted) deps.onBug(error)
        })
        .finally(() => {
          running = null
        })
    },
    async stop() {
      stopped.abort()
      await running
    },
  }
}
