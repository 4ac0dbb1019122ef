import { basename } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import type { InvoiceExport } from '../../src-preload/contract/invoice-export.ts'
import type {
  InvoiceJob,
  InvoiceJobItem,
  IssueDraft,
} from '../../src-preload/contract/invoice-job.ts'
import type { Invoice } from '../../src-preload/contract/invoice.ts'
import type { Network, NetworkId } from '../../src-preload/contract/network.ts'
import type { Input } from '../../src-preload/contract/routes.ts'
import { decimalsOf, formatAmount } from '../../src-preload/domain/amount.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { type Invocation, exitCodes } from './command.ts'
import { checkTarget, exportGone, openInput, saveExport, saveTogether } from './files.ts'
import { followJob, sentence } from './follow-job.ts'
import type { AskedCreate, AskedExport, AskedInvoices } from './invoices-options.ts'
import { type Session, confirm } from './session.ts'
import { plain, printEvent } from './terminal.ts'

export type InvoicesWork = (
  session: Session,
  network: Network,
  asked: AskedInvoices,
  invocation: Invocation,
) => Promise<number>

/** Exit code of completed work with refused, unclear or differing invoices. */
export const someLeft = 3

export function money(units: string, currency: Invoice['currency']): string {
  return `${formatAmount(BigInt(units), decimalsOf[currency])} ${currency}`
}

function unasked({ action }: AskedInvoices): string {
  return `Nobody can be asked here: \`tondesk invoices ${action}\` needs --yes.`
}

const maxShown = 20

/** A draft is saved first, so that the invoice is issued only once. */
export function create(wanted: AskedCreate): InvoicesWork {
  return async (session, network, asked, invocation) => {
    const { terminal } = invocation
    const id =
      wanted.kind === 'draft'
        ? wanted.id
        : await draft(session, network.id, wanted, asked, invocation)
    const goOn = `\`tondesk invoices create --draft ${id}\` goes on, and creates nothing twice.`
    terminal.note(`Draft ${id}. Should this break off, ${goOn}`)
    const job = await session.call('invoiceIssue.start', { draft: id })
    return endJob(session, job, goOn, invocation)
  }
}

async function draft(
  session: Session,
  network: NetworkId,
  wanted: Exclude<AskedCreate, { kind: 'draft' }>,
  asked: AskedInvoices,
  invocation: Invocation,
): Promise<string> {
  const { terminal, options } = invocation
  const made = await make(session, network, wanted)
  const { id, valid, invalid, beyond, remarks, totals } = made
  try {
    for (const remark of wanted.kind === 'file' ? remarks : []) terminal.note(plain(remark))
    const page = { draft: id, offset: 0, limit: 1000 }
    const { lines } = await session.call('invoiceIssue.lines', page)
    const told = lines.filter(({ problem, warning }) => problem !== null || warning !== null)
    for (const { line, problem, warning } of told.slice(0, maxShown)) {
      terminal.note(`Line ${line}: ${plain(problem ?? warning ?? '')}`)
    }
    if (told.length > maxShown) terminal.note(`… and ${told.length - maxShown} more.`)
    if (valid === 0) throw new AppError('NOTHING_TO_CREATE', 'None of it can be created.')
    if ((invalid > 0 || beyond > 0) && options['skip-invalid'] !== true) {
      const wrong = `${invalid + beyond} of ${invalid + beyond + valid} lines cannot be created.`
      const wayOut = 'Mend them, or add --skip-invalid to leave them out.'
      throw new AppError('LINES_INVALID', `${wrong} ${wayOut}`)
    }
    const sums = totals.map(
      ({ count, amount, currency }) => `${count} of ${money(amount, currency)}`,
    )
    const isPlain = wanted.kind === 'one' && told.length === 0
    if (!isPlain) await confirm(`Create ${sums.join(' and ')} in all?`, unasked(asked), invocation)
    return id
  } catch (error) {
    await session.call('invoiceIssue.discard', { draft: id })
    throw error
  }
}

async function make(
  session: Session,
  network: NetworkId,
  wanted: Exclude<AskedCreate, { kind: 'draft' }>,
): Promise<IssueDraft> {
  if (wanted.kind === 'one') {
    return session.call('invoiceIssue.draft', { network, lines: [wanted.line] })
  }
  const { path, currency, lifeTimeSeconds } = wanted
  const text = await readText(path === null ? process.stdin : openInput(path, 'The file'))
  return session.call('invoiceIssue.draftFile', { network, text, currency, lifeTimeSeconds })
}

