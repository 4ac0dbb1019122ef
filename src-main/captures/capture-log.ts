import { z } from 'zod'
import type { CaptureCounts } from '../../src-preload/contract/capture.ts'
import type { BaseContext } from '../app/context.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { indexThread, writerThread } from '../threads/threads.ts'
import { type CaptureIndex, createCaptureIndex } from './capture-index.ts'
import { type CapturePipeline, createCapturePipeline } from './pipeline.ts'
import { burstPerSecond, createArrivalRate } from './store/arrival-rate.ts'
import { type CaptureWriter, createCaptureWriter } from './store/capture-writer.ts'
import { type Captures, createCaptures } from './store/captures.ts'

/** The stored captures: their writer and index threads, and notifications of changes. */
export type CaptureLog = {
  readonly captures: Captures
  readonly writer: CaptureWriter
  readonly index: CaptureIndex
  readonly indexDatabase: Database
  readonly pipeline: CapturePipeline
  counts(): CaptureCounts
  markRead(upTo: number): void
  changed(ids: number[] | null): void
  /** The index removes deleted captures. Null: any capture may be deleted. */
  deleted(ids: number[] | null): void
  onDeletionsIndexed(listener: () => void): void
  /** True while captures arrive faster than the cores can process; postponable work waits. */
  isBurst(): boolean
}

const digits = z.string().regex(/^\d+$/)

/** @throws AppError DATABASE_UNWRITABLE when the thread that writes has ended */
export async function openCaptureLog(context: BaseContext): Promise<CaptureLog> {
  const { database, events, log, paths, resources, values } = context
  const captures = createCaptures(database)
  const pipeline = createCapturePipeline((step, error) =>
    log.failure('a step of captures failed', error, { step }),
  )
  const deletionListeners: (() => void)[] = []
  const arrivals = createArrivalRate()
  let pinned = captures.countPinned()
  const readMark = createReadMark({
    load: () => Number(values.get('captures.readTo', digits, '0')),
    save: (upTo) => values.set('captures.readTo', String(upTo)),
    countAfter: (id) => captures.countAfter(id),
  })

  const files = { database: paths.database, index: paths.index }
  const writer = await createCaptureWriter(files, writerThread, {
    onAppended: (_, count, bytes) => pipeline.committed({ count, bytes }),
    onTrouble(problem, forGood) {
      if (problem !== null) log.write('error', 'captures cannot be written', { problem })
      events.emit('captures.writable', { problem, forGood })
    },
    onDamage: (message) => events.emit('database.damaged', { message }),
  })
  resources.defer(() => writer.close())
  const index = await createCaptureIndex(files, indexThread, {
    onIndexed: (upTo) => pipeline.indexed({ upTo }),
    onDeletionsFollowed(upTo) {
      writer.forgetDeletions(upTo)
      for (const listener of deletionListeners) listener()
    },
    onTrouble(message, damage) {
      log.write('error', 'the index stopped', { message })
      if (damage) events.emit('database.damageSuspected', { message })
    },
  })
  resources.defer(() => index.close())
  // The writer may have ended while the index started.
  writer.checkRunning()
  const indexDatabase = openDatabase(paths.index, { readOnly: true })
  resources.defer(() => indexDatabase.close())

  /** Received captures are never pinned, so the last count of pinned ones stays valid. */
  function countsAfterReceiving(): CaptureCounts {
    const { total, others, newestId } = writer.state()
    return { total, others, newestId, unread: readMark.unread(), pinned }
  }
  function counts(): CaptureCounts {
    pinned = captures.countPinned()
    return countsAfterReceiving()
  }
  function changed(ids: number[] | null): void {
    events.emit('capture.changed', { ids, counts: counts() })
  }

  pipeline.on('committed', ({ count }) => {
    arrivals.add(count)
    readMark.grew(count)
  })
  pipeline.on('index', () => index.appended())
  pipeline.on('notify', () => events.emit('capture.added', { counts: countsAfterReceiving() }))
  pipeline.on('notifyIndexed', ({ upTo }) => events.emit('capture.classified', { upTo }))
  events.on('captures.put', () => {
    index.appended()
    events.emit('capture.added', { counts: counts() })
  })

  return {
    captures,
    writer,
    index,
    indexDatabase,
    pipeline,
    counts,
    markRead: (upTo) => readMark.advance(upTo),
    changed,
    deleted(ids) {
      index.deleted()
      readMark.recount()
      changed(ids)
    },
    onDeletionsIndexed: (listener) => deletionListeners.push(listener),
    isBurst: () => arrivals.perSecond() > burstPerSecond,
  }
}

type ReadMark = {
  unread(): number
  grew(by: number): void
  advance(upTo: number): void
  recount(): void
}

type ReadMarkDeps = {
  readonly load: () => number
  readonly save: (upTo: number) => void
  readonly countAfter: (id: number) => number
}

function createReadMark(deps: ReadMarkDeps): ReadMark {
  let readTo = deps.load()
  let unread = deps.countAfter(readTo)
  return {
    unread: () => unread,
    grew(by) {
      unread += by
    },
    advance(upTo) {
      if (upTo <= readTo) return
      readTo = upTo
      deps.save(readTo)
      unread = deps.countAfter(readTo)
    },
    recount() {
      unread = deps.countAfter(readTo)
    },
  }
}
