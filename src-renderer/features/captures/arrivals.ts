import { formatCount } from '../../ui/format.ts'
import { throttle } from '../../ui/throttle.ts'

const pauseMs = 10_000

/** The part of the list's state that decides which captures are new. */
type Seen = {
  readonly status: string
  /** The newest first. */
  readonly ids: readonly number[]
  readonly seenUpTo: number
  readonly waiting: { readonly count: number }
}

/**
 * Announces captures that arrive while the list is shown: the first at once, then their number at most every ten
 * seconds. Captures that another query finds are not new.
 */
export function createArrivals(announce: (message: string) => void) {
  let before: Seen | null = null
  let arrived = 0
  const report = throttle(() => {
    announce(formatCount(arrived, 'new capture'))
    arrived = 0
  }, pauseMs)
  const note = (now: Seen): void => {
    const last = before
    before = now
    if (last?.status !== 'ready' || now.status !== 'ready') return
    if (last.ids === now.ids && last.waiting === now.waiting) return
    const known = now.ids.findIndex((id) => id <= last.seenUpTo)
    const listed = known === -1 ? now.ids.length : known
    // Captures that waited and are now listed were counted when they began to wait.
    const more = listed + now.waiting.count - last.waiting.count
    if (more <= 0) return
    arrived += more
    report.call()
  }
  return { note, stop: report.cancel }
}
