import type { AppContext } from '../../app/context.ts'
import type {
  CaptureExport,
  CaptureExportOptions,
} from '../../../src-preload/contract/capture-files.ts'
import type { Handlers, Parsed } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { captureFileCodes } from '../../../src-preload/domain/error-codes.ts'
import { type ExportRun, createExportRuns } from '../../exports/export-runs.ts'
import type { StartWork } from '../../threads/rpc.ts'
import type { CaptureFinder } from '../query/capture-queries.ts'
import type { MoreIds } from './orders.ts'

const idsAtOnce = 2_000

type ExportHandlers = Pick<Handlers, 'captureExport.start'>

type Format = Pick<CaptureExport, 'format'>

export function createExports(
  context: AppContext,
  finder: CaptureFinder,
  startWork: StartWork,
): ExportHandlers {
  const { config, now, paths } = context
  const runs = createExportRuns('captureExport', {
    ...context,
    startWork,
    codes: captureFileCodes,
    maxEnded: 20,
    show: toView,
  })

  async function start(requested: Parsed<'captureExport.start'>): Promise<CaptureExport> {
    const { subject, format, reveal, pseudonyms } = requested
    // Counting first reports an invalid query before a file is begun.
    const counted = subject.kind === 'query' ? await finder.count(subject.text) : null
    if (counted?.isExact === true && counted.count === 0) {
      throw new AppError(
        captureFileCodes.nothing,
        'No captures match the query, so there is nothing to export.',
      )
    }
    const ids = idsOf(finder, subject)
    const at = now()
    const exactCount = counted?.isExact === true ? counted.count : null
    return runs.start({
      about: { format },
      names: [`captures-${new Date(at).toISOString().slice(0, 10)}.${format}`],
      total: subject.kind === 'captures' ? new Set(subject.ids).size : exactCount,
      reports: { next: async () => (await ids.next()).value },
      write: (worker, [path = '']) =>
        worker.call('exportCaptures', {
          database: paths.database,
          index: paths.index,
          path,
          format,
          reveal,
          pseudonyms,
          appVersion: config.version,
          at: at * 1000,
          subject: nameOf(subject),
        }),
    })
  }

  return { 'captureExport.start': start }
}

function toView(run: ExportRun<Format>): CaptureExport {
  const { about, id, state, problem, rows, total, bytes, files } = run
  const [file = null] = files
  return { id, format: about.format, state, problem, captures: rows, total, bytes, file }
}

type Subject = CaptureExportOptions['subject']

function nameOf(subject: Subject): string {
  if (subject.kind === 'query') return subject.text.trim() === '' ? 'all' : subject.text.trim()
  const [first] = subject.ids
  return subject.ids.length === 1 ? `capture ${first ?? ''}` : `${subject.ids.length} captures`
}

/** Ids are ascending and come in pages, because a query may find a million. */
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
