/**
 * Each request is stored before it is sent and settled after its response; after an unclear
 * response the list is read. A job can therefore be killed at any time and continued without
 * issuing an invoice twice.
 */
import type { QueryOptions } from '../../gateway/query.ts'
import { type JobControl, type JobEnd, type JobWork, failed, paused } from '../../jobs/job-run.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ApplicationIds, GatewayAccess } from '../context.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { InvoiceJobRecord, StoredItem } from '../store/invoice-jobs.ts'
import type { Mutex } from '../../../src-preload/domain/mutex.ts'
import type { InvoiceEntry } from '../../gateway/invoice-responses.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { formatMoney } from '../../../src-preload/domain/amount.ts'
import { type AppError, gatewayCodes } from '../../../src-preload/domain/app-error.ts'
import type { TroubleData } from '../../gateway/trouble.ts'

const looksAfterMs = [0, 2000, 5000, 15_000]
const settledMs = 60_000
/** After this many unclear responses in a row the gateway cannot issue more invoices. */
const maxUnclear = 3
/** If this many lines are refused and none is accepted, the lines are not the cause. */
const maxRefusedAtFirst = 5

export type InvoiceWorkDeps = {
  readonly access: Pick<GatewayAccess, 'info' | 'invoices'>
  readonly ledger: Pick<
    Ledger,
    'find' | 'record' | 'fetch' | 'addEvent' | 'setOrder' | 'setRest' | 'view'
  >
  readonly store: Pick<InvoiceStore, 'drafts' | 'jobs' | 'jobItems'>
  readonly ids: ApplicationIds
  readonly now: () => number
}

/** One run of an issue job, which sends one request after another. */
export class IssueWork implements JobWork {
  readonly #job: InvoiceJobRecord
  readonly #control: JobControl
  readonly #requests: Mutex
  readonly #deps: InvoiceWorkDeps
  /** Undefined until it is read. Null if the token may not list invoices. */
  #before: Mark | null | undefined
  #taken: number
  #refused = 0
  #unclear = 0
  #looking: { readonly index: number; looks: number; reason: string | null } | null = null
  #restMs = 0

  /** @param requests lets only one issue request of a network run at a time, over all jobs */
  constructor(job: InvoiceJobRecord, control: JobControl, requests: Mutex, deps: InvoiceWorkDeps) {
    this.#job = job
    this.#control = control
    this.#requests = requests
    this.#deps = deps
    this.#taken = job.done
  }

  next(): Promise<JobEnd | null> | null {
    const isOver = this.#first('asked') === null && this.#first('waiting') === null
    return isOver ? null : this.#afterRest()
  }

  problem(): string | null {
    if (this.#looking === null) return null
    const reason = this.#looking.reason ?? 'Tondesk has no response yet.'
    return `${reason} Checking whether the invoice was created.`
  }

  #first(state: 'asked' | 'waiting'): StoredItem | null {
    return this.#deps.store.jobItems.first(this.#job.id, state)
  }

  #reading(): QueryOptions {
    const { id, total } = this.#job
    const priority = total === 1 ? 'interactive' : 'job'
    return { priority, owner: `invoice job ${id}`, signal: this.#control.halt }
  }

  #list(): Pages {
    return listInvoices(this.#job.network, this.#reading(), this.#deps)
  }

  async #afterRest(): Promise<JobEnd | null> {
    if (this.#restMs > 0) await this.#control.rest(this.#restMs)
    return this.#control.halt.aborted ? null : this.#requests.run(() => this.#step())
  }

  async #step(): Promise<JobEnd | null> {
    this.#restMs = 0
    const requested = this.#first('asked')
    if (requested !== null) return this.#look(requested)
    const next = this.#first('waiting')
    if (next === null) return null
    if (this.#before !== undefined) return this.#ask(next, this.#before)
    this.#before = await readMark(this.#list())
    return null
  }

  async #ask(item: StoredItem, at: Mark | null): Promise<JobEnd | null> {
    const { access, now, store } = this.#deps
    const { abort } = this.#control
    const { id, network } = this.#job
    let wasSent = false
    const queryOptions: QueryOptions = {
      ...this.#reading(),
      signal: abort,
      onSend() {
        const { mark = null, known = [] } = at ?? {}
        store.jobItems.ask(id, item.index, { askedAt: now(), mark, known })
        wasSent = true
      },
    }
    const { amount, currency, description, lifeTimeSeconds } = item
    const wanted = { amount, currency, description, lifeTimeSeconds: lifeTimeSeconds ?? 0 }
    let entry
    try {
      entry = await access.invoices(network).create(wanted, queryOptions)
    } catch (error) {
      abort.throwIfAborted()
      return this.#meet(item, error, wasSent)
    }
    this.#accept(item, entry, differenceOf(item, entry))
    if (this.#before) this.#before = markAfter(this.#before, entry.createdAt)
    return null
  }

