import type { ReplayCursor, ReplayRecord } from '../store/replay-jobs.ts'
import type { ReplaySendings, StoredSending } from '../store/replay-sendings.ts'
import type { Item } from './sequence.ts'

/** What of a job is under way and what is answered, written down in batches as it runs. */
type Journal = {
  /** False for one that was answered in an earlier run. */
  take(item: Item): boolean
  /**
   * It goes out now: noted before, so that after a kill it is known that it may have arrived.
   * @throws where it cannot be written
   */
  begin(item: Item): void
  /** @throws where a batch cannot be written */
  record(item: Item, sent: Omit<StoredSending, 'job' | 'index' | 'capture' | 'isAgain'>): void
  /** The first that is not finished. */
  lowest(): ReplayCursor
  /** Writes what is left. @throws where it cannot be written */
  close(): void
  /** Those that an earlier run had begun, and of which it did not learn what became. */
  readonly unknown: number
}

type JournalOptions = {
  readonly job: ReplayRecord
  readonly sendings: ReplaySendings
  /** Each capture is sent so many times in a row. */
  readonly copies: number
  /** Milliseconds. */
  readonly now: () => number
  /** So many more are answered. */
  readonly onWritten: (answered: number) => void
  /** A batch could not be written when its time had come. */
  readonly onTrouble: (error: unknown) => void
}

/** What was answered is written down together, at the latest after so long. */
const batchMs = 100
const batchSendings = 250
/** Sendings that are noted as begun before they are, where they are fast. */
const maxAhead = 500

export function createJournal(options: JournalOptions): Journal {
  const { job, sendings, copies, now, onWritten } = options
  /** After a kill there are some beyond the first that is not. */
  const written = new Set(sendings.writtenFrom(job.id, job.cursor.index))
  const unknown = Math.max(0, job.begun - job.cursor.index - written.size)
  const open = new Set<Item>()
  let { delivered, failed } = job
  let last: ReplayCursor | null = null
  let begun = job.begun
  let noted = job.begun
  let ahead = 1
  let notedAt = -Infinity
  let batch: StoredSending[] = []
  let timer: NodeJS.Timeout | undefined

  function lowest(): ReplayCursor {
    let first: ReplayCursor | null = null
    for (const { cursor } of open) if (first === null || cursor.index < first.index) first = cursor
    if (first !== null) return first
    if (last === null) return job.cursor
    const { index, round, key, copy } = last
    return copy + 1 < copies
      ? { index: index + 1, round, key, copy: copy + 1 }
      : { index: index + 1, round, key: key + 1, copy: 0 }
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const answered = batch
    batch = []
    sendings.write(job.id, answered, { delivered, failed, cursor: lowest(), begun: noted })
    // About as many go as have come, until all are within their bound again.
    if (answered.length > 0) sendings.prune()
    onWritten(answered.length)
  }

  function flushInTime(): void {
    try {
      flush()
    } catch (error) {
      options.onTrouble(error)
    }
  }

  return {
    unknown,
    take(item) {
      last = item.cursor
      if (written.delete(item.cursor.index)) return false
      open.add(item)
      return true
    },
    begin({ cursor: { index } }) {
      begun = Math.max(begun, index + 1)
      if (index < noted) return
      // A write for each would slow fast ones down; of slow ones it is known exactly.
      ahead = now() - notedAt < batchMs ? Math.min(maxAhead, ahead * 2) : 1
      notedAt = now()
      noted = index + ahead
      flush()
    },
    record(item, sent) {
      const { index } = item.cursor
      if (sent.isOk) delivered += 1
      else failed += 1
      batch.push({ ...sent, job: job.id, index, capture: item.capture, isAgain: index < job.begun })
      open.delete(item)
      if (batch.length >= batchSendings) flush()
      else timer ??= setTimeout(flushInTime, batchMs)
    },
    lowest,
    close() {
      noted = begun
      flush()
    },
  }
}
