import { createReadStream } from 'node:fs'
import { text as readText } from 'node:stream/consumers'
import type { IssueDraft } from '../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Invocation } from './command.ts'
import { endJob } from './invoices-jobs.ts'
import { money } from './invoices-list.ts'
import type { AskedCreate, AskedInvoices } from './invoices-options.ts'
import { type InvoicesWork, confirm } from './invoices-work.ts'
import type { Session } from './session.ts'
import { plain } from './terminal.ts'

const maxShown = 20

/** A draft is kept first, and issued once whatever happens. */
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
    return endJob(session, job, goOn, asked.json, invocation)
  }
}

/** @returns the id of a draft that may be issued */
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
    if (!isPlain) await confirm(`Create ${sums.join(' and ')} in all?`, asked, invocation)
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
  if (wanted.kind === 'file') {
    const { path, currency, lifeTimeSeconds } = wanted
    const text = await readWhole(path)
    return session.call('invoiceIssue.draftFile', { network, text, currency, lifeTimeSeconds })
  }
  const { amount, currency, lifeTimeSeconds, description } = wanted
  const lines = [{ amount, currency, lifeTimeSeconds, description }]
  return session.call('invoiceIssue.draft', { network, lines })
}

/** @throws AppError FILE_UNREADABLE */
async function readWhole(path: string | null): Promise<string> {
  try {
    return await readText(path === null ? process.stdin : createReadStream(path))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError('FILE_UNREADABLE', `Cannot read ${path ?? 'standard input'}: ${why}`)
  }
}
