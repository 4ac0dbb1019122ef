import { basename } from 'node:path'
import type {
  InvoiceJob,
  InvoiceJobItem,
  IssueDraft,
} from '../../src-preload/contract/invoice-job.ts'
import { formatMoney } from '../../src-preload/domain/amount.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { decodeTextFile } from '../../src-preload/domain/text-file.ts'
import { exitCodes } from './command.ts'
import { checkTarget, exportGone, openInput, saveExport, saveFiles } from './files.ts'
import { watchJob, joinSentence } from './watch-job.ts'
import { type RequestedInvoices, readCreate, readExport } from './invoices-options.ts'
import { type NetworkRun, confirm, finishJob, itemsOf } from './session.ts'
import { sanitize, writeEvent } from './terminal.ts'

export type InvoicesWork = (run: NetworkRun, requested: RequestedInvoices) => Promise<number>

export const someLeft = 3

const withoutDefaults = ({ action }: RequestedInvoices): string =>
  `Without a terminal, \`tondesk invoices ${action}\` needs --yes.`

const maxShown = 20

/** A draft is saved first, so that the invoice is issued only once. */
export const create: InvoicesWork = async (run, requested) => {
  const wanted = readCreate(run)
  const id = wanted.kind === 'draft' ? wanted.id : await draft(run, wanted, requested)
  const wayOn = `\`tondesk invoices create --draft ${id}\` continues without creating an invoice twice.`
  run.terminal.note(`Draft ${id}. After an interruption, ${wayOn}`)
  return endJob(run, await run.session.call('invoiceIssue.start', { draft: id }), wayOn)
}

type NewDraft = Exclude<ReturnType<typeof readCreate>, { kind: 'draft' }>

async function draft(
  run: NetworkRun,
  wanted: NewDraft,
  requested: RequestedInvoices,
): Promise<string> {
  const { session, terminal, options } = run
  const made = await make(run, wanted)
  const { id, valid, invalid, beyond, remarks, totals } = made
  try {
    for (const remark of wanted.kind === 'file' ? remarks : []) terminal.note(sanitize(remark))
    const page = { draft: id, offset: 0, limit: 1000 }
    const { lines } = await session.call('invoiceIssue.lines', page)
    const odd = lines.filter(({ problem, warning }) => problem !== null || warning !== null)
    for (const { line, problem, warning } of odd.slice(0, maxShown)) {
      terminal.note(`Line ${line}: ${sanitize(problem ?? warning ?? '')}`)
    }
    if (odd.length > maxShown) terminal.note(`… and ${odd.length - maxShown} more.`)
    if (valid === 0) throw new AppError('NOTHING_TO_CREATE', 'No invoice can be created.')
    const wrong = invalid + beyond
    if (wrong > 0 && options['skip-invalid'] !== true) {
      const message = `${wrong} of ${wrong + valid} lines are invalid. Fix them, or add --skip-invalid to skip them.`
      throw new AppError('LINES_INVALID', message)
    }
    const sums = totals.map(
      ({ count, amount, currency }) => `${count} of ${formatMoney(amount, currency)}`,
    )
    const isPlain = wanted.kind === 'one' && odd.length === 0
    if (!isPlain) await confirm(`Create ${sums.join(' and ')}?`, withoutDefaults(requested), run)
    return id
  } catch (error) {
    await session.call('invoiceIssue.discard', { draft: id })
    throw error
  }
}

async function make({ session, network }: NetworkRun, wanted: NewDraft): Promise<IssueDraft> {
  if (wanted.kind === 'one') {
    return session.call('invoiceIssue.draft', { network: network.id, lines: [wanted.line] })
  }
  const { path, currency, lifeTimeSeconds } = wanted
  const text = decodeTextFile(await Array.fromAsync(openInput(path, 'The file')))
  const file = { network: network.id, text, currency, lifeTimeSeconds }
  return session.call('invoiceIssue.draftFile', file)
}