  #accept(item: StoredItem, entry: InvoiceEntry, message: string | null): void {
    const { ledger, store } = this.#deps
    const { id: job, network } = this.#job
    // The ledger is written before the item: after a kill, the missing assignment is searched for.
    ledger.record(network, [entry], 'created-here')
    const { id: invoice, paymentLink } = entry
    if (item.orderReference !== '') ledger.setOrder(network, invoice, item.orderReference)
    if (item.restOf !== null) ledger.setRest(network, invoice, item.restOf)
    store.jobItems.done(job, item.index, { invoice, paymentLink, message })
    this.#taken += 1
    this.#unclear = 0
    this.#refused = 0
    if (this.#looking?.index === item.index) this.#looking = null
    this.#control.backoff.answered()
    this.#control.count(1)
  }

  #set(item: StoredItem, state: 'waiting' | 'failed' | 'unclear', message: string | null): void {
    this.#deps.store.jobItems.set(this.#job.id, item.index, state, message)
  }

  #meet(item: StoredItem, error: unknown, wasSent: boolean): JobEnd | null {
    const trouble = readIssueTrouble(error, wasSent)
    if (trouble.kind === 'unclear') {
      this.#looking = { index: item.index, looks: 0, reason: trouble.message }
      return null
    }
    if (trouble.kind === 'refused') return this.#refuse(item, trouble.message)
    this.#set(item, 'waiting', null)
    if (trouble.kind === 'later') {
      this.#control.backoff.pause(trouble.message, trouble.afterMs)
      return null
    }
    return paused(`${trouble.message} Resume the job when this is resolved.`)
  }

  #refuse(item: StoredItem, message: string): JobEnd | null {
    this.#set(item, 'failed', message)
    this.#control.count(1)
    this.#control.backoff.answered()
    this.#unclear = 0
    this.#refused += 1
    if (this.#taken > 0 || this.#refused < maxRefusedAtFirst) return null
    return failed(`The gateway accepts none of the invoices. ${message}`)
  }

  async #look(item: StoredItem): Promise<JobEnd | null> {
    const { askedAt, mark, index } = item
    if (this.#looking?.index !== index) this.#looking = { index, looks: 0, reason: null }
    // Later creations are compared with a newly read list.
    this.#before = undefined
    if (askedAt === null || mark === null) return this.#giveUp(item, cannotList)
    let found
    try {
      found = await findCreated(item, mark, this.#job.network, this.#list(), this.#deps)
    } catch (error) {
      this.#control.halt.throwIfAborted()
      const refusal = readRefusal(error)
      if (refusal.kind === 'passing') throw error
      return this.#giveUp(item, `${cannotList} ${refusal.message}`)
    }
    this.#control.backoff.answered()
    this.#looking.looks += 1
    const result = concludeFrom(found, this.#looking.looks, this.#deps.now() - askedAt)
    if ('why' in result) return this.#giveUp(item, result.why)
    if ('entry' in result) this.#accept(item, result.entry, foundByLooking)
    else this.#restMs = result.restMs
    return null
  }

  #giveUp(item: StoredItem, why: string): JobEnd | null {
    const reason = this.#looking?.reason ?? 'Tondesk quit before the response arrived.'
    this.#set(item, 'unclear', `${reason} ${why}`)
    this.#looking = null
    this.#unclear += 1
    this.#control.count(1)
    if (this.#unclear < maxUnclear) return null
    const problem = `${this.#unclear} invoices in a row had no clear response, so the job paused. ${reason} Resume the job when the gateway works again.`
    return paused(problem)
  }
}

const cannotList =
  'The token may not list invoices at this gateway. Check in the console whether the invoice was created.'
const notListed =
  'The gateway’s list does not show the invoice, but it may appear later. Check the console before you retry.'
const foundByLooking = 'The response was lost, but the gateway’s list contains the invoice.'

type Conclusion =
  | { readonly entry: InvoiceEntry }
  | { readonly why: string }
  | { readonly restMs: number }

/**
 * Decides the outcome of a request without a response.
 * @param found the listed invoices that may be the requested one
 */
function concludeFrom(
  found: readonly InvoiceEntry[],
  looks: number,
  askedMsAgo: number,
): Conclusion {
  const [entry, ...others] = found
  if (entry !== undefined) {
    return others.length === 0 ? { entry } : { why: severalAlike(found.map(({ id }) => id)) }
  }
  const restMs = looksAfterMs[looks]
  return askedMsAgo > settledMs || restMs === undefined ? { why: notListed } : { restMs }
}

function severalAlike(ids: readonly string[]): string {
  const [shown, rest] = [ids.slice(0, 5).join(', '), ids.length - 5]
  const more = rest > 0 ? ` and ${rest} more` : ''
  return `Several invoices in the gateway’s list match (${shown}${more}). Choose the right invoice.`
}

function differenceOf(item: StoredItem, { amount, currency }: InvoiceEntry): string | null {
  if (amount === item.amount && currency === item.currency) return null
  return `The gateway created the invoice with ${formatMoney(amount, currency)}. Check the invoice before you send the link.`
}

/**
 * `refused`, `standstill` (until the user acts) and `later` (a retry may succeed): the invoice was
 * not created. `unclear`: it may have been created.
 */
type IssueTrouble = {
  readonly kind: 'refused' | 'standstill' | 'later' | 'unclear'
  readonly message: string
  readonly afterMs: number
}

/** @throws any error other than AppError, because it is a bug */
export function readIssueTrouble(error: unknown, wasSent: boolean): IssueTrouble {
  const refusal = readRefusal(error)
  const { code, data } = error as AppError
  const { status, isUnsent, retryAfterMs: afterMs = 0 } = (data ?? {}) as TroubleData
  const toTrouble = (kind: IssueTrouble['kind']) => ({ kind, message: refusal.message, afterMs })
  const isRedirect = status !== undefined && status >= 300 && status < 400
  if (refusal.kind === 'standstill' || isRedirect) return toTrouble('standstill')
  if (!wasSent || isUnsent === true || code === gatewayCodes.rateLimited) return toTrouble('later')
  const isRefused = refusal.kind === 'request' || code === gatewayCodes.notAccepted
  // After 408 the gateway may still have read the request.
  return toTrouble(isRefused && status !== 408 ? 'refused' : 'unclear')
}

/** The gateway's state before a request: the newest creation time, and the ids from about that time. */
type Mark = { readonly mark: number; readonly known: readonly string[] }

/** Clocks of servers behind one address may differ by this much. */
const slackMs = 5000
const atOnce = 100
const maxListed = 20 * atOnce

type Pages = AsyncGenerator<readonly InvoiceEntry[]>

/** Yields the gateway's invoices, newest first. @throws AppError of the client; the signal's reason */
async function* listInvoices(
  network: NetworkId,
  queryOptions: QueryOptions,
  deps: InvoiceWorkDeps,
): Pages {
  const client = deps.access.invoices(network)
  const { appId } = deps.ids(network)
  for (let offset = 0; offset < maxListed; offset += atOnce) {
    const { invoices, unread } = await client.list({ offset, limit: atOnce }, appId, queryOptions)
    yield invoices
    if (invoices.length + unread.length < atOnce) return
  }
}

/** @returns null if the gateway refuses the list; the token may still issue invoices */
async function readMark(pages: Pages): Promise<Mark | null> {
  let mark: number | null = null
  const known: string[] = []
  try {
    for await (const page of pages) {
      mark ??= Math.max(0, ...page.map(({ createdAt }) => createdAt))
      const from = mark - slackMs
      const recent = page.filter(({ createdAt }) => createdAt >= from)
      known.push(...recent.map(({ id }) => id))
      if (recent.length < page.length) break
    }
  } catch (error) {
    if (readRefusal(error).kind === 'passing') throw error
    return null
  }
  return { mark: mark ?? 0, known }
}

/** Moves the mark after a creation; known ids are dropped once they are older than the slack. */
function markAfter({ mark, known }: Mark, createdAt: number): Mark {
  if (createdAt <= mark) return { mark, known }
  return { mark: createdAt, known: createdAt - mark > slackMs ? [] : known }
}

/**
 * Returns invoices created since the mark that have the same fields and are not assigned to another
 * request.
 */
async function findCreated(
  item: StoredItem,
  mark: number,
  network: NetworkId,
  pages: Pages,
  { store, ledger }: InvoiceWorkDeps,
): Promise<InvoiceEntry[]> {
  const from = mark - slackMs
  const known = new Set(item.known)
  const found = new Map<string, InvoiceEntry>()
  for await (const page of pages) {
    for (const entry of page) {
      if (entry.createdAt >= from && isAlike(item, entry)) found.set(entry.id, entry)
    }
    if (page.some(({ createdAt }) => createdAt < from)) break
  }
  return [...found.values()].filter(({ id }) => {
    const seenAt = ledger.find(network, id)?.firstSeenAt ?? Infinity
    return !known.has(id) && seenAt >= (item.askedAt ?? 0) && !store.jobItems.isIssued(network, id)
  })
}

/** Rounded times may lose up to a second. */
const roundedMs = 1000

function isAlike(item: StoredItem, entry: InvoiceEntry): boolean {
  const lifeMs = entry.expiresAt - entry.createdAt
  return (
    entry.amount === item.amount &&
    entry.currency === item.currency &&
    entry.description.trim() === item.description.trim() &&
    Math.abs(lifeMs - (item.lifeTimeSeconds ?? 0) * 1000) <= roundedMs
  )
}
