import type { UnwrittenRecord } from '../captures/store/capture-record.ts'
import { lengthOf } from './request-capture.ts'

/** With the capture's id when it is on disk, else with why it is not. */
export type OnWritten = (problem: string | null, id: number | null) => void

export type Append = (records: readonly UnwrittenRecord[], onWritten: readonly OnWritten[]) => void

/** Collects what arrives within one turn of the event loop and hands it over together. */
export type CommitQueue = {
  /** False when too much is waiting already: answer 503 rather than grow without bound. */
  hasRoom(): boolean
  /**
   * Counts bytes of a body that is being received, until they are released.
   * @param received how many of that body were reserved before
   * @returns false when there is no room for them: answer 503
   */
  reserve(bytes: number, received: number): boolean
  release(bytes: number): void
  /** The bytes of its body count until it has been written. */
  add(record: UnwrittenRecord, onWritten: OnWritten): void
  /** Calls back once all that was added before has been answered for. */
  settled(callback: () => void): void
}

/** Captures waiting to be written: more than this only when the disk stands still. */
const maxWaiting = 20_000
/** Of all bodies together, from their first byte until they have been written. */
const maxBodyBytes = 256 * 1024 * 1024
/** Deliveries of the gateway are far smaller. A quarter of the memory is left to bodies up to this. */
const smallBodyBytes = 64 * 1024
const largeBodiesShare = 0.75

export function createCommitQueue(append: Append, maxBytes: number = maxBodyBytes): CommitQueue {
  let records: UnwrittenRecord[] = []
  let callbacks: OnWritten[] = []
  let waiting = 0
  let bodyBytes = 0
  let waiters: { left: number; callback: () => void }[] = []

  function countDown(): void {
    for (const waiter of waiters) waiter.left -= 1
    const due = waiters.filter((waiter) => waiter.left === 0)
    waiters = waiters.filter((waiter) => waiter.left > 0)
    for (const { callback } of due) callback()
  }

  function flush(): void {
    const batch = records
    const onWritten = callbacks
    records = []
    callbacks = []
    append(batch, onWritten)
  }

  return {
    hasRoom: () => waiting < maxWaiting && bodyBytes < maxBytes,
    reserve(bytes, received) {
      const isLarge = received + bytes > smallBodyBytes
      if (bodyBytes + bytes > (isLarge ? maxBytes * largeBodiesShare : maxBytes)) return false
      bodyBytes += bytes
      return true
    },
    release(bytes) {
      bodyBytes -= bytes
    },
    add(record, onWritten) {
      if (records.length === 0) setImmediate(flush)
      const bytes = lengthOf(record.body)
      waiting += 1
      bodyBytes += bytes
      records.push(record)
      callbacks.push((problem, id) => {
        waiting -= 1
        bodyBytes -= bytes
        onWritten(problem, id)
        if (waiters.length > 0) countDown()
      })
    },
    settled(callback) {
      if (waiting === 0) callback()
      else waiters.push({ left: waiting, callback })
    },
  }
}