export const cancel: InvoicesWork = async (run, requested) => {
  const { ids, filter } = requested
  const { session, terminal } = run
  const network = run.network.id
  const byFilter = ids.length === 0
  const pending = { network, filter: { ...filter, statuses: ['pending'] }, limit: 1 }
  const count = byFilter ? (await session.call('invoice.page', pending)).total : ids.length
  terminal.note(`${count} ${count === 1 ? 'invoice' : 'invoices'} to cancel.`)
  await confirm('You cannot undo this. Cancel the invoices?', withoutDefaults(requested), run)
  const invoices = byFilter ? { filter } : { ids: [...ids] }
  const job = await session.call('invoiceCancel.start', { network, invoices })
  return endJob(run, job, 'Run the command again: cancelled invoices are skipped.')
}

/** The export reads only the local ledger and sends no request to a network. */
export const exportInvoices: InvoicesWork = async (run, requested) => {
  const { output, closing, ...options } = readExport(run, requested)
  const { session, network, terminal } = run
  const targets = output === null ? [] : [output, `${output}.manifest.json`]
  // All targets are verified first, because a failure after the export would come late.
  for (const target of targets) await checkTarget(target, run.options['force'] === true)

  const { filter } = requested
  const { from = null, to = null } = filter.period ?? {}
  const { id } = await session.call('invoiceExport.start', {
    network: network.id,
    subject:
      closing && from !== null && to !== null
        ? { kind: 'closing', from, to }
        : { kind: 'invoices', filter, sort: { by: 'created', descending: false } },
    options,
    name: output === null ? null : basename(output),
  })
  const watched = { id, wayOn: 'Run the export again.' }
  const { file, manifest, rows, bytes, sha256 } = await watchJob(run, 'invoiceExport', watched)
  if (file === null || manifest === null) throw exportGone()
  const [saved = '', beside = ''] = targets
  const files = [
    { file, output: saved },
    { file: manifest, output: beside },
  ]
  await (output === null ? saveExport(run, file, null) : saveFiles(session, files))
  const exported = { event: 'exported', file: saved, manifest: beside, rows, bytes, sha256 }
  await writeEvent(run, exported)
  terminal.note(`${rows} rows, ${bytes} bytes, SHA-256 ${sha256 ?? ''}.`)
  if (output !== null) terminal.note(`Written to ${saved}, with its manifest next to it.`)
  return exitCodes.ok
}

async function endJob(run: NetworkRun, begun: InvoiceJob, wayOn: string): Promise<number> {
  const { terminal } = run
  const { id } = begun
  const { job, items } = await finishJob(run, async (own) => {
    const ended = await watchJob(own, 'invoiceJob', { id, wayOn, resumes: true })
    const pages = itemsOf(
      async (page) => (await own.session.call('invoiceJob.items', { id, ...page })).items,
    )
    return { job: ended, items: await Array.fromAsync(pages) }
  })
  const { done, failed, unclear } = job
  for (const item of items) {
    await writeEvent(run, { event: 'invoice', job: id, ...item }, describe(item))
  }
  await writeEvent(run, { event: 'done', job: id, done, failed, unclear })
  terminal.note(`Done: ${done}; rejected: ${failed}; unclear: ${unclear}.`)
  if (unclear > 0) {
    terminal.note(
      'Tondesk does not repeat unclear requests. Check in the app or in the console whether they succeeded.',
    )
  }
  return failed + unclear === 0 ? exitCodes.ok : someLeft
}

function describe(item: InvoiceJobItem): string {
  const { state, invoice, amount, currency, paymentLink, message } = item
  const isDone = state === 'done'
  return joinSentence(
    [
      sanitize(invoice ?? '-').padEnd(10),
      formatMoney(amount, currency),
      !isDone && state,
      isDone && paymentLink !== null && sanitize(paymentLink),
      !isDone && message !== null && sanitize(message),
    ],
    '  ',
  )
}
