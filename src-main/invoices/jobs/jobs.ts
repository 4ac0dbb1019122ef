import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { InvoiceJob, InvoiceJobItem } from '../../../src-preload/contract/invoice-job.ts'
import { invoiceJobCodes, invoiceCodes } from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { ExportFiles } from '../../exports/export-files.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { InvoiceJobRecord, InvoiceJobs, StoredItem } from '../store/invoice-jobs.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import { type ReadPage, createCancelWork, readToCancel } from './cancel-work.ts'
import { type DraftsDeps, createDraftsPart } from '../issue/drafts.ts'
import type { GatewayAccess, InvoiceWorkDeps } from '../parts.ts'
import { createIssueWork } from './issue-work.ts'
import { type Mutex, createMutex } from '../../../src-preload/domain/mutex.ts'
import Papa from 'papaparse'
import { linkForDue } from '../../../src-preload/contract/invoice-money.ts'
import { guardCell } from '../../exports/formula-safe.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'

type InvoiceJobsDeps = InvoiceWorkDeps &
  DraftsDeps & {
    readonly access: Pick<GatewayAccess, 'info' | 'invoices'>
    readonly jobs: Jobs
    readonly stored: InvoiceJobs
    readonly files: ExportFiles
    readonly readPage: ReadPage
    readonly onChanged: (jobs: readonly InvoiceJob[]) => void
    readonly onRemoved: (id: number) => void
  }

type JobRoute = Extract<
  keyof Handlers,
  `invoiceIssue.${string}` | `invoiceCancel.${string}` | `invoiceJob.${string}`
>

export type InvoiceJobsPart = {
  readonly handlers: Pick<Handlers, JobRoute>
  forget(network: NetworkId): Promise<void>
  stop(): Promise<void>
}

/** A request that runs when the user cancels may take this long to finish. */
const cancelGraceMs = 5000
const itemsAtOnce = 500

export function createInvoiceJobsPart(deps: InvoiceJobsDeps): InvoiceJobsPart {
  const { stored, items } = deps
  const drafts = createDraftsPart(deps)
  /**
   * Issue jobs of a network must not have requests in flight at once: the invoice that one job looks for
   * after an unclear response could be another job's.
   */
  const requests = new Map<NetworkId, Mutex>()
  const jobs = deps.jobs.add({
    noun: 'job',
    unknownCode: invoiceJobCodes.jobUnknown,
    table: stored,
    work(job, control) {
      if (job.kind === 'cancel') return createCancelWork(job, control, deps)
      const ofNetwork = requests.get(job.network) ?? createMutex()
      requests.set(job.network, ofNetwork)
      return createIssueWork(job, control, ofNetwork, deps)
    },
    left: ({ total, done, failed, unclear }) => total - done - failed - unclear,
    show: (job): InvoiceJob => job,
    onChanged: deps.onChanged,
    onRemoved: deps.onRemoved,
    recover({ id, state }) {
      if (state === 'cancelled') leaveAsked(id)
    },
    beforeResume({ id, kind, state, failed, unclear }) {
      if (state === 'cancelled' || (state === 'done' && failed + unclear === 0)) return false
      // Refused items certainly created no invoice; unclear ones are looked for again.
      if (state !== 'paused') items.move(id, 'failed', 'waiting', null, leftOut)
      if (kind === 'issue') items.move(id, 'unclear', 'asked', null)
      return true
    },
    cancelGraceMs,
    afterCancel: leaveAsked,
    beforeRemove({ id }) {
      if (jobs.isRunning(id)) throw notNow('It runs: pause or cancel it first.')
    },
  })

  function shown(id: number, item: StoredItem): InvoiceJobItem {
    const { network } = jobs.find(id)
    return showItem(item, item.invoice === null ? null : deps.ledger.find(network, item.invoice))
  }

  /** Leaves unanswered requests to the user, because nothing waits for their responses any more. */
  function leaveAsked(id: number): void {
    items.move(id, 'asked', 'unclear', askedAtTheEnd)
  }

  async function* pagesOf(id: number): AsyncGenerator<StoredItem[]> {
    for (let offset = 0; ; offset += itemsAtOnce) {
      const page = items.page(id, 'done', offset, itemsAtOnce)
      yield page.items
      if (page.items.length < itemsAtOnce) return
      await breathe()
    }
  }

  return {
    async forget(network) {
      await jobs.removeAll({ network })
      deps.drafts.forget(network)
    },
    stop: () => jobs.stop(),
    handlers: {
      ...drafts.handlers,
      'invoiceIssue.start'({ draft: id }) {
        const draft = drafts.find(id)
        if (draft.job !== null) {
          if (stored.get(draft.job) !== null) return jobs.view(draft.job)
          const message = 'This draft was issued already, and its job was removed since.'
          throw new AppError(invoiceJobCodes.draftIssued, message)
        }
        if (draft.valid === 0) {
          const message = 'None of the lines can be issued: mend one first.'
          throw new AppError(invoiceJobCodes.draftEmpty, message)
        }
        deps.access.invoices(draft.network)
        return jobs.begin(stored.issue(id, draft.network, deps.now()))
      },
      async 'invoiceIssue.resolve'({ id, index, as }) {
        const job = jobs.find(id)
        const item = items.get(id, index)
        if (job.kind !== 'issue' || item?.state !== 'unclear') throw notNow('It is not unclear.')
        if ('left' in as) items.set(id, index, 'failed', leftOut)
        else if ('invoice' in as) await takeByHand(job, item, as.invoice, deps)
        else {
          if (job.state === 'cancelled') {
            throw notNow('Its job was cancelled: issue it anew instead.')
          }
          items.set(id, index, 'waiting', null)
          if (!jobs.isRunning(id)) await jobs.restart(id)
        }
        jobs.notify(id)
        return shown(id, items.get(id, index) ?? item)
      },
      'invoiceIssue.export'({ id }) {
        const { kind, network } = jobs.find(id)
        if (kind !== 'issue') throw notNow('This job has issued nothing.')
        const now = (invoice: string) => deps.ledger.find(network, invoice)
        return deps.files.make(`invoices-issued-${id}.csv`, formatIssued(pagesOf(id), now))
      },
      async 'invoiceCancel.start'(asked) {
        deps.access.invoices(asked.network)
        const found = await readToCancel(asked, deps.ledger, deps.readPage)
        return jobs.begin(stored.cancel(asked.network, found, deps.now()))
      },
      ...jobs.routes('invoiceJob', 'list', 'get', 'pause', 'resume', 'cancel', 'remove'),
      'invoiceJob.items'({ id, state, offset, limit }) {
        jobs.find(id)
        const page = items.page(id, state, offset, limit)
        return { total: page.total, items: page.items.map((item) => shown(id, item)) }
      },
    },
  }
}

