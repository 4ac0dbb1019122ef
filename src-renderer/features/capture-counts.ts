import { on, request } from '../bridge.ts'
import { createResource } from '../resource.ts'

/** How many captures there are, unread and pinned, and the newest id; kept current by events. */
export const captureCounts = createResource(() => request('capture.counts'))

/** Follows the main process. Called once, by the app. */
export function startCaptureCounts(): () => void {
  const stops = [
    on('capture.added', ({ counts }) => captureCounts.set(counts)),
    on('capture.changed', ({ counts }) => captureCounts.set(counts)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
