import { on, onReconnect, request } from '../../app/bridge.ts'
import { captureCounts } from '../../app/capture-counts.ts'
import type { Ask } from './deps.ts'
import { createDetailActions } from './detail/detail-actions.ts'
import { type Query, createInspectorStore } from './inspector-state.ts'
import { rowsBetween } from './list/capture-pages.ts'
import { createListChoices } from './list/list-choices.ts'
import { createListLive } from './list/list-live.ts'
import { createListLoading, isEverything, pageLimit } from './list/list-loading.ts'
import { readMark } from './list/read-mark.ts'

// One signature for routes with and without input; the bridge's leaves the second argument out.
const ask = request as Ask

export const useInspector = createInspectorStore()
export const loading = createListLoading({ store: useInspector, ask })
export const choices = createListChoices({ store: useInspector, ask, loading })
export const detail = createDetailActions({ store: useInspector, ask })
export const live = createListLive({
  store: useInspector,
  ask,
  loading,
  later: (ms, work) => void setTimeout(work, ms),
  isVisible: () => document.visibilityState === 'visible',
  shareCounts: (counts) => captureCounts.set(counts),
})

/** Opens the list as it is now, and notes what was unread when it was opened. */
export async function openPage(query: Query): Promise<void> {
  const asked = ask('capture.counts', undefined)
  await loading.openQuery(query)
  try {
    const counts = await asked
    const newer = useInspector.getState().counts
    // What has arrived since it was asked is known by its event; the list may have missed it.
    if ((newer?.newestId ?? 0) <= (counts.newestId ?? 0)) useInspector.setState({ counts })
    live.catchUp()
    const { list, readUpTo } = useInspector.getState()
    // Set once: what was unread when the page was opened stays marked until one leaves it.
    if (list.status !== 'ready' || !isEverything(query) || readUpTo !== null) return
    useInspector.setState({ readUpTo: readMark(rowsBetween(list.pages, 0, pageLimit - 1), counts) })
  } catch {
    // The list says itself when the app cannot be reached; counts come with the next event.
  }
}

/** The page is left: what was revealed is not kept, and what is unread is counted anew. */
export function leavePage(): void {
  detail.close()
  useInspector.setState({ readUpTo: null, cursor: null, marked: new Set<number>() })
}

/** Follows what happens while the page is shown. Returns the way to stop. */
export function followEvents(): () => void {
  const look = () => {
    if (document.visibilityState === 'visible') live.catchUp()
  }
  document.addEventListener('visibilitychange', look)
  const stops = [
    on('capture.added', ({ counts }) => live.added(counts)),
    on('capture.classified', ({ upTo }) => live.classified(upTo)),
    on('capture.changed', ({ ids, counts }) => {
      live.changed(ids, counts)
      const open = useInspector.getState().detail
      if (open.status === 'ready' && (ids === null || ids.includes(open.id))) void detail.refresh()
    }),
    onReconnect(() => {
      void openPage(useInspector.getState().query)
      const open = useInspector.getState().detail
      if (open.status === 'failed') void detail.open(open.id)
    }),
    () => document.removeEventListener('visibilitychange', look),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
