import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import {
  type ExportView,
  type InvoiceExport,
  mappedColumn,
} from '../../../src-preload/contract/invoice-export.ts'
import { coinName } from '../../../src-preload/domain/amount.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { invoiceExportCodes } from '../../../src-preload/domain/error-codes.ts'
import { createSavedViews } from '../../database/saved-views.ts'
import { json } from '../../database/sql.ts'
import { type ExportRun, createExportRuns } from '../../exports/export-runs.ts'
import { createLogoRoutes } from '../../exports/logo.ts'
import { zoneTimesOf } from '../../exports/zone-times.ts'
import type { Host } from '../../threads/rpc.ts'
import type { TaskCalls, TaskReports } from '../../threads/task-process.ts'
import { taskEntry } from '../../threads/threads.ts'
import type { InvoicesContext } from '../context.ts'
import type { InvoiceExportOrder } from './content.ts'

type Asked = Parameters<Handlers['invoiceExport.start']>[0]

type About = Pick<InvoiceExport, 'network' | 'format' | 'kind'>

type Parts = {
  /** How far a network's chain was read, and the time of the gateway's clock. */
  readonly chain: (network: NetworkId) => InvoiceExportOrder['chain']
  readonly fiat: (network: NetworkId) => InvoiceExportOrder['fiat']
}

export function createInvoiceExports(context: InvoicesContext, { chain, fiat }: Parts) {
  const { access, config, now, paths, settings } = context
  const startWork = context.startWork(taskEntry, 1024)
  const unlisted = createUnlistedWork()
  const runs = createExportRuns('invoiceExport', {
    ...context,
    startWork,
    codes: invoiceExportCodes,
    maxEnded: 50,
    show: toView,
  })

  function orderOf(
    { network: id, subject, options }: Asked,
    target: InvoiceExportOrder['target'],
    at: number,
  ): InvoiceExportOrder {
    const { name, testOnly } = access.info(id)
    return {
      database: paths.database,
      appVersion: config.version,
      chain: chain(id),
      fiat: fiat(id),
      network: { id, name, testOnly },
      subject,
      options,
      at,
      target,
      coin: coinName(),
      merchantName: settings.get().reports.merchantName,
      logo: paths.logo,
    }
  }

  const handlers: Pick<Handlers, Extract<keyof Handlers, `invoiceExport.${string}`>> = {
    /** @throws AppError if the export is refused before its first row */
    async 'invoiceExport.start'(requested) {
      const { network, subject, options } = requested
      const at = now()
      const usual = fileName(requested, at)
      // An unknown network throws before anything starts.
      access.info(network)
      const name = requested.name ?? usual
      return runs.start({
        about: { network, format: options.format, kind: subject.kind },
        network,
        names: [name, `${name}.manifest.json`],
        total: null,
        isCounted: true,
        write: (worker, [file = '', manifest = '']) =>
          worker.call('exportInvoices', orderOf(requested, { file, manifest, name }, at)),
      })
    },
    async 'invoiceExport.preview'(requested) {
      zoneTimesOf(requested.options.zone, invoiceExportCodes.zone)
      const order = orderOf(requested, null, now())
      return unlisted.run(startWork<TaskCalls>({}), (worker) =>
        worker.call('previewInvoices', order),
      )
    },
  }

  /** Both files appear in the folder completely or not at all; files with the same names are replaced. */
  async function save(requested: Asked, folder: string): Promise<string> {
    const at = now()
    const name = fileName(requested, at)
    const path = join(folder, name)
    const partial = join(folder, `.${name}.part`)
    const files = [partial, `${partial}.manifest`] as const
    const discard = () => Promise.all(files.map((file) => rm(file, { force: true })))
    const ignored = { counted: () => undefined, progress: () => undefined }
    return unlisted.run(startWork<TaskCalls, TaskReports>(ignored), async (worker) => {
      try {
        await discard()
        const target = { file: partial, manifest: `${partial}.manifest`, name }
        await worker.call('exportInvoices', orderOf(requested, target, at))
        await rename(files[1], `${path}.manifest.json`)
        await rename(partial, path)
        return path
      } catch (error) {
        await discard().catch(() => undefined)
        throw error
      }
    })
  }

  return {
    save,
    handlers: { ...handlers, ...createLogoRoutes(paths.logo), ...createExportViewRoutes(context) },
    forget: (network: NetworkId) => runs.cancelAll(network),
    stop: unlisted.stop,
  }
}

/** Runs task processes that are not in the list of exports. */
function createUnlistedWork() {
  const workers = new Set<Host<TaskCalls>>()
  return {
    async run<T>(
      worker: Host<TaskCalls>,
      work: (worker: Host<TaskCalls>) => Promise<T>,
    ): Promise<T> {
      workers.add(worker)
      try {
        return await work(worker)
      } finally {
        workers.delete(worker)
        await worker.stop()
      }
    },
    stop: () => Promise.all([...workers].map((worker) => worker.stop())),
  }
}

type ExportViewRoutes = Pick<Handlers, `exportView.${'list' | 'save' | 'remove'}`>

function createExportViewRoutes({ database, events }: InvoicesContext): ExportViewRoutes {
  const views = createSavedViews<ExportView>(
    database,
    ['invoice_export_views', 'name, columns'],
    { columns: json },
    [invoiceExportCodes.viewUnknown, 'This view no longer exists. Save it again.'],
    () => events.emit('exportView.changed', {}),
  )
  return {
    // Columns that this version does not know are omitted.
    'exportView.list': () =>
      views.all().flatMap(({ id, name, columns }) => {
        const known = z.array(z.unknown()).catch([]).parse(columns)
        const read = known.flatMap((each) => mappedColumn.safeParse(each).data ?? [])
        return read.length === 0 ? [] : [{ id, name, columns: read }]
      }),
    'exportView.save': ({ id, ...view }) => ({ id: views.save(id, view), ...view }),
    'exportView.remove': views.remove,
  }
}

function toView({ about, files, ...run }: ExportRun<About>): InvoiceExport {
  const [file = null, manifest = null] = files
  return { ...about, ...run, file, manifest }
}

/**
 * A file name such as `invoices-mainnet-2026-01-31.csv`, with the day in the zone. @throws AppError
 * for an unknown zone
 */
function fileName({ network, subject, options: { zone, format } }: Asked, at: number): string {
  const times = zoneTimesOf(zone, invoiceExportCodes.zone)
  const day = (ms: number) => times.print(ms).slice(0, 10)
  const safe = network.replace(/[^\w-]+/g, '-')
  if (subject.kind === 'invoices') return `invoices-${safe}-${day(at)}.${format}`
  const [first, last] = [day(subject.from), day(subject.to - 1)]
  return `closing-${safe}-${first === last ? first : `${first}-to-${last}`}.${format}`
}
