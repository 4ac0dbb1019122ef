/**
 * Imports captures completely or not at all, as jobs that end with the app. A task process writes
 * the parsed captures to a spool file, from which they are stored in slices. After an error or a
 * kill the stored slices are deleted.
 */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { CaptureImport } from '../../../src-preload/contract/capture-files.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError, messageOf } from '../../../src-preload/domain/app-error.ts'
import { captureFileCodes } from '../../../src-preload/domain/error-codes.ts'
import { createMutex } from '../../../src-preload/domain/mutex.ts'
import type { AppContext } from '../../app/context.ts'
import { isDiskFull } from '../../database/database.ts'
import { pagesOf } from '../../database/pages.ts'
import type { BegunFile } from '../../exports/export-files.ts'
import { type JobEnd, done, failed, inOnePiece } from '../../jobs/job-run.ts'
import { createMemoryTable } from '../../jobs/store/memory-table.ts'
import type { TaskCalls } from '../../threads/task-process.ts'
import { type Host, type StartWork, WorkEnded } from '../../threads/rpc.ts'
import type { CaptureLog } from '../capture-log.ts'
import type { PutRange } from '../../threads/writer-messages.ts'

const unfinishedImport = z.object({ madeFrom: z.string(), after: z.int() }).nullable()

type Upload = ReturnType<typeof createUpload>

type Job = Omit<CaptureImport, 'id' | 'state'> & {
  readonly id: number
  readonly state: 'running' | Exclude<CaptureImport['state'], 'reading'>
  readonly upload: Upload
  /**
   * A UUID identifies the upload, because a number could belong to another import after a restart
   * of the app.
   */
  readonly uploadId: string
}

type ImportHandlers = Pick<Handlers, Extract<keyof Handlers, `captureImport.${string}`>>

const maxEnded = 20
const maxRunning = 4
const deletedAtOnce = 400

export function createImports(context: AppContext, captureLog: CaptureLog, startWork: StartWork) {
  const { events, files, onBug, resources } = context
  const table = createMemoryTable<Job>(maxEnded)
  const stored = createStoredImports(context, captureLog)
  const writing = createMutex()
  resources.defer(writing.settled)
  const jobs = context.jobs.addUnnamed(
    {
      noun: 'import',
      unknownCode: captureFileCodes.unknown,
      unknownMessage: 'This import no longer exists. Start a new import.',
      table,
      left: () => null,
      work({ id, uploadId, upload }, { halt }) {
        halt.addEventListener('abort', () => upload.abort())
        return inOnePiece(async () => {
          try {
            await upload.parsed
            halt.throwIfAborted()
            const range = await writing.run(() => stored.write(uploadId, upload.worker, halt))
            table.change(id, { firstId: range?.first ?? null, lastId: range?.last ?? null })
            return done
          } catch (error) {
            return halt.aborted ? null : toEnd(error, upload.name, onBug)
          } finally {
            await upload.close()
          }
        })
      },
      show: toView,
      cancelGraceMs: 0,
    },
    (imports) => {
      for (const each of imports) events.emit('captureImport.changed', each)
    },
  )

  const find = (uploadId: string) => jobs.find(table.list({ uploadId })[0]?.id ?? 0)

  async function read({ id, bytes, upload }: Job, piece: Uint8Array | null): Promise<void> {
    const progress = await upload.read(piece)
    if (progress === null) return jobs.ended(id)
    table.change(id, { ...progress, bytes: bytes + (piece?.byteLength ?? 0) })
    jobs.notify(id)
  }

  const handlers: ImportHandlers = {
    async 'captureImport.start'(requested) {
      const running = table.list({ state: 'running' })
      if (running.length >= maxRunning) await jobs.cancel(running.at(-1)?.id ?? 0)
      const begun = await files.begin('import')
      return jobs.begin(
        table.add({
          state: 'running',
          format: null,
          bytes: 0,
          imported: 0,
          skipped: 0,
          remarks: [],
          problem: null,
          firstId: null,
          lastId: null,
          finishedAt: null,
          upload: createUpload(requested, begun, startWork({})),
          uploadId: randomUUID(),
        }),
      )
    },
    async 'captureImport.append'({ id: uploadId, offset, base64 }) {
      const job = find(uploadId)
      if (jobs.isRunning(job.id)) {
        if (offset !== job.bytes || job.upload.isBusy()) {
          throw badFile('The parts of the file arrived in the wrong order.')
        }
        await read(job, new Uint8Array(Buffer.from(base64, 'base64')))
      }
      return jobs.get(job.id)
    },
    async 'captureImport.end'({ id: uploadId }) {
      const job = find(uploadId)
      if (jobs.isRunning(job.id)) {
        if (job.upload.isComplete(job.bytes)) await read(job, null)
        await jobs.ended(job.id)
      }
      return jobs.get(job.id)
    },
    async 'captureImport.cancel'({ id: uploadId }) {
      const { id } = find(uploadId)
      if (jobs.isRunning(id)) await jobs.cancel(id)
      return jobs.get(id)
    },
  }

  return { handlers, start: () => void writing.run(stored.takeBack).catch(onBug) }
}

