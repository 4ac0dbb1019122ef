import type { AppContext } from '../../app/context.ts'
import type {
  InvoiceExport,
  InvoiceExportOptions,
  InvoiceExportSubject,
} from '../../../src-preload/contract/invoice-export.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { invoiceExportCodes } from '../../../src-preload/domain/error-codes.ts'
import { type ExportRun, createExportRuns } from '../../exports/export-runs.ts'
import { createZoneTimes } from '../../exports/zone-times.ts'
import type { Host, StartWork } from '../../threads/rpc.ts'
import type { TaskCalls } from '../../threads/task-process.ts'
import type { GatewayAccess } from '../parts.ts'
import type { InvoiceExportOrder } from './content.ts'

export type InvoiceExportsDeps = Pick<AppContext, 'files' | 'now' | 'onBug' | 'wait'> & {
  readonly access: Pick<GatewayAccess, 'info'>
  readonly exporting: {
    readonly startWork: StartWork
    readonly database: string
    readonly appVersion: string
  }
  readonly chain: (network: NetworkId) => InvoiceExportOrder['chain']
  readonly onChanged: (exports: readonly InvoiceExport[]) => void
}

type Asked = Parameters<Handlers['invoiceExport.start']>[0]

type About = Pick<InvoiceExport, 'network' | 'format' | 'kind'>

export function createInvoiceExports(deps: InvoiceExportsDeps) {
  const { access, exporting } = deps
  const { startWork, database, appVersion } = exporting
  const previews = new Set<Host<TaskCalls>>()
  const runs = createExportRuns<About>({
    ...deps,
    startWork,
    codes: invoiceExportCodes,
    maxKept: 50,
    emit: (changed) => deps.onChanged(changed.map(toView)),
  })

  function orderOf(
    { network: id, subject, options }: Asked,
    target: InvoiceExportOrder['target'],
    at: number,
  ): InvoiceExportOrder {
    const { name, testOnly } = access.info(id)
    const network = { id, name, testOnly }
    return { database, appVersion, network, subject, options, at, target, chain: deps.chain(id) }
  }

  const handlers: Pick<Handlers, Extract<keyof Handlers, `invoiceExport.${string}`>> = {
    /** @throws AppError when the export is refused before its first row */
    async 'invoiceExport.start'(asked) {
      const { network, subject, options } = asked
      checkZone(options.zone)
      // An unknown network throws before anything starts.
      access.info(network)
      const at = deps.now()
      const name = asked.name ?? fileName(network, subject, options, at)
      const run = await runs.start({
        about: { network, format: options.format, kind: subject.kind },
        names: [name, `${name}.manifest.json`],
        total: null,
        isCounted: true,
        write: (worker, [file = '', manifest = '']) =>
          worker.call('exportInvoices', orderOf(asked, { file, manifest, name }, at)),
      })
      return toView(run)
    },
    async 'invoiceExport.preview'(asked) {
      checkZone(asked.options.zone)
      const order = orderOf(asked, null, deps.now())
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
      runs
        .list()
        .filter(({ about }) => about.network === network)
        .map(toView),
    'invoiceExport.cancel': async ({ id }) => toView(await runs.cancel(id)),
  }

  return {
    handlers,
    forget: (network: NetworkId) => runs.cancelAll((about) => about.network === network),
    async stop(): Promise<void> {
      await Promise.all([runs.stop(), ...[...previews].map((worker) => worker.stop())])
    },
  }
}

function toView(run: ExportRun<About>): InvoiceExport {
  const { about, id, state, problem, rows, total, bytes, sha256, rate } = run
  const [file = null, manifest = null] = run.files
  const left = total === null ? null : total - rows
  return {
    ...{ ...about, id, state, problem, rows, total, bytes, sha256, rate, file, manifest },
    secondsLeft: rate === null || rate === 0 || left === null ? null : Math.ceil(left / rate),
  }
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

/** For example `invoices-mainnet-2026-01-31.csv`; the day is that of the zone. */
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
