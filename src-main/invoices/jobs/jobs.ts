import type { Handlers, Output, Parsed } from '../../../src-preload/contract/routes.ts'
import type { InvoiceJob, InvoiceJobItem } from '../../../src-preload/contract/invoice-job.ts'
import {
  invoiceJobCodes,
  invoiceCodes,
  gatewayCodes,
  networkCodes,
} from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { InvoicesContext } from '../context.ts'
import type { InvoiceJobRecord, StoredItem, ToCancel } from '../store/invoice-jobs.ts'
import type { StoredInvoice } from '../store/invoice-rows.ts'
import { createDrafts } from '../issue/drafts.ts'
import { type InvoiceWorkDeps, createIssueWork } from './issue-work.ts'
import { type Mutex, createMutex } from '../../../src-preload/domain/mutex.ts'
import { linkForDue } from '../../../src-preload/contract/invoice-money.ts'
import { pagesOf } from '../../database/pages.ts'
import { type Column, type Rows, formatCsv } from '../../exports/table.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'
import type { InvoiceFilter } from '../../../src-preload/contract/invoice.ts'
import type { Asking } from '../../gateway/query.ts'
import type { TroubleData } from '../../gateway/trouble.ts'
import type { JobControl, JobEnd, JobWork } from '../../jobs/job-run.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { Ledger } from '../ledger/ledger.ts'

type InvoiceJobsDeps = InvoiceWorkDeps &
  Pick<InvoicesContext, 'files' | 'jobs'> & {
    readonly events: Pick<InvoicesContext['events'], 'emit'>
    readonly readPage: ReadPage
  }

type JobRoute = Extract<
  keyof Handlers,
  `invoiceIssue.${string}` | `invoiceCancel.${string}` | `invoiceJob.${string}`
>

export type InvoiceJobsPart = ReturnType<typeof createInvoiceJobsPart>

/** A request that runs when the user cancels may take this long to finish. */
const cancelGraceMs = 5000
const itemsAtOnce = 500

