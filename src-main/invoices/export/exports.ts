/** Exports of the ledger: each runs in a thread, and is kept in mind as long as the app runs. */
import type { AppContext } from '../../app/context.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type {
  InvoiceExport,
  InvoiceExportOptions,
  InvoiceExportSubject,
} from '../../../src-preload/contract/invoice-export.ts'
import { invoiceExportCodes } from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { BegunFile } from '../../exports/export-files.ts'
import { unwritable } from '../../exports/file-sink.ts'
import { createChangeNotifier } from '../../jobs/change-notifier.ts'
import { type Pace, createPace } from '../../jobs/pace.ts'
import type { GatewayAccess } from '../parts.ts'
import type { ExportOrder } from './order.ts'
import { type ExportThread, runInThread } from './run-in-thread.ts'
import { createZoneTimes } from '../../exports/zone-times.ts'

export type InvoiceExportsDeps = Pick<AppContext, 'files' | 'now' | 'onBug' | 'wait'> & {
  readonly access: Pick<GatewayAccess, 'info'>
  readonly exporting: {
    /** Of `invoice-export-thread.ts`. */
    readonly thread: URL
    /** Path of the database. */
    readonly database: string
    readonly appVersion: string
  }
  /** How far it was read, and what it is by the gateway's clock. */
  readonly chain: (network: NetworkId) => ExportOrder['chain']
  readonly onChanged: (exports: readonly InvoiceExport[]) => void
}

type InvoiceExports = {
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `invoiceExport.${string}`>>
  /** Exports of a network that is gone end. */
  forget(network: NetworkId): Promise<void>
  stop(): Promise<void>
}

type Asked = Parameters<Handlers['invoiceExport.start']>[0]

type Run = {
  /** Without what is measured, and without the files. */
  state: Omit<InvoiceExport, 'rate' | 'secondsLeft'>
  readonly pace: Pace
  readonly thread: ExportThread
  /** The file and its manifest. */
  readonly begun: readonly BegunFile[]
}

/** Older ones that have ended are forgotten. */
const maxKept = 50

