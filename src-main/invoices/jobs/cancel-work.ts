import type { InvoiceFilter } from '../../../src-preload/contract/invoice.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Handlers, Output, Parsed } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import {
  gatewayCodes,
  invoiceCodes,
  invoiceJobCodes,
  networkCodes,
} from '../../../src-preload/domain/error-codes.ts'
import type { QueryOptions } from '../../gateway/query.ts'
import type { TroubleData } from '../../gateway/trouble.ts'
import type { JobControl, JobEnd, JobWork } from '../../jobs/job-run.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { InvoiceJobRecord, StoredItem, ToCancel } from '../store/invoice-jobs.ts'
import type { InvoiceWorkDeps } from './issue-work.ts'

const maxTries = 3

/** Cancelling twice is harmless, so after an unclear response the invoice's fetched status decides. */
export function createCancelWork(
  job: InvoiceJobRecord,
  { abort, backoff, count }: JobControl,
  deps: InvoiceWorkDeps,
): JobWork {
  const { id, network } = job
  const { ledger, store } = deps
  const items = store.jobItems
  const priority = job.total === 1 ? 'interactive' : 'job'
  const queryOptions: QueryOptions = { priority, owner: `invoice job ${id}`, signal: abort }
  let tried = { index: -1, times: 0 }

  async function cancel(item: StoredItem): Promise<JobEnd | null> {
    const invoice = item.invoice ?? ''
    const known = ledger.find(network, invoice)
    if (known !== null && item.state === 'waiting' && known.status !== 'pending') {
      return settle(item, known.status)
    }
    try {
      const entry = await deps.access.invoices(network).cancel(invoice, deps.ids(network).appId, {
        ...queryOptions,
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
      now = await ledger.fetch(network, invoice, 'fetch', queryOptions)
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
      const message = `The invoice is ${status}. Only pending invoices can be cancelled.`
      return end(item, 'failed', message)
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

export type ReadPage = Handlers['invoice.page']

const maxCancelled = 10_000
const pageSize = 500

/** @throws AppError INVOICE_UNKNOWN, INVOICE_NONE_TO_CANCEL, or an error of the client */
export async function readCancelable(
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
