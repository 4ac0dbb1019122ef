import type { InvoiceJobItem, IssueDraft } from '../../../src-preload/contract/invoice-job.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError, invoiceCodes, invoiceJobCodes } from '../../../src-preload/domain/app-error.ts'
import { type Mutex, createMutex } from '../../../src-preload/domain/mutex.ts'
import { pagesOf } from '../../database/pages.ts'
import type { InvoicesContext } from '../context.ts'
import { createDrafts } from '../issue/drafts.ts'
import type { InvoiceJobRecord, StoredItem } from '../store/invoice-jobs.ts'
import { type ReadPage, createCancelWork, readCancelable } from './cancel-work.ts'
import { type InvoiceWorkDeps, IssueWork } from './issue-work.ts'
import { linkForDue } from '../../../src-preload/contract/invoice-money.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'
import { type Column, type Rows, formatCsv } from '../../exports/table.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'

type InvoiceJobsDeps = InvoiceWorkDeps &
  Pick<InvoicesContext, 'files' | 'jobs'> & { readonly readPage: ReadPage }

type JobRoute = Extract<
  keyof Handlers,
  `invoiceIssue.${string}` | `invoiceCancel.${string}` | `invoiceJob.${string}`
>

type Items = InvoiceWorkDeps['store']['jobItems']

export type InvoiceJobsPart = ReturnType<typeof createInvoiceJobsPart>

/** The number of milliseconds that a pending request gets when the user cancels. */
const cancelGraceMs = 5000
const itemsAtOnce = 500

export function createInvoiceJobsPart(deps: InvoiceJobsDeps) {
  const { jobs: stored, jobItems: items } = deps.store
  const drafts = createDrafts(deps)
  /**
   * Issue jobs of a network must not have pending requests at the same time: after an unclear
   * response, one job could mistake the invoice of another for its own.
   */
  const requests = new Map<NetworkId, Mutex>()
  const jobs = deps.jobs.add('invoiceJob', {
    noun: 'job',
    unknownCode: invoiceJobCodes.jobUnknown,
    table: stored,
    work(job, control) {
      if (job.kind === 'cancel') return createCancelWork(job, control, deps)
      const ofNetwork = requests.get(job.network) ?? createMutex()
      requests.set(job.network, ofNetwork)
      return new IssueWork(job, control, ofNetwork, deps)
    },
    left: ({ total, done, failed, unclear }) => total - done - failed - unclear,
    show: (job) => job,
    recover({ id, state }) {
      if (state === 'cancelled') leaveAsked(id)
    },
    beforeResume: (job) => prepareResume(items, job),
    cancelGraceMs,
    afterCancel: leaveAsked,
    beforeRemove({ id }) {
      if (jobs.isRunning(id)) throw notNow('The job is running. Pause or cancel it first.')
    },
  })

  function shown(network: NetworkId, item: StoredItem): InvoiceJobItem {
    const { lifeTimeSeconds, askedAt, mark, known, ...kept } = item
    const now = item.invoice === null ? null : deps.ledger.find(network, item.invoice)
    return { ...kept, paymentLink: linkNow(item, now), amount: item.amount.toString() }
  }

  /** Leaves requests without a response to the user, because nothing waits for their responses any more. */
  function leaveAsked(id: number): void {
    items.move(id, 'asked', 'unclear', askedAtTheEnd)
  }

  const handlers: Pick<Handlers, JobRoute> = {
    ...drafts.handlers,
    'invoiceIssue.start'({ draft: id }) {
      const draft = drafts.find(id)
      if (draft.job !== null && stored.get(draft.job) !== null) return jobs.get(draft.job)
      requireIssuable(draft)
      deps.access.invoices(draft.network)
      return jobs.begin(stored.issue(id, draft.network, deps.now()))
    },
    async 'invoiceIssue.resolve'({ id, index, as }) {
      const job = jobs.find(id)
      const item = items.get(id, index)
      if (job.kind !== 'issue' || item?.state !== 'unclear')
        throw notNow('This invoice is no longer unclear.')
      if ('left' in as) items.set(id, index, 'failed', leftOut)
      else if ('invoice' in as) await takeByHand(job, item, as.invoice, deps)
      else {
        if (job.state === 'cancelled') {
          throw notNow('The job was cancelled. Issue the invoice again instead.')
        }
        items.set(id, index, 'waiting', null)
        if (!jobs.isRunning(id)) await jobs.restart(id)
      }
      jobs.notify(id)
      return shown(job.network, items.get(id, index) ?? item)
    },
    'invoiceIssue.export'({ id }) {
      const { kind, network } = jobs.find(id)
      if (kind !== 'issue') throw notNow('This job has issued no invoices.')
      const now = (invoice: string) => deps.ledger.find(network, invoice)
      return deps.files.make(`invoices-issued-${id}.csv`, formatIssued(donePages(items, id), now))
    },
    async 'invoiceCancel.start'(requested) {
      deps.access.invoices(requested.network)
      const found = await readCancelable(requested, deps.ledger, deps.readPage)
      return jobs.begin(stored.cancel(requested.network, found, deps.now()))
    },
    'invoiceJob.items'({ id, state, offset, limit }) {
      const { network } = jobs.find(id)
      const page = items.page(id, state, offset, limit)
      return { total: page.total, items: page.items.map((item) => shown(network, item)) }
    },
  }
  return {
    handlers,
    async forget(network: NetworkId): Promise<void> {
      await jobs.removeAll({ network })
      deps.store.drafts.forget(network)
    },
    stop: () => jobs.stop(),
  }
}