export const cancel: InvoicesWork = async (session, network, asked, invocation) => {
  const { ids, filter } = asked
  const byFilter = ids.length === 0
  const count = byFilter ? await countPending() : ids.length
  invocation.terminal.note(`${count} ${count === 1 ? 'invoice' : 'invoices'} to cancel.`)
  await confirm('A cancelled invoice stays cancelled. Cancel?', unasked(asked), invocation)
  const job = await session.call('invoiceCancel.start', {
    network: network.id,
    invoices: byFilter ? { filter } : { ids: [...ids] },
  })
  const wayOn = 'Run it again: what is cancelled is left out.'
  return endJob(session, job, wayOn, invocation)

  async function countPending(): Promise<number> {
    const pending = { ...filter, statuses: ['pending'] }
    const page = { network: network.id, filter: pending, limit: 1 }
    return (await session.call('invoice.page', page)).total
  }
}

/** Reads the local ledger only; sends no request to a network. */
export function exportInvoices(wanted: AskedExport): InvoicesWork {
  return async (session, network, asked, invocation) => {
    const { output } = wanted
    const { options, terminal } = invocation
    const targets = output === null ? [] : [output, `${output}.manifest.json`]
    // Checked first, since a failure after the export would be late.
    for (const target of targets) await checkTarget(target, options['force'] === true)

    const begun = await session.call('invoiceExport.start', orderOf(network.id, asked, wanted))
    const { id } = begun
    const done = await followJob<InvoiceExport>(
      session,
      {
        ...{ id, name: 'The export', wayOn: 'Run it again.' },
        get: () => session.call('invoiceExport.get', { id }),
        pause: () => session.call('invoiceExport.cancel', { id }),
        jobsIn: ({ name, payload }) => (name === 'invoiceExport.changed' ? payload.exports : []),
        countsOf: (each) => [each.rows, each.total],
      },
      invocation,
    )
    const { file, manifest, rows, bytes, sha256 } = done
    if (file === null || manifest === null) throw exportGone()
    const [saved = '', beside = ''] = targets
    if (output === null) await saveExport(session, file, null, terminal)
    else {
      await saveTogether(session, [
        { file, output: saved },
        { file: manifest, output: beside },
      ])
    }
    const told = { event: 'exported', file: saved, manifest: beside, rows, bytes, sha256 }
    await printEvent(invocation, told)
    terminal.note(`${rows} rows, ${bytes} bytes, SHA-256 ${sha256 ?? ''}.`)
    if (output !== null) terminal.note(`Written to ${saved}, with its manifest beside it.`)
    return exitCodes.ok
  }
}

function orderOf(
  network: NetworkId,
  { filter }: AskedInvoices,
  { output, closing, ...options }: AskedExport,
): Input<'invoiceExport.start'> {
  const { from, to } = filter.period ?? { from: null, to: null }
  return {
    network,
    subject:
      closing && from !== null && to !== null
        ? { kind: 'closing', from, to }
        : { kind: 'invoices', filter, sort: { by: 'created', descending: false } },
    options,
    name: output === null ? null : basename(output),
  }
}

const pageRows = 500

/** @param wayOn a sentence that says how to continue the job */
async function endJob(
  session: Session,
  begun: InvoiceJob,
  wayOn: string,
  invocation: Invocation,
): Promise<number> {
  const { id } = begun
  const { terminal } = invocation
  // A command's own app does not resume jobs at its start; for a running job this call does nothing.
  if (begun.state !== 'done') await session.call('invoiceJob.resume', { id })
  const job = await followJob<InvoiceJob>(
    session,
    {
      ...{ id, name: `Job ${id}`, wayOn },
      get: () => session.call('invoiceJob.get', { id }),
      pause: () => session.call('invoiceJob.pause', { id }),
      jobsIn: ({ name, payload }) => (name === 'invoiceJob.changed' ? payload.jobs : []),
      removed: 'invoiceJob.removed',
      countsOf: (each) => [each.done + each.failed + each.unclear, each.total],
    },
    invocation,
  )
  for await (const item of itemsOf(session, id)) {
    await printEvent(invocation, { event: 'invoice', job: id, ...item }, describe(item))
  }
  const { done, failed, unclear } = job
  await printEvent(invocation, { event: 'done', job: id, done, failed, unclear })
  terminal.note(`Done: ${done}; refused: ${failed}; unclear: ${unclear}.`)
  if (unclear > 0) {
    terminal.note(
      'What is unclear is not asked for again: look for it in the app, or in the console.',
    )
  }
  return failed + unclear === 0 ? exitCodes.ok : someLeft
}

async function* itemsOf(session: Session, id: number): AsyncGenerator<InvoiceJobItem> {
  for (let offset = 0; ; offset += pageRows) {
    const page = { id, offset, limit: pageRows }
    const { items } = await session.call('invoiceJob.items', page)
    yield* items
    if (items.length < pageRows) return
  }
}

function describe(item: InvoiceJobItem): string {
  const { state, invoice, amount, currency, paymentLink, message } = item
  const isDone = state === 'done'
  return sentence(
    [
      plain(invoice ?? '-').padEnd(10),
      money(amount, currency),
      !isDone && state,
      isDone && paymentLink !== null && plain(paymentLink),
      !isDone && message !== null && plain(message),
    ],
    '  ',
  )
}
