import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { appCodes } from '../../../src-preload/domain/error-codes.ts'
import type { RetentionLimits } from './capture-deletion.ts'
import { type CaptureRecord, packRecords } from './capture-record.ts'
import { toSqliteError } from '../../database/database.ts'
import type {
  ResponseUpdates,
  LogState,
  PutOrigin,
  PutRange,
  WriterData,
  WriterReport,
} from '../../threads/writer-messages.ts'
import type { WriterCalls } from '../../threads/writer-thread.ts'

type Question<N extends keyof WriterCalls> = Parameters<WriterCalls[N]>[0]
type Done = Extract<WriterReport, { readonly type: 'done' }>

const probeAfterMs = 2_000

type CaptureWriterEvents = {
  /** So many received captures were stored; `bytes` as they were sent to the thread. */
  readonly onAppended: (state: LogState, count: number, bytes: number) => void
  /** Writing failed (permanently if the thread has ended), or works again (null). */
  readonly onTrouble: (problem: string | null, forGood: boolean) => void
  readonly onDamage: (message: string) => void
}

/** The writer's thread: its calls, what it reports, and whether it works. */
function startWriterThread(paths: WriterData, entry: URL, events: CaptureWriterEvents) {
  const worker = new Worker(entry, {
    workerData: paths,
    name: 'tondesk-writer',
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
  })
  const calls = new Map<number, Pick<PromiseWithResolvers<Done>, 'resolve' | 'reject'>>()
  let lastCall = 0
  let state: LogState = { total: 0, others: 0, newestId: null }
  let troubled = false
  let closing = false
  let probeTimer: NodeJS.Timeout | undefined
  let ended: Error | null = null
  let isReady = false
  const closed = Promise.withResolvers<undefined>()
  const ready = Promise.withResolvers<undefined>()

  function setTrouble(problem: string | null): void {
    if (problem === null && !troubled) return
    troubled = problem !== null
    events.onTrouble(problem, ended !== null)
    clearTimeout(probeTimer)
    if (troubled && ended === null) probeTimer = setTimeout(probe, probeAfterMs)
  }

  /** Writing is tested without deliveries, because the sender may have given up. */
  function probe(): void {
    call('probe', undefined).then(
      () => setTrouble(null),
      (error: unknown) => setTrouble(error instanceof Error ? error.message : String(error)),
    )
  }

  function onReport(report: WriterReport): void {
    // Replies from before the thread's end do not describe the current state.
    if (ended !== null && report.type !== 'closed') return
    switch (report.type) {
      case 'ready':
        state = report.state
        isReady = true
        ready.resolve(undefined)
        return
      case 'committed':
        state = report.state
        setTrouble(null)
        events.onAppended(state, report.count, report.bytes)
        return
      case 'refused':
        setTrouble(report.message)
        return
      case 'done':
        state = report.state
        calls.get(report.call)?.resolve(report)
        calls.delete(report.call)
        return
      case 'failed':
        if (report.call !== null) {
          calls.get(report.call)?.reject(toSqliteError(report.message, report.errcode))
          calls.delete(report.call)
        }
        if (report.damage) events.onDamage(report.message)
        return
      case 'closed':
        closed.resolve(undefined)
        return
    }
  }

  function end(error: Error): void {
    if (ended !== null) return
    ended = error
    ready.reject(error)
    for (const { reject } of calls.values()) reject(error)
    calls.clear()
    closed.resolve(undefined)
    if (!closing && isReady) setTrouble(error.message)
  }

  worker.on('message', onReport)
  worker.on('error', end)
  worker.on('exit', () => end(new Error('The writer has ended')))

  function call<N extends keyof WriterCalls>(name: N, question: Question<N>): Promise<Done> {
    if (ended !== null) return Promise.reject(ended)
    const number = (lastCall += 1)
    const { promise, resolve, reject } = Promise.withResolvers<Done>()
    calls.set(number, { resolve, reject })
    worker.postMessage({ call: number, name, question })
    return promise
  }

  /** For messages without a reply. @returns false when the thread has ended */
  function send<N extends keyof WriterCalls>(
    name: N,
    question: Question<N>,
    transfer: readonly MessagePort[] = [],
  ): boolean {
    if (ended !== null) return false
    worker.postMessage({ call: null, name, question }, transfer)
    return true
  }

  return {
    call,
    send,
    state: () => state,
    ended: () => ended,
    ready: ready.promise,
    async close(): Promise<void> {
      closing = true
      clearTimeout(probeTimer)
      send('close', undefined)
      await closed.promise
      await worker.terminate()
    },
  }
}

/**
 * Starts the writer thread; no event comes before it resolves.
 * @throws AppError DATABASE_UNWRITABLE when the thread cannot start
 */
export async function createCaptureWriter(
  paths: WriterData,
  entry: URL,
  events: CaptureWriterEvents,
) {
  const { call, send, ...thread } = startWriterThread(paths, entry, events)

  const change = async <N extends keyof WriterCalls>(name: N, question: Question<N>) =>
    (await call(name, question)).changed

  function checkRunning(): void {
    const ended = thread.ended()
    if (ended === null) return
    throw new AppError(
      appCodes.databaseUnwritable,
      `Captures can no longer be written, because the writer thread has ended (${ended.message}). ` +
        'Check the permissions and the free space of the data directory, then restart Tondesk.',
      { cause: ended },
    )
  }

  await thread.ready.catch(checkRunning)

  return {
    /** @throws AppError DATABASE_UNWRITABLE when its thread has ended */
    checkRunning,
    /** @returns the port for `createAppender`, which may be moved to another thread */
    connect(): MessagePort {
      const { port1, port2 } = new MessageChannel()
      if (!send('connect', port1, [port1])) port1.close()
      return port2
    },
    state: thread.state,
    /**
     * Writes captures that were not received, all or none; events already rebuilt are skipped.
     * @returns number written
     */
    put: (records: readonly CaptureRecord[], origin: PutOrigin) =>
      change('put', { records: packRecords(records), origin }),
    async putOne(record: CaptureRecord, origin: PutOrigin['origin'], from: string) {
      const records = packRecords([record])
      const done = await call('put', { records, origin: { origin, madeFrom: [from] } })
      // The writer replies before anything newer is inserted, so `newestId` is this record's id.
      return done.state.newestId ?? 0
    },
    /**
     * As `put`, for records packed elsewhere.
     * @returns their range of ids
     */
    async putPacked(records: ArrayBuffer, origin: PutOrigin): Promise<PutRange> {
      const { changed, state: after } = await call('put', { records, origin })
      if (changed === 0 || after.newestId === null) return null
      return { first: after.newestId - changed + 1, last: after.newestId }
    },
    answered: (answered: ResponseUpdates) => change('answered', answered),
    pin: (ids: readonly number[], pinned: boolean) => change('mark', { ids, pinned }),
    note: (id: number, note: string) => change('mark', { ids: [id], note }),
    delete: (ids: readonly number[]) => change('delete', ids),
    clear: (keepPinned: boolean) => change('clear', keepPinned),
    prune: (limits: RetentionLimits) => change('prune', limits),
    /** The index has processed deletions up to this number. */
    forgetDeletions(upTo: number): void {
      send('forgetDeletions', upTo)
    },
    close: () => thread.close(),
  }
}
