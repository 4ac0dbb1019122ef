/** Jobs that issue and cancel invoices: begun, run, paused, taken up again, removed. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { InvoiceJob, InvoiceJobItem } from '../../../src-preload/contract/invoice-job.ts'
import { invoiceJobCodes, invoiceCodes } from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { ExportFiles } from '../../exports/export-files.ts'
import { createJobRuns } from '../../jobs/job-runs.ts'
import type { InvoiceDrafts } from '../store/invoice-drafts.ts'
import type { InvoiceJobRecord, InvoiceJobs } from '../store/invoice-jobs.ts'
import type { StoredItem } from '../store/invoice-job-items.ts'
import type { StoredInvoice } from '../store/stored-invoice.ts'
import { createCancelRun } from '../cancel/cancel-run.ts'
import { type ReadPage, readToCancel } from '../cancel/to-cancel.ts'
import { type DraftsDeps, createDraftsPart } from '../issue/drafts.ts'
import { linkNow, formatIssued } from '../issue/issue-csv.ts'
import { createIssueRun } from '../issue/issue-run.ts'
import type { GatewayAccess } from '../parts.ts'
import type { InvoiceRunDeps } from './run.ts'
import { type Mutex, createMutex } from '../../../src-preload/domain/mutex.ts'

type InvoiceJobsDeps = Omit<InvoiceRunDeps, 'turns' | 'onChanged' | 'access'> &
  Omit<DraftsDeps, 'access'> & {
    readonly access: Pick<GatewayAccess, 'info' | 'invoices'>
    readonly jobs: InvoiceJobs
    readonly drafts: InvoiceDrafts
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
  /** Takes up what ran when the app ended. */
  resumeAll(): void
  /** The network is gone, or another gateway's. */
  forget(network: NetworkId): Promise<void>
  /** Ends what runs, to be gone on with. */
  stop(): Promise<void>
}

/** What is under way when a person cancels has this long to be answered. */
const cancelGraceMs = 5000
const itemsAtOnce = 500

