/** Runs exports as jobs that end with the app; a task process writes each export. */
import type { AppContext } from '../app/context.ts'
import type { InvoiceExport } from '../../src-preload/contract/invoice-export.ts'
import type { ExportFile } from '../../src-preload/contract/lookup.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError, captureFileCodes } from '../../src-preload/domain/app-error.ts'
import { type JobControl, type JobWork, done, failed, inOnePiece } from '../jobs/job-run.ts'
import type { JobViews } from '../jobs/jobs.ts'
import { type MemoryTable, createMemoryTable } from '../jobs/store/memory-table.ts'
import { type Host, type StartWork, WorkEnded } from '../threads/rpc.ts'
import type { TaskCalls, TaskReports } from '../threads/task-process.ts'
import type { BegunFile } from './export-files.ts'
import type { Progress, WrittenFile } from './write-file.ts'

type ExportName = 'captureExport' | 'invoiceExport'

export type ExportRun<About> = Omit<
  InvoiceExport,
  'network' | 'format' | 'kind' | 'file' | 'manifest'
> & {
  /** The fields that only one kind of export has. */
  readonly about: About
  /** The files in the order of their names; null for a file that was read. */
  readonly files: readonly (ExportFile | null)[]
}

type Job<About> = Omit<ExportRun<About>, 'rate' | 'secondsLeft'> & {
  /** The network by which a list selects, where a kind has one. */
  readonly network: NetworkId | null
  readonly order: Order<About>
  readonly finishedAt: number | null
}

type ExportRunsDeps<About, V> = Pick<AppContext, 'files' | 'jobs' | 'onBug'> & {
  readonly startWork: StartWork
  readonly codes: { readonly unknown: string; readonly unwritable: string }
  readonly maxEnded: number
  readonly show: (run: ExportRun<About>) => V
}

type NewExport<About> = {
  readonly about: About
  readonly network?: NetworkId
  readonly names: readonly string[]
  readonly total: number | null
  readonly reports?: TaskReports
  readonly write: (
    worker: Host<TaskCalls>,
    paths: readonly string[],
  ) => Promise<WrittenFile & Progress>
  /** An export that fails before its rows are counted is refused and does not appear in the list. */
  readonly isCounted?: boolean
}

type Order<About> = NewExport<About> & {
  readonly begun: readonly BegunFile[]
  readonly counted: PromiseWithResolvers<null>
}

export function createExportRuns<K extends ExportName, About>(
  name: K,
  deps: ExportRunsDeps<About, JobViews[K]>,
) {
  const { codes, files } = deps
  const table = createMemoryTable<Job<About>>(deps.maxEnded)
  const jobs = deps.jobs.add(name, {
    noun: 'export',
    unknownCode: codes.unknown,
    unknownMessage:
      'This export no longer exists: it has expired, or was made before Tondesk was restarted.',
    table,
    left: ({ total, rows }) => (total === null ? null : total - rows),
    work: (job, control) => createExportWork(job, control, table, deps),
    show: ({ order, network, finishedAt, ...job }) =>
      deps.show({ ...job, files: job.files.map(files.stillThere) }),
    cancelGraceMs: 0,
  })

  return {
    /** @throws AppError with the code `unwritable`; the error of an export that is refused */
    async start(requested: NewExport<About>): Promise<JobViews[K]> {
      const { about, names, total, isCounted = false } = requested
      const begun: BegunFile[] = []
      for (const each of names) begun.push(await files.begin(each, codes.unwritable))
      const counted = Promise.withResolvers<null>()
      if (!isCounted) counted.resolve(null)
      const id = table.add({
        about,
        network: requested.network ?? null,
        total,
        order: { ...requested, begun, counted },
        state: 'running',
        problem: null,
        finishedAt: null,
        rows: 0,
        bytes: 0,
        sha256: null,
        files: [],
      })
      const run = jobs.begin(id)
      try {
        await counted.promise
      } catch (error) {
        await jobs.remove(id)
        throw error
      }
      await run
      return jobs.get(id)
    },
    async cancelAll(network: NetworkId): Promise<void> {
      const running = table.list({ network }).filter(({ id }) => jobs.isRunning(id))
      await Promise.all(running.map(({ id }) => jobs.cancel(id)))
    },
  }
}

function createExportWork<About>(
  { id, order }: Job<About>,
  control: JobControl,
  table: MemoryTable<Job<About>>,
  { startWork, onBug }: Pick<ExportRunsDeps<About, unknown>, 'startWork' | 'onBug'>,
): JobWork {
  const { begun, counted } = order
  const { halt } = control
  const worker = startWork<TaskCalls, TaskReports>({
    ...order.reports,
    counted(rows) {
      table.change(id, { total: rows })
      control.notify()
      counted.resolve(null)
    },
    progress({ rows, bytes }) {
      if (halt.aborted) return
      control.count(rows - (table.get(id)?.rows ?? 0))
      table.change(id, { rows, bytes })
      control.notify()
    },
  })
  halt.addEventListener('abort', () => void worker.stop())

  return inOnePiece(async () => {
    try {
      const paths = begun.map(({ path }) => path)
      const { rows, bytes, sha256 } = await order.write(worker, paths)
      await worker.stop()
      halt.throwIfAborted()
      const files = await Promise.all(begun.map((file) => file.keep()))
      table.change(id, { rows, total: rows, bytes, sha256, files })
      return done
    } catch (cause) {
      await worker.stop()
      await Promise.all(begun.map((file) => file.discard()))
      const error = toError(cause)
      counted.reject(error)
      if (halt.aborted) return null
      if (error instanceof AppError) return failed(error.message)
      onBug(error)
      return failed(`The export failed: ${error.message}`)
    }
  })
}

function toError(cause: unknown): Error {
  if (!(cause instanceof WorkEnded))
    return cause instanceof Error ? cause : new Error(String(cause))
  return new AppError(
    captureFileCodes.tooLarge,
    `This export needs more memory than Tondesk allows (the export process ended: ${cause.message}). Export fewer rows at a time, or leave out the largest rows.`,
    { cause },
  )
}
