import type { CaptureRecord } from '../store/capture-record.ts'

/** With the capture's id when it is on disk, else with why it is not. */
export type OnWritten = (problem: string | null, id: number | null) => void

export type Append = (records: readonly CaptureRecord[], onWritten: readonly OnWritten[]) => void

/** Collects what arrives within one turn of the event loop and hands it over together. */
export type CommitQueue = {
  /** False when too much is waiting already: answer 503 rather than grow without bound. */
  hasRoom(): boolean
  add(record: CaptureRecord, onWritten: OnWritten): void
  /** Calls back once all that was added before has been answered for. */
  settled(callback: () => void): void
}

/** Captures waiting to be written: more than this only when the disk stands still. */
const maxWaiting = 20_000
const maxWaitingBytes = 256 * 1024 * 1024

export function createCommitQueue(append: Append): CommitQueue {
  let records: CaptureRecord[] = []
  let callbacks: OnWritten[] = []
  let waiting = 0
  let waitingBytes = 0
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
    hasRoom: () => waiting < maxWaiting && waitingBytes < maxWaitingBytes,
    add(record, onWritten) {
      if (records.length === 0) setImmediate(flush)
      const bytes = record.body.byteLength
      waiting += 1
      waitingBytes += bytes
      records.push(record)
      callbacks.push((problem, id) => {
        waiting -= 1
        waitingBytes -= bytes
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
