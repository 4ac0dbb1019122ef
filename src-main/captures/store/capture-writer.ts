import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { AppError, messageOf } from '../../../src-preload/domain/app-error.ts'
import { appCodes } from '../../../src-preload/domain/error-codes.ts'
import type { RetentionLimits } from './capture-deletion.ts'
import { type CaptureRecord, packRecords } from './capture-record.ts'
import { startThread } from '../../threads/rpc.ts'
import type {
  ResponseUpdates,
  LogState,
  PutOrigin,
  PutRange,
  WriterData,
} from '../../threads/writer-messages.ts'
import type { WriterCalls, WriterReports } from '../../threads/writer-thread.ts'

const probeAfterMs = 2_000

type CaptureWriterEvents = {
  /** Called when this number of captures was stored; `bytes` is their size as they were sent to the thread. */
  readonly onAppended: (state: LogState, count: number, bytes: number) => void
  /** Called when writing fails (permanently if the thread has ended), or works again (null). */
  readonly onTrouble: (problem: string | null, forGood: boolean) => void
  readonly onDamage: (message: string) => void
}

/**
 * Starts the writer thread; events come only after this resolves.
 * @throws AppError DATABASE_UNWRITABLE if the thread cannot start
 */
export async function createCaptureWriter(
  paths: WriterData,
  entry: URL,
  events: CaptureWriterEvents,
) {
  let state: LogState = { total: 0, others: 0, newestId: null }
  let isTroubled = false
  let isStarted = false
  let isClosing = false
  let probeTimer: NodeJS.Timeout | undefined
  let ended: Error | null = null
  const thread = startThread<WriterCalls, WriterReports>(
    entry,
    {
      workerData: paths,
      name: 'tondesk-writer',
      resourceLimits: { maxYoungGenerationSizeMb: 24 },
    },
    {
      committed({ count, bytes, state: now }) {
        state = now
        setTrouble(null)
        events.onAppended(state, count, bytes)
      },
      refused: (problem) => setTrouble(problem),
    },
    {
      onTrouble(message, damage) {
        if (damage) events.onDamage(message)
      },
      onEnd(error) {
        ended = error
        if (isStarted) setTrouble(error.message)
      },
    },
  )

  function setTrouble(problem: string | null): void {
    if (isClosing || (problem === null && !isTroubled)) return
    isTroubled = problem !== null
    events.onTrouble(problem, ended !== null)
    clearTimeout(probeTimer)
    if (isTroubled && ended === null) probeTimer = setTimeout(probe, probeAfterMs)
  }

  /** Writing is tested without deliveries, because the sender may have given up. */
  function probe(): void {
    thread.call('probe').then(
      () => setTrouble(null),
      (error: unknown) => setTrouble(messageOf(error)),
    )
  }

  /** Waits for a call that has changed captures, and takes over the new state. */
  async function changed(call: ReturnType<typeof thread.call<'mark'>>) {
    const done = await call
    ;({ state } = done)
    return done
  }

  const { call } = thread
  const count = async (done: ReturnType<typeof call<'mark'>>) => (await changed(done)).changed

  function checkRunning(): void {
    if (ended === null) return
    throw new AppError(
      appCodes.databaseUnwritable,
      `Captures can no longer be written, because the writer thread has ended (${ended.message}). ` +
        'Check the permissions and the free space of the data directory, then restart Tondesk.',
      { cause: ended },
    )
  }

  try {
    state = await call('start')
    isStarted = true
  } catch {
    checkRunning()
  }

  return {
    /** @throws AppError DATABASE_UNWRITABLE if its thread has ended */
    checkRunning,
    /** @returns the port for `createAppender`, which may be moved to another thread */
    connect(): MessagePort {
      const { port1, port2 } = new MessageChannel()
      if (ended === null) thread.notify('connect', port1, [port1])
      else port1.close()
      return port2
    },
    state: () => state,
    /**
     * Writes captures that were not received, all or none; events that were rebuilt before are skipped.
     * @returns the number of written captures
     */
    put: (records: readonly CaptureRecord[], origin: PutOrigin) =>
      count(call('put', { records: packRecords(records), origin })),
    async putOne(record: CaptureRecord, origin: PutOrigin['origin'], from: string) {
      const records = packRecords([record])
      const put = call('put', { records, origin: { origin, madeFrom: [from] } })
      // The writer replies before anything newer is inserted, so `newestId` is this record's id.
      return (await changed(put)).state.newestId ?? 0
    },
    /**
     * Writes packed records as `put` does.
     * @returns their range of ids
     */
    async putPacked(records: ArrayBuffer, origin: PutOrigin): Promise<PutRange> {
      const { changed: put, state: after } = await changed(call('put', { records, origin }))
      if (put === 0 || after.newestId === null) return null
      return { first: after.newestId - put + 1, last: after.newestId }
    },
    answered: (answered: ResponseUpdates) => count(call('answered', answered)),
    pin: (ids: readonly number[], pinned: boolean) => count(call('mark', { ids, pinned })),
    note: (id: number, note: string) => count(call('mark', { ids: [id], note })),
    delete: (ids: readonly number[]) => count(call('delete', ids)),
    clear: (keepPinned: boolean) => count(call('clear', keepPinned)),
    prune: (limits: RetentionLimits) => count(call('prune', limits)),
    /** The index has processed deletions up to this number. */
    forgetDeletions(upTo: number): void {
      // If this call fails, these deletions are forgotten with the next ones.
      call('forgetDeletions', upTo).catch(() => undefined)
    },
    async close(): Promise<void> {
      isClosing = true
      clearTimeout(probeTimer)
      await thread.close()
    },
  }
}