export function createInvoiceExports(deps: InvoiceExportsDeps): InvoiceExports {
  const { access, files, exporting } = deps
  const runs = new Map<number, Run>()
  const previews = new Set<ExportThread>()
  let lastId = 0
  const notifier = createChangeNotifier({
    ...deps,
    emit(ids) {
      const changed = ids.flatMap((id) => view(runs.get(id)))
      if (changed.length > 0) deps.onChanged(changed)
    },
    running: () => [...runs.values()].filter(isRunning).map(({ state }) => state.id),
  })

  function view(run: Run | undefined): InvoiceExport[] {
    if (run === undefined) return []
    const { state, pace } = run
    const rate = isRunning(run) ? pace.rate() : null
    const left = state.total === null ? null : state.total - state.rows
    const still = (file: InvoiceExport['file']) =>
      file !== null && files.has(file.id) ? file : null
    return [
      {
        ...state,
        file: still(state.file),
        manifest: still(state.manifest),
        rate,
        secondsLeft: rate === null || rate === 0 || left === null ? null : Math.ceil(left / rate),
      },
    ]
  }

  function change(run: Run, part: Partial<Run['state']>): void {
    run.state = { ...run.state, ...part }
    notifier.tell(run.state.id)
  }

  function find(id: number): Run {
    const run = runs.get(id)
    if (run !== undefined) return run
    throw new AppError(
      invoiceExportCodes.unknown,
      'This export is not known: it was made before the last start of Tondesk, or long ago.',
    )
  }

  function orderOf(asked: Asked, target: ExportOrder['target'], at: number): ExportOrder {
    const { id, name, testOnly } = access.info(asked.network)
    const { database, appVersion } = exporting
    const { subject, options } = asked
    const network = { id, name, testOnly }
    return { database, appVersion, network, subject, options, at, target, chain: deps.chain(id) }
  }

  async function begin(name: string): Promise<BegunFile> {
    try {
      return await files.begin(name)
    } catch (error) {
      throw unwritable(invoiceExportCodes.unwritable, 'the folder for exports', error)
    }
  }

  /** @throws AppError when it is refused before its first row */
  async function start(asked: Asked): Promise<InvoiceExport> {
    checkZone(asked.options.zone)
    const at = deps.now()
    // Of an unknown network nothing is begun.
    access.info(asked.network)
    const { network, subject, options } = asked
    const name = asked.name ?? fileName(network, subject, options, at)
    const begun = [await begin(name), await begin(`${name}.manifest.json`)]
    const [file, manifest] = begun.map(({ path }) => path)
    const target = { file: file ?? '', manifest: manifest ?? '', name }
    const counted = Promise.withResolvers<null>()

    const thread = runInThread(exporting.thread, orderOf(asked, target, at), {
      counted(total) {
        if (!isRunning(run)) return
        runs.set(run.state.id, run)
        prune()
        change(run, { total })
        counted.resolve(null)
      },
      progress({ rows, bytes }) {
        if (!isRunning(run)) return
        run.pace.count(rows - run.state.rows)
        change(run, { rows, bytes })
      },
    })
    lastId += 1
    const run: Run = {
      state: {
        id: lastId,
        network: asked.network,
        format: asked.options.format,
        kind: asked.subject.kind,
        state: 'running',
        problem: null,
        ...{ rows: 0, total: null, bytes: 0 },
        ...{ file: null, manifest: null, sha256: null },
      },
      pace: createPace(deps.now),
      thread,
      begun,
    }

    const ended = follow(run)
    const problem = await Promise.race([counted.promise, ended])
    // One that has not even counted its rows is none.
    if (problem !== null && !runs.has(run.state.id)) throw problem
    return only(view(run))
  }

  /** Never rejects. @returns what it has failed of */
  async function follow(run: Run): Promise<Error | null> {
    try {
      const { written } = await run.thread.done
      if (!isRunning(run) || written === null) return null
      const [file = null, manifest = null] = await Promise.all(run.begun.map((each) => each.keep()))
      const { rows, bytes, sha256 } = written
      change(run, { state: 'done', rows, total: rows, bytes, sha256, file, manifest })
      return null
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      const isBug = isRunning(run) && !(error instanceof AppError)
      if (isBug) deps.onBug(error)
      await run.thread.stop()
      await discard(run)
      const problem = error.message
      if (isRunning(run)) {
        change(run, {
          state: 'failed',
          problem: isBug ? `The export has failed: ${problem}` : problem,
        })
      }
      return error
    }
  }

  async function end(run: Run): Promise<void> {
    if (!isRunning(run)) return
    change(run, { state: 'cancelled' })
    await run.thread.stop()
    await discard(run)
  }

  function prune(): void {
    const old = [...runs.values()].filter((run) => !isRunning(run)).slice(0, -maxKept)
    for (const { state } of old) runs.delete(state.id)
  }

  async function endAll(of: (run: Run) => boolean): Promise<void> {
    await Promise.all([...runs.values()].filter(of).map(end))
  }

  return {
    handlers: {
      'invoiceExport.start': start,
      async 'invoiceExport.preview'(asked) {
        checkZone(asked.options.zone)
        const order = orderOf(asked, null, deps.now())
        const nothing = () => undefined
        const thread = runInThread(exporting.thread, order, { counted: nothing, progress: nothing })
        previews.add(thread)
        try {
          const { preview } = await thread.done
          return { lines: [...(preview?.lines ?? [])], total: preview?.total ?? 0 }
        } finally {
          previews.delete(thread)
        }
      },
      'invoiceExport.get': ({ id }) => only(view(find(id))),
      'invoiceExport.list': ({ network }) =>
        [...runs.values()]
          .filter(({ state }) => state.network === network)
          .flatMap(view)
          .reverse(),
      async 'invoiceExport.cancel'({ id }) {
        const run = find(id)
        await end(run)
        return only(view(run))
      },
    },
    forget: (network) => endAll(({ state }) => state.network === network),
    async stop() {
      await Promise.all([endAll(() => true), ...[...previews].map((thread) => thread.stop())])
      notifier.stop()
    },
  }
}

function isRunning({ state }: Run): boolean {
  return state.state === 'running'
}

async function discard({ begun }: Run): Promise<void> {
  await Promise.all(begun.map((file) => file.discard()))
}

function only(views: readonly InvoiceExport[]): InvoiceExport {
  const [view] = views
  if (view === undefined) throw new Error('An export has no view.')
  return view
}

/** @throws AppError INVOICE_EXPORT_ZONE */
function checkZone(zone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch (cause) {
    throw new AppError(
      invoiceExportCodes.zone,
      `"${zone}" is no time zone. Give a name such as Europe/Berlin, or UTC.`,
      { cause },
    )
  }
}

/** What an export is to be saved as: `invoices-mainnet-2026-01-31.csv`, by the zone's day. */
function fileName(
  network: string,
  subject: InvoiceExportSubject,
  { format, zone }: InvoiceExportOptions,
  at: number,
): string {
  const times = createZoneTimes(zone)
  const day = (ms: number) => times.print(ms).slice(0, 10)
  const safe = network.replace(/[^\w-]+/g, '-')
  if (subject.kind === 'invoices') return `invoices-${safe}-${day(at)}.${format}`
  const [first, last] = [day(subject.from), day(subject.to - 1)]
  return `closing-${safe}-${first === last ? first : `${first}-to-${last}`}.${format}`
}
