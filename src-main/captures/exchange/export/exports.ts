/** Exports of captures: each is written by a process of its own, and kept in mind as long as the app runs. */
import type { AppContext } from '../../../app/context.ts'
import type {
  CaptureExport,
  CaptureExportOptions,
} from '../../../../src-preload/contract/exchange.ts'
import { exchangeCodes } from '../../../../src-preload/domain/error-codes.ts'
import type { Handlers, Parsed } from '../../../../src-preload/contract/routes.ts'
import { AppError } from '../../../../src-preload/domain/app-error.ts'
import type { BegunFile } from '../../../exports/export-files.ts'
import { unwritable } from '../../../exports/file-sink.ts'
import { createChangeNotifier } from '../../../jobs/change-notifier.ts'
import type { ExchangeCalls } from '../../../threads/exchange-process.ts'
import { type Host, type StartWork, WorkEnded } from '../../../threads/rpc.ts'
import type { CaptureFinder } from '../../query/capture-queries.ts'
import type { ExportOrder, ExportReports, Exporting, MoreIds } from '../orders.ts'

export type ExportsDeps = Pick<AppContext, 'files' | 'now' | 'onBug' | 'wait'> & {
  readonly finder: CaptureFinder
  /** Of `exchange-process.ts`. */
  readonly startWork: StartWork
  readonly paths: { readonly database: string; readonly index: string }
  readonly appVersion: string
  readonly onChanged: (exports: readonly CaptureExport[]) => void
}

type Run = {
  state: CaptureExport
  readonly worker: Host<ExchangeCalls>
  readonly written: Promise<Exporting>
  readonly begun: BegunFile
}

/** Ids on their way to the thread at a time. */
const idsAtOnce = 2_000
/** Older ones that have ended are forgotten. */
const maxKept = 20

type ExportHandlers = Pick<
  Handlers,
  'exchange.export' | 'exchange.exports' | 'exchange.cancelExport'
>

export function createExports(deps: ExportsDeps) {
  const runs = new Map<number, Run>()
  let lastId = 0
  const notifier = createChangeNotifier({
    ...deps,
    emit: () => deps.onChanged(list()),
    running: () => [],
  })

  function list(): CaptureExport[] {
    return [...runs.values()].map(view).reverse()
  }

  function view({ state }: Run): CaptureExport {
    const { file } = state
    return { ...state, file: file !== null && deps.files.has(file.id) ? file : null }
  }

  function change(run: Run, part: Partial<CaptureExport>): void {
    run.state = { ...run.state, ...part }
    notifier.tell(run.state.id)
  }

  async function start(asked: Parsed<'exchange.export'>): Promise<CaptureExport> {
    const { subject } = asked
    // Before a file is begun: what is wrong with the query is told by the answer.
    const counted = subject.kind === 'query' ? await deps.finder.count(subject.text) : null
    if (counted?.isExact === true && counted.count === 0) {
      throw new AppError(
        exchangeCodes.nothing,
        'The query finds nothing: there is nothing to export.',
      )
    }
    const ids = idsOf(deps.finder, subject)
    const at = deps.now()
    const begun = await begin(`captures-${new Date(at).toISOString().slice(0, 10)}.${asked.format}`)
    const order: ExportOrder = {
      ...deps.paths,
      format: asked.format,
      reveal: asked.reveal,
      pseudonyms: asked.pseudonyms,
      appVersion: deps.appVersion,
      at: at * 1000,
      subject: nameOf(subject),
      path: begun.path,
    }
    const worker = deps.startWork<ExchangeCalls, ExportReports>({
      next: async () => (await ids.next()).value,
      progress: (reached) => change(run, reached),
    })
    lastId += 1
    const total =
      subject.kind === 'captures'
        ? new Set(subject.ids).size
        : counted?.isExact === true
          ? counted.count
          : null
    const run: Run = {
      state: {
        id: lastId,
        format: asked.format,
        state: 'running',
        problem: null,
        ...{ captures: 0, total, bytes: 0, file: null },
      },
      worker,
      written: worker.call('export', order),
      begun,
    }
    runs.set(lastId, run)
    prune()
    follow(run).catch(deps.onBug)
    return view(run)
  }

  async function begin(name: string): Promise<BegunFile> {
    try {
      return await deps.files.begin(name)
    } catch (error) {
      throw unwritable(exchangeCodes.unwritable, 'the folder for exports', error)
    }
  }

  async function follow(run: Run): Promise<void> {
    try {
      const { captures, bytes } = await run.written
      await run.worker.stop()
      if (!isRunning(run)) return
      const file = await run.begun.keep()
      change(run, { state: 'done', captures, total: captures, bytes, file })
    } catch (cause) {
      await run.worker.stop()
      await run.begun.discard()
      if (!isRunning(run)) return
      const error = cause instanceof WorkEnded ? tooLarge(cause) : cause
      const isBug = !(error instanceof AppError)
      if (isBug) deps.onBug(error)
      const message = error instanceof Error ? error.message : String(error)
      const problem = isBug ? `The export has failed: ${message}` : message
      change(run, { state: 'failed', problem })
    }
  }

  async function end(run: Run): Promise<void> {
    if (!isRunning(run)) return
    change(run, { state: 'cancelled' })
    await run.worker.stop()
    await run.begun.discard()
  }

  function prune(): void {
    const old = [...runs.values()].filter((run) => !isRunning(run)).slice(0, -maxKept)
    for (const { state } of old) runs.delete(state.id)
  }

  const handlers: ExportHandlers = {
    'exchange.export': start,
    'exchange.exports': list,
    async 'exchange.cancelExport'({ id }) {
      const run = runs.get(id)
      if (run === undefined) {
        throw new AppError(
          exchangeCodes.unknown,
          'This export is not known: it was made before the last start of Tondesk, or long ago.',
        )
      }
      await end(run)
      return view(run)
    },
  }

  return {
    handlers,
    async stop(): Promise<void> {
      await Promise.all([...runs.values()].map(end))
      notifier.stop()
    },
  }
}

function tooLarge(cause: WorkEnded): AppError {
  return new AppError(
    exchangeCodes.tooLarge,
    `This export takes more memory than it may use (the process that wrote it ended: ${cause.message}). Export fewer captures, or leave out the largest.`,
    { cause },
  )
}

function isRunning({ state }: Run): boolean {
  return state.state === 'running'
}

type Subject = CaptureExportOptions['subject']

function nameOf(subject: Subject): string {
  if (subject.kind === 'query') return subject.text.trim() === '' ? 'all' : subject.text.trim()
  const [first] = subject.ids
  return subject.ids.length === 1 ? `capture ${first ?? ''}` : `${subject.ids.length} captures`
}

/** Ascending, in pages: a query may find a million. */
async function* idsOf(finder: CaptureFinder, subject: Subject): AsyncGenerator<MoreIds, MoreIds> {
  if (subject.kind === 'captures') {
    return { ids: [...new Set(subject.ids)].sort((a, b) => a - b), isLast: true }
  }
  for (let after = 0; ;) {
    const { ids, next } = await finder.ids(subject.text, after, idsAtOnce)
    if (next === null) return { ids, isLast: true }
    yield { ids, isLast: false }
    after = next
  }
}