export function createInvoiceJobsPart(deps: InvoiceJobsDeps): InvoiceJobsPart {
  const { jobs, items } = deps
  const drafts = createDraftsPart(deps)
  /**
   * Two jobs of a network that issue invoices alike must not have requests under way at once: what one
   * looks for after an unclear answer could be what the other is just being given.
   */
  const turns = new Map<NetworkId, Mutex>()
  const runs = createJobRuns({
    ...deps,
    make(id) {
      const job = find(id)
      const make = job.kind === 'issue' ? createIssueRun : createCancelRun
      const ofNetwork = turns.get(job.network) ?? createMutex()
      turns.set(job.network, ofNetwork)
      return make(job, { ...deps, turns: ofNetwork, onChanged: () => runs.tell(id) })
    },
    stateOf: (id) => jobs.get(id)?.state ?? null,
    setState: (id, change) => jobs.setState(id, change),
    emit: (ids) => deps.onChanged(ids.flatMap((id) => jobs.get(id) ?? []).map(show)),
  })

  function find(id: number): InvoiceJobRecord {
    const job = jobs.get(id)
    if (job !== null) return job
    throw new AppError(
      invoiceJobCodes.jobUnknown,
      'There is no such job. It may have been removed.',
    )
  }

  const isRunning = ({ id, state }: InvoiceJobRecord) =>
    state === 'running' && runs.get(id) !== undefined

  function show(job: InvoiceJobRecord): InvoiceJob {
    const run = isRunning(job) ? runs.get(job.id) : undefined
    const rate = run?.rate() ?? null
    const left = job.total - job.done - job.failed - job.unclear
    return {
      ...job,
      problem: run?.problem() ?? job.problem,
      rate,
      secondsLeft: rate === null || rate === 0 ? null : Math.ceil(left / rate),
    }
  }

  const read = (id: number) => show(find(id))

  function shown(id: number, item: StoredItem): InvoiceJobItem {
    const { network } = find(id)
    return showItem(item, item.invoice === null ? null : deps.ledger.find(network, item.invoice))
  }

  function begin(id: number): InvoiceJob {
    runs.start(id)
    runs.tell(id)
    return read(id)
  }

  /** Nobody will wait for the answer any more: what it came to is for the person to find out. */
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
    resumeAll() {
      for (const job of jobs.list(null).reverse()) {
        if (job.state === 'running') runs.start(job.id)
        // A kill may have come before it was left.
        else if (job.state === 'cancelled') leaveAsked(job.id)
      }
    },
    async forget(network) {
      for (const { id } of jobs.list(network)) {
        await runs.halt(id, 0)
        jobs.remove(id)
        deps.onRemoved(id)
      }
      deps.drafts.forget(network)
    },
    stop: () => runs.stop(),
    handlers: {
      ...drafts.handlers,
      'invoiceIssue.start'({ draft: id }) {
        const draft = drafts.find(id)
        if (draft.job !== null) {
          const job = jobs.get(draft.job)
          if (job !== null) return show(job)
          const message = 'This draft was issued already, and its job was removed since.'
          throw new AppError(invoiceJobCodes.draftIssued, message)
        }
        if (draft.valid === 0) {
          const message = 'None of the lines can be issued: mend one first.'
          throw new AppError(invoiceJobCodes.draftEmpty, message)
        }
        // Said at once where there is nothing to ask.
        deps.access.invoices(draft.network)
        return begin(jobs.issue(id, draft.network, deps.now()))
      },
      async 'invoiceIssue.resolve'({ id, index, as }) {
        const job = find(id)
        const item = items.get(id, index)
        if (job.kind !== 'issue' || item?.state !== 'unclear') throw notNow('It is not unclear.')
        if ('left' in as) items.set(id, index, 'failed', leftOut)
        else if ('invoice' in as) await takeByHand(job, item, as.invoice, deps)
        else {
          if (job.state === 'cancelled') {
            throw notNow('Its job was cancelled: issue it anew instead.')
          }
          items.set(id, index, 'waiting', null)
          if (!isRunning(job)) await runs.resume(id)
        }
        runs.tell(id)
        return shown(id, items.get(id, index) ?? item)
      },
      'invoiceIssue.export'({ id }) {
        const { kind, network } = find(id)
        if (kind !== 'issue') throw notNow('This job has issued nothing.')
        const now = (invoice: string) => deps.ledger.find(network, invoice)
        return deps.files.make(`invoices-issued-${id}.csv`, formatIssued(pagesOf(id), now))
      },
      async 'invoiceCancel.start'(asked) {
        deps.access.invoices(asked.network)
        const found = await readToCancel(asked, deps.ledger, deps.readPage)
        return begin(jobs.cancel(asked.network, found, deps.now()))
      },
      'invoiceJob.list': ({ network }) => jobs.list(network).map(show),
      'invoiceJob.get': ({ id }) => read(id),
      'invoiceJob.items'({ id, state, offset, limit }) {
        find(id)
        const page = items.page(id, state, offset, limit)
        return { total: page.total, items: page.items.map((item) => shown(id, item)) }
      },
      async 'invoiceJob.pause'({ id }) {
        if (find(id).state === 'running') await runs.pause(id)
        return read(id)
      },
      async 'invoiceJob.resume'({ id }) {
        const job = find(id)
        const { state, failed, unclear } = job
        if (isRunning(job) || state === 'cancelled') return read(id)
        if (state === 'done' && failed + unclear === 0) return read(id)
        await runs.resume(id, () => {
          // Refused, and so certainly not there; what is unclear is looked for once more.
          if (state !== 'paused') items.move(id, 'failed', 'waiting', null, leftOut)
          if (job.kind === 'issue') items.move(id, 'unclear', 'asked', null)
        })
        return read(id)
      },
      async 'invoiceJob.cancel'({ id }) {
        const { state } = find(id)
        if (state === 'done' || state === 'cancelled') return read(id)
        await runs.cancel(id, cancelGraceMs)
        leaveAsked(id)
        runs.tell(id)
        return read(id)
      },
      async 'invoiceJob.remove'({ id }) {
        const job = find(id)
        if (isRunning(job)) throw notNow('It runs: pause or cancel it first.')
        await runs.halt(id, 0)
        jobs.remove(id)
        deps.onRemoved(id)
        return {}
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
 * The person says that this invoice is what became of an unclear item.
 * @throws AppError INVOICE_UNKNOWN; INVOICE_JOB_NOT_NOW for another's, or of another amount; as the client does
 */
async function takeByHand(
  { id, network }: InvoiceJobRecord,
  item: StoredItem,
  invoice: string,
  { items, ledger }: Pick<InvoiceRunDeps, 'items' | 'ledger'>,
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
  items.done(id, item.index, { id: found.id, paymentLink, message: 'Named by hand.' })
}