/** Passes the file to the process that parses it. */
function createUpload(
  { name, bytes }: { readonly name: string; readonly bytes: number | null },
  begun: BegunFile,
  worker: Host<TaskCalls>,
) {
  const opened = worker.call('import', { name, spool: begun.path })
  // `read` awaits this call and reports its error; without a handler the process would end.
  opened.catch(() => undefined)
  const parsed = Promise.withResolvers<null>()
  let isBusy = false

  return {
    name,
    worker,
    /** Resolves when the whole file was parsed, or the import was cancelled. */
    parsed: parsed.promise,
    isBusy: () => isBusy,
    /** Returns false if bytes are missing; the import then fails. */
    isComplete(received: number): boolean {
      if (bytes === null || bytes === received) return true
      parsed.reject(
        badFile('The file changed while it was read, or is incomplete. Import it again.'),
      )
      return false
    },
    /** @returns null if the import fails */
    async read(piece: Uint8Array | null) {
      isBusy = true
      try {
        await opened
        if (piece !== null) return await worker.call('piece', piece)
        const progress = await worker.call('end')
        parsed.resolve(null)
        return progress
      } catch (error) {
        parsed.reject(error)
        return null
      } finally {
        isBusy = false
      }
    },
    abort(): void {
      parsed.resolve(null)
      void worker.stop()
    },
    async close(): Promise<void> {
      await worker.stop()
      await begun.discard()
    },
  }
}

/** Stores the captures of an import. A note about the import in the database survives a kill. */
function createStoredImports({ events, onBug, values }: AppContext, captureLog: CaptureLog) {
  const { captures, writer } = captureLog
  const setUnfinished = (unfinished: z.infer<typeof unfinishedImport>) =>
    values.set('exchange.unfinished', unfinished)

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

  async function writeSlices(
    origin: string,
    worker: Host<TaskCalls>,
    halt: AbortSignal,
  ): Promise<PutRange> {
    let range = null as PutRange
    for (;;) {
      halt.throwIfAborted()
      const slice = await worker.call('slice')
      if (slice === null) return range
      const { packed, details } = slice
      const madeFrom = details.map(() => origin)
      const put = await writer.putPacked(packed, { origin: 'imported', madeFrom, details })
      events.emit('captures.put', {})
      if (put !== null) range = { first: range?.first ?? put.first, last: put.last }
    }
  }

  /** Stores all captures, or deletes those already stored and throws. */
  async function write(id: string, worker: Host<TaskCalls>, halt: AbortSignal): Promise<PutRange> {
    try {
      halt.throwIfAborted()
      await takeBack()
      const madeFrom = `import ${id}`
      setUnfinished({ madeFrom, after: writer.state().newestId ?? 0 })
      const range = await writeSlices(madeFrom, worker, halt)
      halt.throwIfAborted()
      setUnfinished(null)
      return range
    } catch (error) {
      // If this fails too, the next import or the next start repeats it.
      await takeBack().catch(onBug)
      throw error
    }
  }

  return { takeBack, write }
}

function toView({ id, uploadId, upload, state, ...job }: Job): CaptureImport {
  const finishedAt = job.finishedAt === null ? null : job.finishedAt * 1000
  return { ...job, id: uploadId, state: state === 'running' ? 'reading' : state, finishedAt }
}

function toEnd(cause: unknown, name: string, onBug: (error: unknown) => void): JobEnd {
  const error = cause instanceof WorkEnded ? tooLarge(name, cause) : cause
  if (isDiskFull(error)) {
    return failed(
      'The import failed, because the disk is full, and nothing was imported. Free some space, or delete captures, and import the file again.',
    )
  }
  if (error instanceof AppError) return failed(error.message)
  onBug(error)
  return failed(`The import failed, and nothing was imported: ${messageOf(error)}`)
}

const tooLarge = (name: string, { message }: WorkEnded): AppError =>
  badFile(
    `Importing “${name}” needs more memory than Tondesk allows (the import process ended: ${message}). Nothing was imported.`,
  )

const badFile = (message: string): AppError => new AppError(captureFileCodes.badFile, message)
