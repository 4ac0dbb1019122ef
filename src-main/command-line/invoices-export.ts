import { basename } from 'node:path'
import type { Input } from '../../src-preload/contract/routes.ts'
import type { InvoiceExport } from '../../src-preload/contract/invoice-export.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { checkTarget } from './check-target.ts'
import { exitCodes } from './command.ts'
import { followJob, progressLine } from './follow-job.ts'
import type { AskedExport, AskedInvoices } from './invoices-options.ts'
import type { InvoicesWork } from './invoices-work.ts'
import { saveExport, saveTogether } from './save-export.ts'

/** Of the local ledger: no network is asked. */
export function exportInvoices(wanted: AskedExport): InvoicesWork {
  return async (session, network, asked, invocation) => {
    const { output, force } = wanted
    const { terminal } = invocation
    const targets = output === null ? [] : [output, `${output}.manifest.json`]
    // Before anything is made: to find out in the end would be late.
    for (const target of targets) await checkTarget(target, force)

    const begun = await session.call('invoiceExport.start', orderOf(network.id, asked, wanted))
    const { id } = begun
    const done = await followJob<InvoiceExport>(
      session,
      {
        name: 'The export',
        wayOn: 'Run it again.',
        get: () => session.call('invoiceExport.get', { id }),
        pause: () => session.call('invoiceExport.cancel', { id }),
        seenIn: ({ name, payload }) =>
          name === 'invoiceExport.changed'
            ? payload.exports.find((each) => each.id === id)
            : undefined,
        progressOf: (each) => progressLine(each.rows, each.total ?? 0, each),
      },
      invocation,
    )
    const { file, manifest, rows, bytes, sha256 } = done
    if (file === null || manifest === null) {
      throw new AppError('EXPORT_GONE', 'The export made room for later ones: run it again.')
    }
    const [saved = '', beside = ''] = targets
    if (output === null) await saveExport(session, file, null, terminal)
    else {
      await saveTogether(session, [
        { file, output: saved },
        { file: manifest, output: beside },
      ])
    }
    const told = { event: 'exported', file: saved, manifest: beside, rows, bytes, sha256 }
    if (asked.json) await terminal.print(JSON.stringify(told))
    terminal.note(`${rows} rows, ${bytes} bytes, SHA-256 ${sha256 ?? ''}.`)
    if (output !== null) terminal.note(`Written to ${saved}, with its manifest beside it.`)
    return exitCodes.ok
  }
}

function orderOf(
  network: NetworkId,
  { filter, zone }: AskedInvoices,
  { format, output, closing, columns, separator, decimalMark }: AskedExport,
): Input<'invoiceExport.start'> {
  const { from, to } = filter.period ?? { from: null, to: null }
  return {
    network,
    subject:
      closing && from !== null && to !== null
        ? { kind: 'closing', from, to }
        : { kind: 'invoices', filter, sort: { by: 'created', descending: false } },
    options: { format, zone, columns: [...columns], separator, decimalMark },
    name: output === null ? null : basename(output),
  }
}
