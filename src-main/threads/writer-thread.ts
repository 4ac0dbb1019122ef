/**
 * The writer thread is the only writer of the log, so it waits for no lock, and the disk's fsync
 * never blocks the receiver thread. Batches that arrive during a write share the next transaction
 * (group commit).
 */
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type MessagePort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { createArrivalRate, burstPerSecond } from '../captures/store/arrival-rate.ts'
import { countRecords, unknownDuration, unpackRecords } from '../captures/store/capture-record.ts'
import {
  type Deleted,
  type RetentionLimits,
  deleteCaptures,
  deleteOldestStep,
  freeBytes,
  nextCaptureId,
  retentionBound,
  shrinkStep,
} from '../captures/store/capture-deletion.ts'
import { createCaptureStatements } from '../captures/store/capture-statements.ts'
import { addChecksumsStep } from '../captures/store/checksums.ts'
import {
  isDamage,
  isDiskFull,
  fitCheckpoints,
  openDatabase,
  transaction,
  usedBytes,
  makeReserve,
  releaseReserve,
  freeOnDisk,
  reserveBytes,
} from '../database/database.ts'
import { moveWatch } from '../watches/store/watches.ts'
import { serveCalls } from './rpc.ts'
import type {
  BatchReport,
  LogState,
  PutOrigin,
  ResponseUpdates,
  WriterData,
} from './writer-messages.ts'
import { messageOf } from '../../src-preload/domain/app-error.ts'

export type WriterReports = {
  /** Received captures are on disk; `bytes` is their size as they were sent to the thread. */
  readonly committed: (batch: {
    readonly count: number
    readonly bytes: number
    readonly state: LogState
  }) => void
  readonly refused: (problem: string) => void
}

const { database: path, index: indexPath } = workerData as WriterData

/** Other writers hold the lock briefly; after a longer wait a delivery gets 503. */
const lockWaitMs = 1_000

const database = openDatabase(path, { synchronous: 'FULL', busyTimeoutMs: lockWaitMs })
const statements = createCaptureStatements(database)

let nextId = nextCaptureId(database)
let state = readState()
/** Pending steps of clearing, pruning and shrinking, which alternate with deliveries and each other. */
const chores: { readonly step: () => boolean; readonly canWait: () => boolean }[] = []
let isShrinking = false
/** True if the last capture or write test found no space. */
let isFull = false
/** After the disk was full, the space of deletions is returned to the disk at once. */
let isDiskTight = false
/** Each step needs the same number of bytes again in the write-ahead log. */
const tightStepBytes = 512 * 1024
/** While the disk has little space, the write-ahead log is kept small. */
let isDiskLow = fitCheckpoints(database, path)
/** Readers prevent SQLite from reusing the log's start; on such a disk the log is emptied at this size. */
const largestLowLogBytes = 2 * 1024 * 1024
let choreTimer: NodeJS.Timeout | undefined
const chorePauseMs = 5
/** During a burst, work that can wait gets a twentieth of the time. */
const burstPauseFactor = 19
const arrivals = createArrivalRate()
/** During a burst, pruning may lag by at most this share of the captures at the burst's start. */
const overshootShare = 0.25
/**
 * Shares of the limit by bytes. If more than `most` is free after pruning, the file shrinks until `kept` is
 * free. New captures reuse free space between two prunes, so moving those pages is not worthwhile.
 */
const freeShare = { most: 0.25, kept: 0.125 }

/** Counting all rows is slow, so the counts are updated after the first time. */
function readState(): LogState {
  const { captures, others } = statements.count()
  return { total: captures - others, others, newestId: statements.newestId() }
}

const nowMicroseconds = (): number =>
  Math.round((performance.timeOrigin + performance.now()) * 1000)

/** Ports to the receiver threads. */
const receivers: MessagePort[] = []

