/**
 * Writes what came of tries, many together. Nothing of a lane is sent before what was sent last is on
 * disk, so a kill repeats at most what was under way, and the captures' writer is seldom asked to wait.
 */
import type { ForwardQueue, Outcome, TargetState, ThroughDelivery } from '../store/forward-queue.ts'

type JournalDeps = {
  readonly write: ForwardQueue['write']
  /** Microseconds. */
  readonly now: () => number
  /** It cannot be written (why), or can again (null). */
  readonly onTrouble: (problem: unknown) => void
}

type Entry = {
  readonly outcome?: Outcome
  readonly through?: readonly ThroughDelivery[]
  /** A delivery whose capture is not there any more. */
  readonly gone?: number
  readonly target?: TargetState
  /** It is on disk. */
  readonly onWritten: () => void
}

export type Journal = {
  add(entry: Entry): void
  /** Writes what is waiting, and nothing after it. */
  close(): void
}

/** Between two writes there is so many times what one takes, within bounds: milliseconds. */
const [restFactor, leastRestMs, maxRestMs] = [4, 1, 50]
/** While it cannot be written, as on a full disk. */
const againMs = 1_000

export function createJournal({ write, now, onTrouble }: JournalDeps): Journal {
  let waiting: Entry[] = []
  let timer: NodeJS.Timeout | null = null
  let isDue = false
  let restUntil = 0
  let isTroubled = false

  function flush(): void {
    timer = null
    isDue = false
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    const started = performance.now()
    try {
      // Of a target only the newest matters.
      const targets = new Map(
        batch.flatMap(({ target }) => (target === undefined ? [] : [[target.target, target]])),
      )
      write({
        outcomes: batch.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome])),
        through: batch.flatMap(({ through }) => through ?? []),
        targets: [...targets.values()],
        gone: batch.flatMap(({ gone }) => (gone === undefined ? [] : [gone])),
        now: now(),
      })
    } catch (error) {
      // What was sent is not forgotten, and nothing more of its lanes is sent meanwhile.
      waiting = [...batch, ...waiting]
      if (!isTroubled) onTrouble(error)
      isTroubled = true
      timer = setTimeout(flush, againMs)
      return
    }
    if (isTroubled) onTrouble(null)
    isTroubled = false
    const ended = performance.now()
    restUntil = ended + Math.min(maxRestMs, Math.max(leastRestMs, (ended - started) * restFactor))
    for (const { onWritten } of batch) {
      // One that fails must not keep the others' lanes busy.
      try {
        onWritten()
      } catch (error) {
        onTrouble(error)
      }
    }
  }

  return {
    add(entry) {
      waiting.push(entry)
      if (timer !== null || isDue) return
      const restMs = restUntil - performance.now()
      if (restMs > 0) timer = setTimeout(flush, restMs)
      else {
        // With what else comes in this turn; a timer would take a millisecond.
        isDue = true
        setImmediate(flush)
      }
    },
    close() {
      if (timer !== null) clearTimeout(timer)
      flush()
      if (timer !== null) clearTimeout(timer)
    },
  }
}
