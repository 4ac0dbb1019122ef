import type { Append, OnWritten } from '../captures/store/capture-appender.ts'
import { type UnwrittenRecord, bodyLength } from '../captures/store/capture-record.ts'

export type CommitQueue = ReturnType<typeof createCommitQueue>

/** The queue reaches this limit only when the disk stalls. */
const maxWaiting = 20_000
/** The limit for all bodies together, from their first byte until they are written. */
const maxBodyBytes = 256 * 1024 * 1024
/**
 * The gateway's deliveries are far smaller. A quarter of the memory is reserved for bodies up to this
 * size.
 */
const smallBodyBytes = 64 * 1024
const largeBodiesShare = 0.75

/** Collects requests of one turn of the event loop and writes them together. */
export function createCommitQueue(append: Append, maxBytes: number = maxBodyBytes) {
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
    /** False if the queue is full; the request then gets 503. */
    hasRoom: () => waiting < maxWaiting && bodyBytes < maxBytes,
    isEmpty: () => waiting === 0,
    /**
     * Reserves memory for a body that is being received.
     * @param received bytes of that body that were reserved before
     * @returns false if there is no room; the request then gets 503
     */
    reserve(bytes: number, received: number): boolean {
      const isLarge = received + bytes > smallBodyBytes
      if (bodyBytes + bytes > (isLarge ? maxBytes * largeBodiesShare : maxBytes)) return false
      bodyBytes += bytes
      return true
    },
    release(bytes: number): void {
      bodyBytes -= bytes
    },
    /** The body's bytes count against the limit until the body is written. */
    add(record: UnwrittenRecord, onWritten: OnWritten): void {
      if (records.length === 0) setImmediate(flush)
      const bytes = bodyLength(record.body)
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
    /** Calls back when every record added before has been written or has failed. */
    settled(callback: () => void): void {
      if (waiting === 0) callback()
      else waiters.push({ left: waiting, callback })
    },
  }
}