/** Writes this batch and all batches that wait at its port in one transaction. */
function writeBatches(first: ArrayBuffer, from: MessagePort): void {
  let count = 0
  let bytes = 0
  let id = nextId
  const batches: ArrayBuffer[] = []
  for (let packed: ArrayBuffer | undefined = first; packed !== undefined;) {
    count += countRecords(packed)
    bytes += packed.byteLength
    batches.push(packed)
    packed = nextBatch(from)
  }
  const tell = (batch: BatchReport) => from.postMessage(batch)
  try {
    const now = nowMicroseconds()
    statements.begin()
    for (const batch of batches) {
      unpackRecords(batch, (record) => {
        statements.insert(record, id, Math.max(0, now - record.receivedAt))
        id += 1
      })
    }
    statements.commit()
    nextId = id
    isFull = false
    arrivals.add(count)
    state = { ...state, total: state.total + count, newestId: id - 1 }
    // The main thread is notified first, because a sender with a response may request the capture
    // from it at once.
    app.notify('committed', { count, bytes, state })
    tell({ count, problem: null, newestId: id - 1 })
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    isFull = isDiskFull(error)
    const message = isFull ? 'The disk is full' : messageOf(error)
    app.notify('refused', message)
    tell({ count, problem: message, newestId: null })
    if (isDamage(error)) app.report(error)
    return
  }
  if (isDiskLow) keepLogSmall()
}

function keepLogSmall(): void {
  try {
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
    if ((log?.size ?? 0) > largestLowLogBytes) emptyLog()
  } catch (error) {
    app.report(error)
  }
}

function nextBatch(from: MessagePort): ArrayBuffer | undefined {
  const received: { message: ArrayBuffer } | undefined = receiveMessageOnPort(from)
  return received?.message
}

type PutCall = { readonly records: ArrayBuffer; readonly origin: PutOrigin }

/** Writes captures that were not received, all or none. */
function put({ records, origin: { origin, madeFrom, details, watch } }: PutCall) {
  let id = nextId
  let index = 0
  const now = nowMicroseconds()
  transaction(database, () => {
    if (watch !== undefined && !moveWatch(database, watch)) return
    unpackRecords(records, (record) => {
      const from = madeFrom[index] ?? ''
      const detail = details?.[index]
      index += 1
      if (statements.isMade(origin, from)) return
      const known = detail === undefined ? Math.max(0, now - record.receivedAt) : detail.durationUs
      statements.insert(record, id, known ?? unknownDuration)
      statements.insertOrigin(id, origin, from, record.receivedAt, watch?.isForwarded ?? false)
      if (watch !== undefined) statements.insertNetwork(id, watch.network)
      if (detail !== undefined && (detail.pinned || detail.note !== '')) {
        statements.insertMark(id, detail)
      }
      id += 1
    })
  })
  const count = id - nextId
  nextId = id
  state = { ...state, others: state.others + count, newestId: statements.newestId() }
  return done(count)
}

const done = (changed: number) => ({ changed, state })

const gone = ({ deleted, others }: Deleted): LogState => ({
  total: state.total - (deleted - others),
  others: state.others - others,
  newestId: statements.newestId(),
})

function startChore(chore: (typeof chores)[number]): void {
  chores.push(chore)
  choreTimer ??= setTimeout(runChore, 0)
}

function runChore(): void {
  choreTimer = undefined
  const chore = chores.shift()
  if (chore === undefined) return
  const started = performance.now()
  const isRush = arrivals.perSecond() > burstPerSecond
  if (chore.step()) chores.push(chore)
  if (chores.length === 0) return
  const pause = isRush && chore.canWait() ? (performance.now() - started) * burstPauseFactor : 0
  choreTimer = setTimeout(runChore, Math.max(chorePauseMs, pause))
}

const reservePath = join(dirname(path), 'reserve.bin')

/**
 * Deletes on a full disk with the space of the reserve, and returns freed space to the disk. The
 * log is emptied first: the deletion would let it grow into the space that emptying it needs.
 */
function deleteOnFullDisk<T>(work: () => T): T {
  try {
    if (!isFull) return work()
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
  releaseReserve(reservePath)
  isDiskTight = true
  emptyLog()
  try {
    return work()
  } finally {
    refillReserve()
    shrink(0)
  }
}

/**
 * Refills the reserve before captures take the freed space, so that deleting works on the next full
 * disk too.
 */
function refillReserve(): void {
  const wanted = reserveBytes + 2 * tightStepBytes
  try {
    do emptyLog()
    while (freeOnDisk(dirname(path)) < wanted && shrinkStep(database, 0, tightStepBytes))
  } catch (error) {
    app.report(error)
  }
  makeReserve(reservePath, true)
}

/** Emptying the log may enlarge the database, for which a full disk has no space before a deletion. */
function emptyLog(): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}