function requireIssuable({ job, valid }: IssueDraft): void {
  if (job !== null) {
    const message = 'This draft was already issued, and its job was removed.'
    throw new AppError(invoiceJobCodes.draftIssued, message)
  }
  if (valid === 0) {
    const message = 'The draft has no valid line. Fix at least one line.'
    throw new AppError(invoiceJobCodes.draftEmpty, message)
  }
}

function donePages(items: Items, id: number) {
  let offset = 0
  return pagesOf<StoredItem>(() => {
    const page = items.page(id, 'done', offset, itemsAtOnce).items
    offset += page.length
    return page
  })
}

/** @returns whether any work is left */
function prepareResume(
  items: Items,
  { id, kind, state, failed, unclear }: InvoiceJobRecord,
): boolean {
  if (state === 'cancelled' || (state === 'done' && failed + unclear === 0)) return false
  // Refused items certainly created no invoice; unclear ones are searched for again.
  if (state !== 'paused') items.move(id, 'failed', 'waiting', null, leftOut)
  if (kind === 'issue') items.move(id, 'unclear', 'asked', null)
  return true
}

const notNow = (message: string): AppError => new AppError(invoiceJobCodes.notNow, message)

const leftOut = 'You skipped this invoice. Tondesk does not send its request again.'
const askedAtTheEnd =
  'The job was cancelled before the response arrived. Check in the invoice list or in the console whether the request succeeded.'

/**
 * @throws AppError INVOICE_UNKNOWN; INVOICE_JOB_NOT_NOW for an invoice that belongs to another item
 * or has another amount; the errors of the client
 */
async function takeByHand(
  { id, network }: InvoiceJobRecord,
  item: StoredItem,
  invoice: string,
  { store, ledger }: InvoiceWorkDeps,
): Promise<void> {
  const found = await ledger.fetch(network, invoice.trim(), 'fetch')
  if (found === null) {
    throw new AppError(invoiceCodes.unknown, `The gateway has no invoice ${invoice.trim()}.`)
  }
  if (store.jobItems.isIssued(network, found.id)) {
    throw notNow(`Invoice ${found.id} is already linked to another line.`)
  }
  if (found.amount !== item.amount || found.currency !== item.currency) {
    throw notNow(`Invoice ${found.id} has a different amount than this line.`)
  }
  const { paymentLink } = found
  const named = { invoice: found.id, paymentLink, message: 'You linked this invoice to this line.' }
  if (item.orderReference !== '') ledger.setOrder(network, found.id, item.orderReference)
  if (item.restOf !== null) ledger.setRest(network, found.id, item.restOf)
  store.jobItems.done(id, item.index, named)
}

export function linkNow(
  { paymentLink }: Pick<StoredItem, 'paymentLink'>,
  now: StoredInvoice | null,
): string | null {
  if (paymentLink === null || now === null) return paymentLink
  const { status, currency } = now
  const [amount, received] = [String(now.amount), String(now.received)]
  return linkForDue(paymentLink, { status, currency, amount, received, overpayment: '0' })
}

export function formatIssued(
  rows: Rows<StoredItem>,
  find: (invoice: string) => StoredInvoice | null,
): AsyncIterable<string> {
  const text = (name: string, value: Column<StoredItem>['value']) =>
    ({ name, kind: 'text', value }) as const
  const now = ({ invoice }: StoredItem) => find(invoice ?? '')
  return formatCsv(
    [
      text('id', ({ invoice }) => invoice),
      text('link', (item) => linkNow(item, now(item))),
      text('amount', ({ amount, currency }) => formatAmount(amount, decimalsOf[currency])),
      text('currency', ({ currency }) => currency),
      text('description', ({ description }) => description),
      text('expires', (item) => toIso(now(item)?.expiresAt)),
      text('order_reference', ({ orderReference }) => orderReference),
    ],
    rows,
  )
}

const toIso = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString()
