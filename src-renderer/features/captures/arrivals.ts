import { formatCount } from '../../ui/format.ts'
import { throttle } from '../../ui/throttle.ts'

const pauseMs = 10_000

/** The part of the list's state that decides which captures are new. */
type Seen = {
  readonly status: string
  /** The ids begin with the newest capture. */
  readonly ids: readonly number[]
  readonly seenUpTo: number
  readonly waiting: { readonly count: number }
}

/**
 * Announces captures that arrive while the list is displayed: the first one at once, then their
 * number at most every ten seconds. Captures that appear because of another query are not new.
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
    // A capture that waited and is now listed was counted when it began to wait.
    const more = listed + now.waiting.count - last.waiting.count
    if (more <= 0) return
    arrived += more
    report.call()
  }
  return { note, stop: report.cancel }
}