export function createInvoiceJobsPart(deps: InvoiceJobsDeps) {
  const { jobs: stored, jobItems: items } = deps.store
  const drafts = createDrafts(deps)
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
    onChanged: (changed) => deps.events.emit('invoiceJob.changed', { jobs: changed }),
    onRemoved: (id) => deps.events.emit('invoiceJob.removed', { id }),
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
      if (jobs.isRunning(id)) throw notNow('The job is running. Pause or cancel it first.')
    },
  })

  function shown(network: NetworkId, item: StoredItem): InvoiceJobItem {
    const { index, state, invoice, currency, description, orderReference, message } = item
    const now = invoice === null ? null : deps.ledger.find(network, invoice)
    return {
      ...{ index, state, invoice, currency, description, orderReference, message },
      ...{ paymentLink: linkNow(item, now), amount: item.amount.toString() },
    }
  }

  /** Leaves unanswered requests to the user, because nothing waits for their responses any more. */
  function leaveAsked(id: number): void {
    items.move(id, 'asked', 'unclear', askedAtTheEnd)
  }

  function issuedPages(id: number) {
    let offset = 0
    return pagesOf<StoredItem>(() => {
      const page = items.page(id, 'done', offset, itemsAtOnce).items
      offset += page.length
      return page
    })
  }

  const handlers: Pick<Handlers, JobRoute> = {
    ...drafts.handlers,
    'invoiceIssue.start'({ draft: id }) {
      const draft = drafts.find(id)
      if (draft.job !== null) {
        if (stored.get(draft.job) !== null) return jobs.view(draft.job)
        const message = 'This draft was already issued, and its job was removed.'
        throw new AppError(invoiceJobCodes.draftIssued, message)
      }
      if (draft.valid === 0) {
        const message = 'The draft has no valid line. Fix at least one line.'
        throw new AppError(invoiceJobCodes.draftEmpty, message)
      }
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
      return deps.files.make(`invoices-issued-${id}.csv`, formatIssued(issuedPages(id), now))
    },
    async 'invoiceCancel.start'(asked) {
      deps.access.invoices(asked.network)
      const found = await readToCancel(asked, deps.ledger, deps.readPage)
      return jobs.begin(stored.cancel(asked.network, found, deps.now()))
    },
    ...jobs.routes('invoiceJob', 'list', 'get', 'pause', 'resume', 'cancel', 'remove'),
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

function notNow(message: string): AppError {
  return new AppError(invoiceJobCodes.notNow, message)
}

const leftOut = 'You skipped this invoice. Tondesk does not send its request again.'
const askedAtTheEnd =
  'The job was cancelled before the response arrived. Check in the invoice list or in the console whether the request succeeded.'

/**
 * @throws AppError INVOICE_UNKNOWN; INVOICE_JOB_NOT_NOW for an invoice of another item or amount; the
 * client's errors
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

function toIso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

const maxTries = 3

/** Cancelling twice is harmless: after an unclear response the fetched invoice's status decides. */
function createCancelWork(
  job: InvoiceJobRecord,
  { abort, backoff, count }: JobControl,
  deps: InvoiceWorkDeps,
): JobWork {
  const { id, network } = job
  const { ledger, store } = deps
  const items = store.jobItems
  const priority = job.total === 1 ? 'interactive' : 'job'
  const asking: Asking = { priority, owner: `invoice job ${id}`, signal: abort }
  let tried = { index: -1, times: 0 }

  async function cancel(item: StoredItem): Promise<JobEnd | null> {
    const invoice = item.invoice ?? ''
    const known = ledger.find(network, invoice)
    if (known !== null && item.state === 'waiting' && known.status !== 'pending') {
      return settle(item, known.status)
    }
    const client = deps.access.invoices(network)
    try {
      const entry = await client.cancel(invoice, deps.ids(network).appId, {
        ...asking,
        onSend: () => noteAsked(item, invoice),
      })
      ledger.record(network, [entry], 'cancelled-here')
      return settle(item, entry.status, 'The gateway still reports the invoice as pending.')
    } catch (error) {
      abort.throwIfAborted()
      return afterFailure(item, invoice, error)
    }
  }

  function noteAsked(item: StoredItem, invoice: string): void {
    const at = deps.now()
    items.ask(id, item.index, { askedAt: at, mark: null, known: [] })
    const key = ledger.find(network, invoice)?.key
    if (key === undefined || item.state !== 'waiting') return
    ledger.addEvent(key, { at, source: 'cancelled-here', kind: 'cancel-asked', detail: {} })
  }

  async function afterFailure(
    item: StoredItem,
    invoice: string,
    error: unknown,
  ): Promise<JobEnd | null> {
    const { kind, message } = readRefusal(error)
    const { code, data } = error as AppError
    if (kind === 'standstill' && code !== gatewayCodes.notFound) {
      items.set(id, item.index, 'waiting', null)
      return { state: 'paused', problem: `${message} ${elsewhere}` }
    }
    const { isUnsent } = (data ?? {}) as TroubleData
    const isLater = code === gatewayCodes.rateLimited || code === networkCodes.unavailable
    if (isLater || isUnsent) throw error
    let now
    try {
      now = await ledger.fetch(network, invoice, 'fetch', asking)
    } catch (cause) {
      abort.throwIfAborted()
      const refusal = readRefusal(cause)
      if (refusal.kind === 'passing') throw cause
      return end(item, 'failed', refusal.message)
    }
    if (now === null) return end(item, 'failed', 'The gateway has no such invoice.')
    return settle(item, now.status, message)
  }

  function settle(item: StoredItem, status: string, why = ''): null {
    if (status === 'pending') {
      tried = { index: item.index, times: tried.index === item.index ? tried.times + 1 : 1 }
      if (tried.times >= maxTries)
        return end(item, 'failed', `The invoice is still pending. ${why}`)
      backoff.pause(why, 0)
      return null
    }
    if (status !== 'cancelled') {
      return end(
        item,
        'failed',
        `The invoice is ${status}. Only pending invoices can be cancelled.`,
      )
    }
    const wasAsked = item.state === 'asked' || items.get(id, item.index)?.state === 'asked'
    return end(item, 'done', wasAsked ? null : 'The invoice is already cancelled.')
  }

  function end(item: StoredItem, state: 'done' | 'failed', message: string | null): null {
    items.set(id, item.index, state, message)
    backoff.answered()
    count(1)
    return null
  }

  return {
    next() {
      const item = items.first(id, 'asked') ?? items.first(id, 'waiting')
      return item === null ? null : cancel(item)
    },
  }
}

const elsewhere =
  'Resume the job when this is resolved. If the token may not cancel invoices, cancel them in the console.'

type ReadPage = Handlers['invoice.page']

const maxCancelled = 10_000
const pageSize = 500

/** @throws AppError INVOICE_UNKNOWN, INVOICE_NONE_TO_CANCEL, and the client's errors */
async function readToCancel(
  { network, invoices }: Parsed<'invoiceCancel.start'>,
  ledger: Pick<Ledger, 'find' | 'fetch'>,
  readPage: ReadPage,
): Promise<ToCancel[]> {
  const ids =
    'ids' in invoices
      ? [...new Set(invoices.ids)]
      : await pendingOf(network, invoices.filter, readPage)
  const found: ToCancel[] = []
  for (const id of ids) {
    const invoice = ledger.find(network, id) ?? (await ledger.fetch(network, id, 'fetch'))
    if (invoice === null) {
      throw new AppError(invoiceCodes.unknown, `There is no invoice ${id} on this network.`)
    }
    const { currency, amount, description, paymentLink } = invoice
    found.push({ invoice: id, currency, amount, description, paymentLink })
  }
  if (found.length > 0) return found
  throw new AppError(invoiceJobCodes.noneToCancel, 'None of these invoices is pending.')
}

async function pendingOf(
  network: NetworkId,
  filter: InvoiceFilter,
  readPage: ReadPage,
): Promise<string[]> {
  const { statuses } = filter
  if (statuses.length > 0 && !statuses.includes('pending')) return []
  const pending = { ...filter, statuses: ['pending'] }
  const sort = { by: 'created', descending: true } as const
  const ids: string[] = []
  let after: string | null = null
  do {
    const input = { network, filter: pending, sort, from: { after }, skip: 0, limit: pageSize }
    const page: Output<'invoice.page'> = await readPage(input)
    ids.push(...page.invoices.map(({ id }) => id))
    after = page.after
  } while (after !== null && ids.length < maxCancelled)
  return ids
}
