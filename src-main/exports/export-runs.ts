/** Background exports: a task process writes each; the list lasts until the app ends. */
import type { AppContext } from '../app/context.ts'
import type { InvoiceExport } from '../../src-preload/contract/invoice-export.ts'
import type { ExportFile } from '../../src-preload/contract/lookup.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { captureFileCodes } from '../../src-preload/domain/error-codes.ts'
import { createChangeNotifier } from '../jobs/change-notifier.ts'
import { type RateMeter, createRateMeter } from '../jobs/rate-meter.ts'
import { type Host, type StartWork, WorkEnded } from '../threads/rpc.ts'
import type { TaskCalls, TaskReports } from '../threads/task-process.ts'
import type { BegunFile } from './export-files.ts'
import type { Progress, WrittenFile } from './write-file.ts'

export type ExportRun<About> = Pick<
  InvoiceExport,
  'id' | 'state' | 'problem' | 'rows' | 'total' | 'bytes' | 'sha256'
> & {
  readonly about: About
  /** In the order of their names; null once a file was read. */
  readonly files: readonly (ExportFile | null)[]
  /** Rows per second, while running. */
  readonly rate: number | null
}

type Run<About> = {
  state: Omit<ExportRun<About>, 'rate'>
  readonly meter: RateMeter
  readonly worker: Host<TaskCalls>
  readonly begun: readonly BegunFile[]
}

type ExportRunsDeps<About> = Pick<AppContext, 'files' | 'now' | 'onBug' | 'wait'> & {
  readonly startWork: StartWork
  readonly codes: { readonly unknown: string; readonly unwritable: string }
  readonly maxKept: number
  /** Called at most four times per second. */
  readonly emit: (changed: readonly ExportRun<About>[]) => void
}

type Order<About> = {
  readonly about: About
  readonly names: readonly string[]
  readonly total: number | null
  readonly reports?: TaskReports
  readonly write: (
    worker: Host<TaskCalls>,
    paths: readonly string[],
  ) => Promise<WrittenFile & Progress>
  /** An export that fails before its rows are counted is refused and not listed. */
  readonly isCounted?: boolean
}

export function createExportRuns<About>(deps: ExportRunsDeps<About>) {
  const runs = new Map<number, Run<About>>()
  let lastId = 0
  const notifier = createChangeNotifier({
    ...deps,
    emit(ids) {
      const changed = ids.flatMap((id) => runs.get(id) ?? []).map(view)
      if (changed.length > 0) deps.emit(changed)
    },
    running: () => [...runs].filter(([, run]) => isRunning(run)).map(([id]) => id),
  })

  function view(run: Run<About>): ExportRun<About> {
    const files = run.state.files.map((file) => deps.files.stillThere(file))
    return { ...run.state, files, rate: isRunning(run) ? run.meter.rate() : null }
  }

  function change(run: Run<About>, part: Partial<Run<About>['state']>): void {
    run.state = { ...run.state, ...part }
    notifier.tell(run.state.id)
  }

  function find(id: number): Run<About> {
    const run = runs.get(id)
    if (run !== undefined) return run
    throw new AppError(
      deps.codes.unknown,
      'This export no longer exists: it has expired, or was made before Tondesk was restarted.',
    )
  }

  async function start(order: Order<About>): Promise<ExportRun<About>> {
    const { about, names, total } = order
    const begun: BegunFile[] = []
    for (const name of names) begun.push(await deps.files.begin(name, deps.codes.unwritable))
    const counted = Promise.withResolvers<null>()
    if (order.isCounted !== true) counted.resolve(null)
    const worker = deps.startWork<TaskCalls, TaskReports>({
      ...order.reports,
      counted(rows) {
        change(run, { total: rows })
        counted.resolve(null)
      },
      progress({ rows, bytes }) {
        if (!isRunning(run)) return
        run.meter.count(rows - run.state.rows)
        change(run, { rows, bytes })
      },
    })
    lastId += 1
    const run: Run<About> = {
      state: {
        about,
        total,
        id: lastId,
        state: 'running',
        problem: null,
        rows: 0,
        bytes: 0,
        sha256: null,
        files: [],
      },
      meter: createRateMeter(deps.now),
      worker,
      begun,
    }
    runs.set(lastId, run)
    const old = [...runs.values()].filter((each) => !isRunning(each)).slice(0, -deps.maxKept)
    for (const { state } of old) runs.delete(state.id)
    const problem = await Promise.race([counted.promise, follow(run, order)])
    if (problem !== null && !runs.has(run.state.id)) throw problem
    return view(run)
  }

  /** Never rejects. @returns the error */
  async function follow(
    run: Run<About>,
    { write, isCounted = false }: Order<About>,
  ): Promise<Error | null> {
    try {
      const paths = run.begun.map(({ path }) => path)
      const { rows, bytes, sha256 } = await write(run.worker, paths)
      await run.worker.stop()
      if (!isRunning(run)) return null
      const files = await Promise.all(run.begun.map((file) => file.keep()))
      change(run, { state: 'done', rows, total: rows, bytes, sha256, files })
      return null
    } catch (cause) {
      await discard(run)
      const error = toError(cause)
      if (isCounted && run.state.total === null) runs.delete(run.state.id)
      if (!isRunning(run)) return error
      if (error instanceof AppError) change(run, { state: 'failed', problem: error.message })
      else {
        deps.onBug(error)
        change(run, { state: 'failed', problem: `The export failed: ${error.message}` })
      }
      return error
    }
  }

  async function discard({ worker, begun }: Run<About>): Promise<void> {
    await worker.stop()
    await Promise.all(begun.map((file) => file.discard()))
  }

  async function cancel(run: Run<About>): Promise<void> {
    if (!isRunning(run)) return
    change(run, { state: 'cancelled' })
    await discard(run)
  }

  async function cancelAll(which: (about: About) => boolean): Promise<void> {
    await Promise.all([...runs.values()].filter(({ state }) => which(state.about)).map(cancel))
  }

  return {
    start,
    get: (id: number) => view(find(id)),
    list: () => [...runs.values()].map(view).reverse(),
    async cancel(id: number): Promise<ExportRun<About>> {
      const run = find(id)
      await cancel(run)
      return view(run)
    },
    cancelAll,
    async stop(): Promise<void> {
      await cancelAll(() => true)
      notifier.stop()
    },
  }
}

function isRunning({ state }: Pick<Run<unknown>, 'state'>): boolean {
  return state.state === 'running'
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
