/**
 * Imports captures completely or not at all. A task process spools the parsed captures, which are then
 * stored in slices; after an error or a kill the stored slices are deleted.
 */
import { z } from 'zod'
import type { AppContext } from '../../app/context.ts'
import { randomUUID } from 'node:crypto'
import type { CaptureImport } from '../../../src-preload/contract/capture-files.ts'
import { captureFileCodes } from '../../../src-preload/domain/error-codes.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError, messageOf } from '../../../src-preload/domain/app-error.ts'
import { isDiskFull } from '../../database/database.ts'
import { pagesOf } from '../../database/pages.ts'
import type { BegunFile } from '../../exports/export-files.ts'
import { createChangeNotifier } from '../../jobs/change-notifier.ts'
import type { TaskCalls } from '../../threads/task-process.ts'
import { type Host, type StartWork, WorkEnded } from '../../threads/rpc.ts'
import type { CaptureLog } from '../capture-log.ts'
import type { PutRange } from '../../threads/writer-messages.ts'

const unfinishedImport = z.object({ madeFrom: z.string(), after: z.int() }).nullable()

type Run = {
  state: CaptureImport
  readonly declaredBytes: number | null
  readonly name: string
  readonly worker: Host<TaskCalls>
  readonly begun: BegunFile
  /** Settles when the spool file is open; the first chunk reports its error. */
  readonly opened: Promise<void>
  isBusy: boolean
}

type ImportHandlers = Pick<Handlers, Extract<keyof Handlers, `captureImport.${string}`>>

const maxKept = 20
const maxRunning = 4
const deletedAtOnce = 400

