/**
 * Each request is stored right before it is sent and settled after its response; an unclear response is
 * resolved by reading the list. A job can therefore be killed at any time and continued without issuing an
 * invoice twice.
 */
import type { Asking } from '../../gateway/query.ts'
import type { JobControl, JobEnd, JobWork } from '../../jobs/job-run.ts'
import type { InvoiceWorkDeps } from '../parts.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { InvoiceJobRecord, StoredItem } from '../store/invoice-jobs.ts'
import { type Mark, findCreated, markAfter, readMark } from './find-created.ts'
import type { Mutex } from '../../../src-preload/domain/mutex.ts'
import type { InvoiceEntry } from '../../gateway/invoice-answers.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'
import type { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../../src-preload/domain/error-codes.ts'
import type { TroubleData } from '../../gateway/trouble.ts'

const looksAfterMs = [0, 2000, 5000, 15_000]
const settledMs = 60_000
/** After this many unclear responses in a row the gateway is in no state to issue more. */
const maxUnclear = 3
/** When this many lines are refused and none accepted, the lines are not the cause. */
const maxRefusedAtFirst = 5

/** @param requests lets one issue request of a network run at a time, across all jobs */
export function createIssueWork(
  job: InvoiceJobRecord,
  { halt, abort, backoff, rest, count }: JobControl,
  requests: Mutex,
  deps: InvoiceWorkDeps,
): JobWork {
  const { id, network } = job
  const { items } = deps
  const owner = `invoice job ${id}`
  const priority = job.total === 1 ? 'interactive' : 'job'
  const reading: Asking = { priority, owner, signal: halt }
  /** Undefined: not read yet. Null: the gateway does not let the token list invoices. */
  let before: Mark | null | undefined
  let taken = job.done
  let refused = 0
  let unclear = 0
  let looking: { readonly index: number; looks: number; reason: string | null } | null = null
  let restMs = 0

  const list = () => ({
    client: deps.access.invoices(network),
    app: deps.ids(network).appId,
    asking: reading,
  })

  async function step(): Promise<JobEnd | null> {
    restMs = 0
    const asked = items.first(id, 'asked')
    if (asked !== null) return look(asked)
    const next = items.first(id, 'waiting')
    if (next === null) return null
    return before === undefined ? readBefore() : ask(next, before)
  }

  async function readBefore(): Promise<JobEnd | null> {
    try {
      before = await readMark(list())
    } catch (error) {
      halt.throwIfAborted()
      const refusal = readRefusal(error)
      if (refusal.kind === 'passing') backoff.pause(refusal.message, refusal.retryAfterMs)
      // It may let the token issue all the same.
      else before = null
    }
    return null
  }

  async function ask(item: StoredItem, at: Mark | null): Promise<JobEnd | null> {
    let wasSent = false
    const asking: Asking = {
      ...reading,
      signal: abort,
      onSend() {
        const { mark = null, known = [] } = at ?? {}
        items.ask(id, item.index, { askedAt: deps.now(), mark, known })
        wasSent = true
      },
    }
    const { amount, currency, description, lifeTimeSeconds } = item
    const wanted = { amount, currency, description, lifeTimeSeconds: lifeTimeSeconds ?? 0 }
    let entry
    try {
      entry = await deps.access.invoices(network).create(wanted, asking)
    } catch (error) {
      abort.throwIfAborted()
      return meet(item, error, wasSent)
    }
    accept(item, () => take(job, item, entry, deps))
    if (before) before = markAfter(before, entry.createdAt)
    return null
  }

  function accept(item: StoredItem, keep: () => void): void {
    keep()
    taken += 1
    unclear = 0
    refused = 0
    if (looking?.index === item.index) looking = null
    backoff.answered()
    count(1)
  }

  function meet(item: StoredItem, error: unknown, wasSent: boolean): JobEnd | null {
    const trouble = readIssueTrouble(error, wasSent)
    if (trouble.kind === 'unclear') {
      looking = { index: item.index, looks: 0, reason: trouble.message }
      return null
    }
    if (trouble.kind === 'refused') return refuse(item, trouble.message)
    items.set(id, item.index, 'waiting', null)
    if (trouble.kind === 'later') {
      backoff.pause(trouble.message, trouble.afterMs)
      return null
    }
    return { state: 'paused', problem: `${trouble.message} Resume the job when that is settled.` }
  }

  function refuse(item: StoredItem, message: string): JobEnd | null {
    items.set(id, item.index, 'failed', message)
    count(1)
    backoff.answered()
    unclear = 0
    refused += 1
    if (taken > 0 || refused < maxRefusedAtFirst) return null
    return { state: 'failed', problem: `None of it is taken. ${message}` }
  }

  async function look(item: StoredItem): Promise<JobEnd | null> {
    const { askedAt, mark } = item
    if (looking?.index !== item.index) looking = { index: item.index, looks: 0, reason: null }
    // Later creations are compared with a list that is read anew.
    before = undefined
    if (askedAt === null || mark === null) return giveUp(item, cannotList)
    let found
    try {
      found = await findCreated(item, mark, network, list(), deps)
    } catch (error) {
      halt.throwIfAborted()
      const refusal = readRefusal(error)
      if (refusal.kind !== 'passing') return giveUp(item, `${cannotList} ${refusal.message}`)
      backoff.pause(refusal.message, refusal.retryAfterMs)
      return null
    }
    backoff.answered()
    const [entry, ...others] = found
    if (entry !== undefined && others.length === 0) {
      accept(item, () => take(job, item, entry, deps, foundByLooking))
      return null
    }
    if (entry !== undefined) return giveUp(item, severalAlike(found.map((each) => each.id)))
    looking.looks += 1
    const isLate = deps.now() - askedAt > settledMs
    const next = looksAfterMs[looking.looks]
    if (isLate || next === undefined) return giveUp(item, notListed)
    restMs = next
    return null
  }

  function giveUp(item: StoredItem, why: string): JobEnd | null {
    const reason = looking?.reason ?? 'Tondesk ended before it was answered.'
    items.set(id, item.index, 'unclear', `${reason} ${why}`)
    looking = null
    unclear += 1
    count(1)
    if (unclear < maxUnclear) return null
    const problem = `${unclear} invoices in a row were not answered clearly, so no more are asked for. ${reason} Resume the job when the gateway is well.`
    return { state: 'paused', problem }
  }

  async function afterRest(): Promise<JobEnd | null> {
    if (restMs > 0) await rest(restMs)
    return halt.aborted ? null : requests.run(step)
  }

  return {
    next() {
      const isOver = items.first(id, 'asked') === null && items.first(id, 'waiting') === null
      return isOver ? null : afterRest()
    },
    problem: () =>
      looking === null
        ? null
        : `${looking.reason ?? 'An answer was not waited for.'} Looking whether the invoice was made.`,
  }
}

const cannotList =
  'This gateway does not let the token list invoices, so it cannot be looked up here: look in the console.'
const notListed =
  'The gateway’s list does not show it. Look in the console before asking again: it may yet appear.'
const foundByLooking = 'Its answer was lost; it was found in the gateway’s list.'

function severalAlike(ids: readonly string[]): string {
  const [shown, rest] = [ids.slice(0, 5).join(', '), ids.length - 5]
  const more = rest > 0 ? ` and ${rest} more` : ''
  return `Several of the gateway’s list may be it (${shown}${more}): say which.`
}

/** The ledger is written before the item: after a kill, a missing assignment is looked for. */
function take(
  { id, network }: Pick<InvoiceJobRecord, 'id' | 'network'>,
  item: StoredItem,
  entry: InvoiceEntry,
  { ledger, items }: Pick<InvoiceWorkDeps, 'ledger' | 'items'>,
  found: string | null = null,
): void {
  ledger.record(network, [entry], 'created-here')
  const message = found ?? differenceOf(item, entry)
  items.done(id, item.index, { invoice: entry.id, paymentLink: entry.paymentLink, message })
}

function differenceOf(item: StoredItem, { amount, currency }: InvoiceEntry): string | null {
  if (amount === item.amount && currency === item.currency) return null
  return `The gateway made it of ${formatAmount(amount, decimalsOf[currency])} ${currency}: look at it before it is sent.`
}

type IssueTrouble =
  | { readonly kind: 'refused'; readonly message: string }
  /** It was not made; nothing more can be until a person has done something. */
  | { readonly kind: 'standstill'; readonly message: string }
  /** It was not made, and may be at the next try. */
  | { readonly kind: 'later'; readonly message: string; readonly afterMs: number }
  /** It may have been made. */
  | { readonly kind: 'unclear'; readonly message: string }

/** @throws any error that is no AppError: a bug */
export function readIssueTrouble(error: unknown, wasSent: boolean): IssueTrouble {
  const refusal = readRefusal(error)
  const { message } = refusal
  const { code, data } = error as AppError
  const { status, isUnsent, retryAfterMs = 0 } = (data ?? {}) as TroubleData
  const isRedirect = status !== undefined && status >= 300 && status < 400
  if (refusal.kind === 'standstill' || isRedirect) return { kind: 'standstill', message }
  if (!wasSent || isUnsent === true || code === gatewayCodes.rateLimited) {
    return { kind: 'later', message, afterMs: retryAfterMs }
  }
  const isRefused = refusal.kind === 'request' || code === gatewayCodes.notAccepted
  // After 408 the gateway may have read the request all the same.
  return isRefused && status !== 408 ? { kind: 'refused', message } : { kind: 'unclear', message }
}
