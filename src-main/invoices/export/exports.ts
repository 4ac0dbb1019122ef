import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import {
  type InvoiceExport,
  type InvoiceExportSubject,
  mappedColumn,
} from '../../../src-preload/contract/invoice-export.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { coinName } from '../../../src-preload/domain/amount.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { invoiceExportCodes } from '../../../src-preload/domain/error-codes.ts'
import { type ExportRun, createExportRuns } from '../../exports/export-runs.ts'
import { createLogoRoutes } from '../../exports/logo.ts'
import { type ZoneTimes, zoneTimesOf } from '../../exports/zone-times.ts'
import type { Host } from '../../threads/rpc.ts'
import type { TaskCalls, TaskReports } from '../../threads/task-process.ts'
import { taskEntry } from '../../threads/threads.ts'
import type { InvoicesContext } from '../context.ts'
import type { InvoiceExportOrder } from './content.ts'

type Asked = Parameters<Handlers['invoiceExport.start']>[0]

type About = Pick<InvoiceExport, 'network' | 'format' | 'kind'>

type Parts = {
  /** How far a network's chain was read, and the time by the gateway's clock. */
  readonly chain: (network: NetworkId) => InvoiceExportOrder['chain']
  readonly fiat: (network: NetworkId) => InvoiceExportOrder['fiat']
}

export function createInvoiceExports(context: InvoicesContext, { chain, fiat }: Parts) {
  const { access, config, events, now, paths, settings } = context
  const startWork = context.startWork(taskEntry, 1024)
  const previews = new Set<Host<TaskCalls>>()
  const runs = createExportRuns<About>({
    ...context,
    startWork,
    codes: invoiceExportCodes,
    maxKept: 50,
    emit: (changed) => events.emit('invoiceExport.changed', { exports: changed.map(toView) }),
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
    /** @throws AppError when the export is refused before its first row */
    async 'invoiceExport.start'(requested) {
      const { network, subject, options } = requested
      const times = zoneTimesOf(options.zone, invoiceExportCodes.zone)
      // An unknown network throws before anything starts.
      access.info(network)
      const at = now()
      const name = requested.name ?? `${fileName(network, subject, times, at)}.${options.format}`
      const run = await runs.start({
        about: { network, format: options.format, kind: subject.kind },
        names: [name, `${name}.manifest.json`],
        total: null,
        isCounted: true,
        write: (worker, [file = '', manifest = '']) =>
          worker.call('exportInvoices', orderOf(requested, { file, manifest, name }, at)),
      })
      return toView(run)
    },
    async 'invoiceExport.preview'(requested) {
      zoneTimesOf(requested.options.zone, invoiceExportCodes.zone)
      const order = orderOf(requested, null, now())
      const worker = startWork<TaskCalls>({})
      previews.add(worker)
      try {
        return await worker.call('previewInvoices', order)
      } finally {
        previews.delete(worker)
        await worker.stop()
      }
    },
    'invoiceExport.get': ({ id }) => toView(runs.get(id)),
    'invoiceExport.list': ({ network }) =>
      runs.list().flatMap((run) => (run.about.network === network ? [toView(run)] : [])),
    'invoiceExport.cancel': async ({ id }) => toView(await runs.cancel(id)),
  }

  /** Both files appear in the folder as a whole or not at all; files of the same name are replaced. */
  async function save(requested: Asked, folder: string): Promise<string> {
    const at = now()
    const times = zoneTimesOf(requested.options.zone, invoiceExportCodes.zone)
    const name = `${fileName(requested.network, requested.subject, times, at)}.${requested.options.format}`
    const path = join(folder, name)
    const partial = join(folder, `.${name}.part`)
    const files = [partial, `${partial}.manifest`] as const
    const discard = () => Promise.all(files.map((file) => rm(file, { force: true })))
    const ignored = { counted: () => undefined, progress: () => undefined }
    const worker = startWork<TaskCalls, TaskReports>(ignored)
    previews.add(worker)
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
    } finally {
      previews.delete(worker)
      await worker.stop()
    }
  }

  return {
    save,
    handlers: { ...handlers, ...createLogoRoutes(paths.logo), ...createExportViewRoutes(context) },
    forget: (network: NetworkId) => runs.cancelAll((about) => about.network === network),
    async stop(): Promise<void> {
      await Promise.all([runs.stop(), ...[...previews].map((worker) => worker.stop())])
    },
  }
}

type ExportViewRoutes = Pick<Handlers, `exportView.${'list' | 'save' | 'remove'}`>

function createExportViewRoutes({ events, store }: InvoicesContext): ExportViewRoutes {
  const { exportViews } = store
  const unknown = () =>
    new AppError(invoiceExportCodes.viewUnknown, 'This view no longer exists. Save it again.')
  const changed = () => events.emit('exportView.changed', {})
  return {
    // Columns of another version are left out.
    'exportView.list': () =>
      exportViews.all().flatMap(({ id, name, columns }) => {
        const known = z.array(z.unknown()).catch([]).parse(columns)
        const read = known.flatMap((each) => mappedColumn.safeParse(each).data ?? [])
        return read.length === 0 ? [] : [{ id, name, columns: read }]
      }),
    'exportView.save'({ id, name, columns }) {
      if (id !== null && !exportViews.replace({ id, name, columns })) throw unknown()
      const view = { id: id ?? exportViews.add({ name, columns }), name, columns }
      changed()
      return view
    },
    'exportView.remove'({ id }) {
      if (!exportViews.remove(id)) throw unknown()
      changed()
      return {}
    },
  }
}

function toView(run: ExportRun<About>): InvoiceExport {
  const { about, id, state, problem, rows, total, bytes, sha256, rate } = run
  const [file = null, manifest = null] = run.files
  const left = total === null ? null : total - rows
  return {
    ...about,
    id,
    state,
    problem,
    rows,
    total,
    bytes,
    sha256,
    rate,
    file,
    manifest,
    secondsLeft: rate === null || rate === 0 || left === null ? null : Math.ceil(left / rate),
  }
}

/** For example `invoices-mainnet-2026-01-31`; the day is that of the zone. */
function fileName(
  network: string,
  subject: InvoiceExportSubject,
  times: ZoneTimes,
  at: number,
): string {
  const day = (ms: number) => times.print(ms).slice(0, 10)
  const safe = network.replace(/[^\w-]+/g, '-')
  if (subject.kind === 'invoices') return `invoices-${safe}-${day(at)}`
  const [first, last] = [day(subject.from), day(subject.to - 1)]
  return `closing-${safe}-${first === last ? first : `${first}-to-${last}`}`
}
