import type { ReplayCursor, ReplayRecord } from '../store/replay-jobs.ts'
import type { ReplaySendings, StoredSending } from '../store/replay-sendings.ts'
import type { Item } from './sequence.ts'

const batchMs = 100
const batchSendings = 250
/** While requests are fast, up to this many are recorded as begun before they are sent. */
const maxAhead = 500

/** @param now a clock in milliseconds */
export function createJournal(
  job: ReplayRecord,
  sendings: ReplaySendings,
  now: () => number,
  onWritten: (answered: number) => void,
  onTrouble: (error: unknown) => void,
) {
  /** After a kill, requests beyond the cursor may already be complete. */
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
    return { index: last.index + 1, round: last.round, key: last.key + 1 }
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const answered = batch
    batch = []
    sendings.write(job.id, answered, { delivered, failed, cursor: lowest(), begun: noted })
    // Each batch removes about as many rows as it added, until the limits hold.
    if (answered.length > 0) sendings.prune()
    onWritten(answered.length)
  }

  function flushInTime(): void {
    try {
      flush()
    } catch (error) {
      onTrouble(error)
    }
  }

  return {
    unknown,
    /** False for a request that an earlier run has completed. */
    take(item: Item): boolean {
      last = item.cursor
      if (written.delete(item.cursor.index)) return false
      open.add(item)
      return true
    },
    /**
     * Called before a request is sent, because after a kill the request may have arrived.
     * @throws if the record cannot be written
     */
    begin({ cursor: { index } }: Item): void {
      begun = Math.max(begun, index + 1)
      if (index < noted) return
      // Recording each request separately would slow fast requests down.
      ahead = now() - notedAt < batchMs ? Math.min(maxAhead, ahead * 2) : 1
      notedAt = now()
      noted = index + ahead
      flush()
    },
    /** @throws if a batch cannot be written */
    record(item: Item, sent: Pick<StoredSending, 'at' | 'isOk' | 'answer'>): void {
      const { index } = item.cursor
      if (sent.isOk) delivered += 1
      else failed += 1
      batch.push({ ...sent, job: job.id, index, capture: item.capture, isAgain: index < job.begun })
      open.delete(item)
      if (batch.length >= batchSendings) flush()
      else timer ??= setTimeout(flushInTime, batchMs)
    },
    lowest,
    close(): void {
      noted = begun
      flush()
    },
  }
}
