/** Cancelling twice is harmless: after an unclear response the fetched invoice's status decides. */
import type { InvoiceFilter } from '../../../src-preload/contract/invoice.ts'
import type { Handlers, Output, Parsed } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import {
  gatewayCodes,
  invoiceCodes,
  invoiceJobCodes,
  networkCodes,
} from '../../../src-preload/domain/error-codes.ts'
import type { Asking } from '../../gateway/query.ts'
import type { TroubleData } from '../../gateway/trouble.ts'
import type { JobControl, JobEnd, JobWork } from '../../jobs/job-run.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { InvoiceWorkDeps } from '../parts.ts'
import type { InvoiceJobRecord, StoredItem, ToCancel } from '../store/invoice-jobs.ts'

const maxTries = 3

export function createCancelWork(
  job: InvoiceJobRecord,
  { abort, backoff, count }: JobControl,
  deps: InvoiceWorkDeps,
): JobWork {
  const { id, network } = job
  const { items, ledger } = deps
  const priority = job.total === 1 ? 'interactive' : 'job'
  const asking: Asking = { priority, owner: `invoice job ${id}`, signal: abort }
  let tried: { readonly index: number; times: number } | null = null

  async function cancelItem(item: StoredItem): Promise<JobEnd | null> {
    const invoice = item.invoice ?? ''
    const known = ledger.find(network, invoice)
    if (known !== null && item.state === 'waiting' && known.status !== 'pending') {
      settle(item, known.status)
      return null
    }
    return cancel(item, invoice)
  }

  async function cancel(item: StoredItem, invoice: string): Promise<JobEnd | null> {
    const client = deps.access.invoices(network)
    try {
      const entry = await client.cancel(invoice, deps.ids(network).appId, {
        ...asking,
        onSend: () => noteAsked(item, invoice),
      })
      ledger.record(network, [entry], 'cancelled-here')
      if (entry.status === 'pending') return again(item, 'The gateway still has it as pending.')
      settle(item, entry.status)
      return null
    } catch (error) {
      abort.throwIfAborted()
      return meet(item, invoice, error)
    }
  }

  function noteAsked(item: StoredItem, invoice: string): void {
    const at = deps.now()
    items.ask(id, item.index, { askedAt: at, mark: null, known: [] })
    const key = ledger.find(network, invoice)?.key
    const isFirst = item.state === 'waiting'
    if (key === undefined || !isFirst) return
    const detail = {}
    ledger.addEvent(key, { at, source: 'cancelled-here', kind: 'cancel-asked', detail })
  }

  async function meet(item: StoredItem, invoice: string, error: unknown): Promise<JobEnd | null> {
    const refusal = readRefusal(error)
    const { code, data } = error as AppError
    const { isUnsent } = (data ?? {}) as TroubleData
    if (refusal.kind === 'standstill' && code !== gatewayCodes.notFound) {
      items.set(id, item.index, 'waiting', null)
      return { state: 'paused', problem: `${refusal.message} ${elsewhere}` }
    }
    if (code === gatewayCodes.rateLimited || code === networkCodes.unavailable || isUnsent) {
      backoff.pause(refusal.message, refusal.kind === 'passing' ? refusal.retryAfterMs : 0)
      return null
    }
    return fetch(item, invoice, refusal.message)
  }

  async function fetch(item: StoredItem, invoice: string, why: string): Promise<JobEnd | null> {
    let now
    try {
      now = await ledger.fetch(network, invoice, 'fetch', asking)
    } catch (error) {
      abort.throwIfAborted()
      const refusal = readRefusal(error)
      if (refusal.kind === 'passing') backoff.pause(refusal.message, refusal.retryAfterMs)
      else fail(item, refusal.message)
      return null
    }
    if (now === null) fail(item, 'The gateway does not know it.')
    else if (now.status === 'pending') return again(item, why)
    else settle(item, now.status)
    return null
  }

  function again(item: StoredItem, why: string): null {
    if (tried?.index !== item.index) tried = { index: item.index, times: 0 }
    tried.times += 1
    if (tried.times >= maxTries) fail(item, `It is still pending. ${why}`)
    else backoff.pause(why, 0)
    return null
  }

  function settle(item: StoredItem, status: string): void {
    if (status !== 'cancelled') {
      fail(item, `It is ${status}, and only a pending invoice can be cancelled.`)
      return
    }
    const wasAsked = item.state === 'asked' || items.get(id, item.index)?.state === 'asked'
    items.set(id, item.index, 'done', wasAsked ? null : 'It was cancelled already.')
    backoff.answered()
    count(1)
  }

  function fail(item: StoredItem, message: string): void {
    items.set(id, item.index, 'failed', message)
    backoff.answered()
    count(1)
  }

  return {
    next() {
      const item = items.first(id, 'asked') ?? items.first(id, 'waiting')
      return item === null ? null : cancelItem(item)
    },
  }
}

const elsewhere =
  'Resume the job when that is settled; where the gateway lets no token cancel, do it in the console.'

export type ReadPage = Handlers['invoice.page']

const maxCancelled = 10_000
const pageSize = 500

/** @throws AppError INVOICE_UNKNOWN, INVOICE_NONE_TO_CANCEL, and the client's errors */
export async function readToCancel(
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
  throw new AppError(invoiceJobCodes.noneToCancel, 'None of these is pending: nothing to cancel.')
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