function showItem(item: StoredItem, now: StoredInvoice | null): InvoiceJobItem {
  const { index, state, invoice, currency, amount, description, message } = item
  const rest = { index, state, invoice, currency, description, message }
  return { ...rest, paymentLink: linkNow(item, now), amount: amount.toString() }
}

function notNow(message: string): AppError {
  return new AppError(invoiceJobCodes.notNow, message)
}

const leftOut = 'Left as it is: it is not asked for again.'
const askedAtTheEnd =
  'The job was cancelled before this was answered. Look in the list, or in the console, whether it was done.'

/**
 * @throws AppError INVOICE_UNKNOWN; INVOICE_JOB_NOT_NOW for an invoice of another item or amount; the
 * client's errors
 */
async function takeByHand(
  { id, network }: InvoiceJobRecord,
  item: StoredItem,
  invoice: string,
  { items, ledger }: Pick<InvoiceWorkDeps, 'items' | 'ledger'>,
): Promise<void> {
  const found = await ledger.fetch(network, invoice.trim(), 'fetch')
  if (found === null) {
    throw new AppError(invoiceCodes.unknown, `The gateway has no invoice ${invoice.trim()}.`)
  }
  if (items.isIssued(network, found.id)) {
    const message = `Invoice ${found.id} is another line’s already.`
    throw new AppError(invoiceJobCodes.notNow, message)
  }
  if (found.amount !== item.amount || found.currency !== item.currency) {
    const message = `Invoice ${found.id} is of another amount: it is not this line’s.`
    throw new AppError(invoiceJobCodes.notNow, message)
  }
  const { paymentLink } = found
  items.done(id, item.index, { invoice: found.id, paymentLink, message: 'Named by hand.' })
}

const columns = ['id', 'link', 'amount', 'currency', 'description', 'expires']

export function linkNow(
  { paymentLink }: Pick<StoredItem, 'paymentLink'>,
  now: StoredInvoice | null,
): string | null {
  if (paymentLink === null || now === null) return paymentLink
  const { status, currency } = now
  const [amount, received] = [String(now.amount), String(now.received)]
  return linkForDue(paymentLink, { status, currency, amount, received, overpayment: '0' })
}

export async function* formatIssued(
  pages: AsyncIterable<readonly StoredItem[]>,
  now: (invoice: string) => StoredInvoice | null,
): AsyncGenerator<string> {
  // The byte order mark makes spreadsheets read the file as UTF-8.
  yield `\ufeff${columns.join(',')}\r\n`
  for await (const items of pages) {
    const rows = items.map((item) => {
      const { invoice, currency, amount, description } = item
      const known = now(invoice ?? '')
      const expires = known?.expiresAt ?? null
      return [
        guardCell(invoice ?? ''),
        guardCell(linkNow(item, known) ?? ''),
        formatAmount(amount, decimalsOf[currency]),
        currency,
        guardCell(description),
        expires === null ? '' : new Date(expires).toISOString(),
      ]
    })
    if (rows.length > 0) yield `${Papa.unparse(rows)}\r\n`
  }
}
