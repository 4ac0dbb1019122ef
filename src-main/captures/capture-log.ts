import { z } from 'zod'
import type { CaptureCounts } from '../../src-preload/contract/capture.ts'
import type { BaseContext } from '../app/context.ts'
import { openDatabase } from '../database/database.ts'
import { indexThread, writerThread } from '../threads/threads.ts'
import { createCaptureIndex } from './capture-index.ts'
import { burstPerSecond, createArrivalRate } from './store/arrival-rate.ts'
import { createCaptureWriter } from './store/capture-writer.ts'
import { createCaptures } from './store/captures.ts'
import { createCapturePipeline } from './pipeline.ts'

/** The stored captures: their writer and index threads, and notifications of changes. */
export type CaptureLog = Awaited<ReturnType<typeof openCaptureLog>>

/** Maximum number of captures that a notice names. */
const maxNamed = 20

const digits = z.string().regex(/^\d+$/)

/** @throws AppError DATABASE_UNWRITABLE when the thread that writes has ended */
export async function openCaptureLog(context: BaseContext) {
  const { database, events, log, notices, paths, resources, values } = context
  const changedOnDisk = new Set<number>()
  const captures = createCaptures(database, (id) => {
    if (changedOnDisk.size < maxNamed) changedOnDisk.add(id)
    notices.raise({
      id: 'captures.changedOnDisk',
      level: 'alarm',
      title: 'Captures were changed on disk',
      detail: `The disk is failing, or another program changed the database. Captures found so far: ${[...changedOnDisk].join(', ')}. They are not forwarded or replayed. Check the disk, and restore a backup.`,
      dismissible: true,
    })
  })
  const pipeline = createCapturePipeline((step, error) =>
    log.failure('a step of captures failed', error, { step }),
  )
  const arrivals = createArrivalRate()
  let pinned = captures.countPinned()
  let readTo = Number(values.get('captures.readTo', digits, '0'))
  let unread = captures.countAfter(readTo)

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
      pipeline.deletionsIndexed({ upTo })
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
    return { total, others, newestId, unread, readTo, pinned }
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
    unread += count
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
    markRead(upTo: number): void {
      if (upTo <= readTo) return
      readTo = upTo
      values.set('captures.readTo', String(upTo))
      unread = captures.countAfter(readTo)
    },
    changed,
    /**
     * Call this after a deletion, so that the index removes the captures. Null: any capture may
     * have been deleted.
     */
    deleted(ids: number[] | null): void {
      index.deleted()
      unread = captures.countAfter(readTo)
      changed(ids)
    },
    /** True while captures arrive faster than the cores can process them; work that can wait is postponed. */
    isBurst: () => arrivals.perSecond() > burstPerSecond,
  }
}