export function createImports(context: AppContext, captureLog: CaptureLog, startWork: StartWork) {
  const { events, files, now, onBug, values } = context
  const { captures, writer } = captureLog
  const runs = new Map<string, Run>()
  let lastWriting: Promise<unknown> = Promise.resolve()
  const notifier = createChangeNotifier<string>({
    ...context,
    emit(ids) {
      for (const id of ids) {
        const run = runs.get(id)
        if (run !== undefined) events.emit('captureImport.changed', run.state)
      }
    },
    running: () => [],
  })
  /** The import that is being stored; survives a kill. */
  const setUnfinished = (unfinished: z.infer<typeof unfinishedImport>) =>
    values.set('exchange.unfinished', unfinished)

  function change(run: Run, part: Partial<CaptureImport>): CaptureImport {
    run.state = { ...run.state, ...part }
    notifier.tell(run.state.id)
    return run.state
  }

  function find(id: string): Run {
    const run = runs.get(id)
    if (run !== undefined) return run
    throw new AppError(
      captureFileCodes.unknown,
      'This import no longer exists. Start a new import.',
    )
  }

  async function start({
    name,
    bytes,
  }: {
    name: string
    bytes: number | null
  }): Promise<CaptureImport> {
    const running = [...runs.values()].filter(isReading)
    if (running.length >= maxRunning) await cancel(running[0]?.state.id ?? '')
    const begun = await files.begin('import')
    const worker = startWork<TaskCalls>({})
    const opened = worker.call('import', { name, spool: begun.path })
    opened.catch(() => undefined)
    const run: Run = {
      name,
      state: {
        id: randomUUID(),
        state: 'reading',
        format: null,
        bytes: 0,
        imported: 0,
        skipped: 0,
        remarks: [],
        problem: null,
        firstId: null,
        lastId: null,
        finishedAt: null,
      },
      declaredBytes: bytes,
      worker,
      begun,
      opened,
      isBusy: false,
    }
    runs.set(run.state.id, run)
    prune()
    return run.state
  }

  async function read(run: Run, piece: Uint8Array | null, bytes: number): Promise<CaptureImport> {
    run.isBusy = true
    try {
      await run.opened
      const { worker } = run
      const progress = await (piece === null ? worker.call('end') : worker.call('piece', piece))
      const { format, imported, skipped, remarks } = progress
      if (!isReading(run)) return run.state
      return change(run, { bytes, format, imported, skipped, remarks: [...remarks] })
    } catch (error) {
      return await fail(run, error)
    } finally {
      run.isBusy = false
    }
  }

  /** @throws AppError when the chunk is not the next one */
  async function piece(id: string, offset: number, base64: string): Promise<CaptureImport> {
    const run = find(id)
    if (!isReading(run)) return run.state
    if (offset !== run.state.bytes || run.isBusy) {
      throw new AppError(
        captureFileCodes.badFile,
        'The parts of the file arrived in the wrong order.',
      )
    }
    const part = Buffer.from(base64, 'base64')
    const bytes = new Uint8Array(part)
    return read(run, bytes, offset + bytes.byteLength)
  }

  async function end(id: string): Promise<CaptureImport> {
    const run = find(id)
    if (!isReading(run)) return run.state
    if (run.declaredBytes !== null && run.state.bytes !== run.declaredBytes) {
      const message = 'The file changed while it was read, or is incomplete. Import it again.'
      return fail(run, new AppError(captureFileCodes.badFile, message))
    }
    const state = await read(run, null, run.state.bytes)
    if (state.state !== 'reading') return state
    const writing = lastWriting.then(() => write(run))
    lastWriting = writing.catch(() => undefined)
    return writing
  }

  async function write(run: Run): Promise<CaptureImport> {
    const madeFrom = `import ${run.state.id}`
    try {
      await takeBack()
      setUnfinished({ madeFrom, after: writer.state().newestId ?? 0 })
      const range = await writeSlices(run, madeFrom)
      if (!isReading(run)) {
        await takeBack()
        return run.state
      }
      setUnfinished(null)
      await discard(run)
      const finishedAt = now() * 1000
      return change(run, {
        state: 'done',
        firstId: range?.first ?? null,
        lastId: range?.last ?? null,
        finishedAt,
      })
    } catch (error) {
      const failed = fail(run, error)
      // If this fails too, the next import or the next start repeats it.
      await takeBack().catch(onBug)
      return failed
    }
  }

  async function writeSlices(run: Run, from: string): Promise<PutRange> {
    let range = null as PutRange
    while (isReading(run)) {
      const slice = await run.worker.call('slice')
      if (slice === null) break
      const { packed, details } = slice
      const madeFrom = details.map(() => from)
      const put = await writer.putPacked(packed, { origin: 'imported', madeFrom, details })
      events.emit('captures.put', {})
      if (put !== null) range = { first: range?.first ?? put.first, last: put.last }
    }
    return range
  }

  async function takeBack(): Promise<void> {
    const unfinished = values.get('exchange.unfinished', unfinishedImport, null)
    if (unfinished === null) return
    const { madeFrom, after } = unfinished
    for await (const ids of pagesOf(() => captures.madeFrom(madeFrom, after, deletedAtOnce))) {
      await writer.delete(ids)
      captureLog.deleted([...ids])
    }
    setUnfinished(null)
  }

  async function fail(run: Run, cause: unknown): Promise<CaptureImport> {
    if (!isReading(run)) return run.state
    const error = cause instanceof WorkEnded ? tooLarge(run.name, cause) : cause
    const isFull = isDiskFull(error)
    const isBug = !isFull && !(error instanceof AppError)
    if (isBug) onBug(error)
    const message = isFull
      ? 'The import failed, because the disk is full, and nothing was imported. Free some space, or delete captures, and import the file again.'
      : messageOf(error)
    const state = change(run, {
      state: 'failed',
      problem: isBug ? `The import failed, and nothing was imported: ${message}` : message,
      finishedAt: now() * 1000,
    })
    await discard(run)
    return state
  }

  async function cancel(id: string): Promise<CaptureImport> {
    const run = find(id)
    if (!isReading(run)) return run.state
    const state = change(run, { state: 'cancelled', finishedAt: now() * 1000 })
    await discard(run)
    // The stored captures are deleted before the import is reported as cancelled.
    await lastWriting
    return state
  }

  async function discard(run: Run): Promise<void> {
    await run.worker.stop()
    await run.begun.discard()
  }

  function prune(): void {
    const old = [...runs.values()].filter((run) => !isReading(run)).slice(0, -maxKept)
    for (const { state } of old) runs.delete(state.id)
  }

  const handlers: ImportHandlers = {
    'captureImport.start': start,
    'captureImport.append': ({ id, offset, base64 }) => piece(id, offset, base64),
    'captureImport.end': ({ id }) => end(id),
    'captureImport.cancel': ({ id }) => cancel(id),
  }

  return {
    handlers,
    start(): void {
      lastWriting = takeBack().catch(onBug)
    },
    async stop(): Promise<void> {
      await Promise.all([...runs.keys()].map(cancel))
      await lastWriting
      notifier.stop()
    },
  }
}

function tooLarge(name: string, cause: WorkEnded): AppError {
  return new AppError(
    captureFileCodes.badFile,
    `Importing “${name}” needs more memory than Tondesk allows (the import process ended: ${cause.message}). Nothing was imported.`,
    { cause },
  )
}

function isReading({ state }: Run): boolean {
  return state.state === 'reading'
}