function shrink(keepBytes: number): void {
  if (isShrinking) return
  isShrinking = true
  const step = () => {
    try {
      isShrinking = shrinkStep(database, keepBytes, isDiskTight ? tightStepBytes : undefined)
      if (isDiskTight) emptyLog()
      if (!isShrinking) isDiskTight = false
    } catch (error) {
      isShrinking = false
      app.report(error)
    }
    return isShrinking
  }
  startChore({ step, canWait: () => true })
}

function addChecksums(): boolean {
  try {
    return addChecksumsStep(database, Date.now())
  } catch (error) {
    // The next start continues with the rest.
    app.report(error)
    return false
  }
}

function shrinkToLimit(maxBytes: number): void {
  if (freeBytes(database) > maxBytes * freeShare.most) shrink(maxBytes * freeShare.kept)
}

function deleteUpTo(
  upTo: number,
  keepPinned: boolean,
  { onDone, canWait }: { readonly onDone: () => void; readonly canWait: () => boolean },
) {
  const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof done>>()
  let after = 0
  let deleted = 0
  const step = () => {
    try {
      const from = after
      const removed = deleteOnFullDisk(() => deleteOldestStep(database, upTo, from, keepPinned))
      after = removed.reached
      deleted += removed.deleted
      state = gone(removed)
      if (!removed.done) return true
      onDone()
      resolve(done(deleted))
    } catch (error) {
      reject(error)
    }
    return false
  }
  startChore({ step, canWait })
  return promise
}

/** The index thread owns the index file; this thread only reads its size. */
function indexBytes(): number {
  try {
    using index = openDatabase(indexPath, { readOnly: true })
    return usedBytes(index)
  } catch {
    // The index does not exist yet or is being rebuilt.
    return 0
  }
}

const functions = {
  /** The app calls this first. */
  start(): LogState {
    startChore({ step: addChecksums, canWait: () => true })
    return state
  },
  mark: (marks: Parameters<typeof statements.mark>[0]) => done(statements.mark(marks)),
  put,
  answered: (answered: ResponseUpdates) => done(statements.writeAnswered(answered)),
  delete(ids: readonly number[]) {
    const removed = deleteOnFullDisk(() => deleteCaptures(database, ids))
    state = gone(removed)
    return done(removed.deleted)
  },
  clear: (keepPinned: boolean) =>
    deleteUpTo(nextId - 1, keepPinned, { onDone: () => shrink(0), canWait: () => false }),
  prune(limits: RetentionLimits) {
    makeReserve(reservePath)
    const wasLow = isDiskLow
    isDiskLow = fitCheckpoints(database, path)
    if (isDiskLow && !wasLow) emptyLog()
    const stored = () => state.total + state.others
    const bound = retentionBound(database, stored(), indexBytes(), limits)
    const onDone = () => shrinkToLimit(limits.maxBytes)
    if (bound !== null) {
      const limit = stored() * (1 + overshootShare)
      return deleteUpTo(bound, true, { onDone, canWait: () => stored() < limit })
    }
    onDone()
    return done(0)
  },
  /** Writes a value that changes nothing, to test whether writing works. */
  probe(): void {
    try {
      statements.probe()
    } catch (error) {
      isFull = isDiskFull(error)
      // Space of an earlier deletion could not be returned to the disk; now there may be room for that.
      if (isFull && isDiskTight) shrink(0)
      throw error
    }
    isFull = false
  },
  forgetDeletions: statements.forgetDeletions,
  connect(receiver: MessagePort): void {
    receivers.push(receiver)
    receiver.on('message', (batch: ArrayBuffer) => writeBatches(batch, receiver))
  },
  close(): void {
    clearTimeout(choreTimer)
    for (const receiver of receivers) {
      const batch = nextBatch(receiver)
      if (batch !== undefined) writeBatches(batch, receiver)
      receiver.close()
    }
    database.close()
  },
}

export type WriterCalls = typeof functions

const app = serveCalls<WriterReports>(functions)
