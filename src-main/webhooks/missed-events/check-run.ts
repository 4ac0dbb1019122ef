/** Runs one missed-event check: reads each account's history backwards and compares it with the captures. */
import { AppError, webhookCodes } from '../../../src-preload/domain/app-error.ts'
import type { Arrivals } from '../../captures/store/arrivals.ts'
import { isNotFound } from '../../chain/access.ts'
import { pagesOf } from '../../database/pages.ts'
import {
  type ChainEdge,
  type ChainPage,
  describeCut,
  describeGap,
  describeRepetition,
  edgeAt,
  readChainPage,
} from '../../gateway/transaction-chain.ts'
import { type JobControl, type JobEnd, type JobWork, done } from '../../jobs/job-run.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { Room } from '../room.ts'
import type { CheckRecord, FoundEvent, WaitingAccount } from '../store/missed-event-checks.ts'
import type { SubscribedAccount } from '../store/subscriptions.ts'
import { type Circumstances, attributeCapture, verdictOf } from './verdict.ts'

export type CheckRunDeps = Room<'access' | 'book' | 'chainNow' | 'mirror' | 'now' | 'store'> & {
  readonly arrivals: Arrivals
  readonly indexed: () => Promise<void>
}

const widest = 3
const maxTroubles = 3
/** Most accounts have few transactions in the span; busy ones get larger pages. */
const pageSizes = [25, 100, 250] as const
const accountsAtOnce = 500
const shownArrivals = 20
/** Tolerated difference between the clocks of the gateway and of this computer. */
const clockToleranceMs = 120_000

/** Data that is read before the accounts. */
type Preparation = Pick<Circumstances, 'isWorldTime' | 'isOnline' | 'keptFrom'> & {
  readonly now: () => number
}

type Reading = WaitingAccount & {
  readonly edge: ChainEdge | null
  readonly pages: number
  readonly troubles: number
  readonly readBefore: number
}

type Transaction = Pick<FoundEvent, 'lt' | 'hash' | 'at'> & { readonly isFirst: boolean }

export function createCheckWork(
  check: CheckRecord,
  { abort, backoff, count }: JobControl,
  deps: CheckRunDeps,
): JobWork {
  const checks = deps.store.ledgerChecks
  const { arrivals, book, chainNow, mirror, now } = deps
  const { id, network, webhook } = check
  const queryOptions = { priority: 'job', owner: `ledger/${id}`, signal: abort } as const
  const again: Reading[] = []
  let preparation: Preparation | null = null
  let reached = -1
  let read = 0

  async function start(): Promise<JobEnd | null> {
    const clock = await chainNow(network)
    const isWorldTime = Math.abs(clock - now()) < clockToleranceMs
    await book.read(network, queryOptions)
    await mirror.read(network, webhook, queryOptions.signal)
    const { status } = book.find(network, webhook)
    if (!check.isWhole) await listAccounts()
    preparation = {
      isWorldTime,
      isOnline: status === null || status === 'online',
      keptFrom: arrivals.keptFrom(),
      now: isWorldTime ? now : () => clock,
    }
    backoff.answered()
    return null
  }

  async function listAccounts(): Promise<void> {
    checks.clearAccounts(id)
    if (check.scope === 'failing') {
      const pages = pagesOf<SubscribedAccount>((last) =>
        mirror.page(network, webhook, last?.account ?? '', accountsAtOnce),
      )
      for await (const page of pages) {
        const failing = page.flatMap(({ account, isFailing }) => (isFailing ? account : []))
        checks.addAccounts(id, failing)
      }
    } else {
      const pages = pagesOf<string>((last = '') =>
        mirror.accounts(network, webhook, last, accountsAtOnce),
      )
      for await (const accounts of pages) checks.addAccounts(id, accounts)
    }
    checks.finish(id)
  }

  function readHistory({ account, beforeLt, edge, pages }: Reading): Promise<ChainPage | null> {
    const limit = pageSizes[Math.min(pages, pageSizes.length - 1)] ?? 100
    const from = edge ?? (beforeLt === null ? null : edgeAt(beforeLt.toString()))
    return readChainPage({ account, edge: from, isUpward: false }, async (bound) => {
      const page = { limit, sortOrder: 'desc', ...bound } as const
      const rows = await deps.access.query(network).accountTransactions(account, page, queryOptions)
      return rows.map((value) => ({ value }))
    })
  }

  function nextAccount(): Reading | null {
    const waiting = again.shift()
    if (waiting !== undefined) return waiting
    const account = checks.nextWaiting(id, reached)
    if (account === null) return null
    reached = account.index
    return { ...account, edge: null, pages: 0, troubles: 0, readBefore: read }
  }

  async function readAccount(account: Reading, prepared: Preparation): Promise<JobEnd | null> {
    try {
      const problem = await readNextPage(account, prepared)
      backoff.answered()
      if (problem !== null) leave(account, problem)
      return null
    } catch (error) {
      abort.throwIfAborted()
      return handleRefusal(account, error)
    }
  }

  /** @returns why the account cannot be checked */
  async function readNextPage(account: Reading, prepared: Preparation): Promise<string | null> {
    if (mirror.find(network, webhook, account.account) === null) return notSubscribed
    const page = await readHistory(account)
    if (page === null) return null
    const problem = whyMissing(page, check.from)
    if (problem !== null) return problem
    await deps.indexed()
    // If the check is resumed, it reads this page again.
    return abort.aborted ? null : keep(account, page, prepared)
  }

  function keep(account: Reading, page: ChainPage, prepared: Preparation): string | null {
    read += 1
    const transactions = page.rows.flatMap(toTransaction)
    const ofSpan = transactions.filter(({ at }) => at >= check.from && at < check.to)
    if (ofSpan.some(({ lt }) => lt > arrivals.largestLt)) return tooLarge
    const { events, earliestLater } = findEvents(account, ofSpan, check, prepared, deps)
    const last = transactions.at(-1)
    const isLast = last === undefined || last.isFirst || last.at < check.from
    const beforeLt = last?.lt ?? account.beforeLt
    checks.keep(id, account.index, { events, beforeLt, earliestLater, isLast })
    const pages = account.pages + 1
    if (isLast) count(1)
    else again.push({ ...account, beforeLt, earliestLater, edge: page.edge, pages })
    return null
  }

  /** @throws the error if the job must retry or pause */
  function handleRefusal(account: Reading, error: unknown): JobEnd | null {
    const refusal = readRefusal(error)
    const isOfAccount = isNotFound(error)
    if (isOfAccount) backoff.answered()
    const troubles = account.troubles + Number(refusal.kind === 'passing' && refusal.isOwn)
    // Other accounts were read meanwhile, so the gateway is not down.
    const isGivenUp =
      refusal.kind === 'passing' && troubles > maxTroubles && read > account.readBefore
    if (isOfAccount || isGivenUp || refusal.kind === 'request') {
      leave(account, refusal.message)
      return null
    }
    again.push({ ...account, troubles })
    throw error
  }

  function leave({ index }: Reading, problem: string): void {
    checks.leaveUnread(id, index, problem)
    count(1)
  }

  return {
    next() {
      if (preparation === null) return start().catch(failIfGone)
      const account = nextAccount()
      return account && readAccount(account, preparation).catch(failIfGone)
    },
    maxParallel: () => (preparation === null ? 1 : widest),
    finish: () => ({ ...done, problem: describeResult(checks.get(id) ?? check, preparation) }),
  }
}

const notSubscribed = 'The webhook is not subscribed to this account, so no delivery is expected.'
const tooLarge =
  'The logical times of this account exceed 2^63, so its deliveries cannot be distinguished.'

function failIfGone(error: unknown): JobEnd {
  if (!(error instanceof AppError) || error.code !== webhookCodes.unknown) throw error
  return { state: 'failed', problem: error.message }
}

/** Returns why the check might not notice missing events; those from before its period do not count. */
function whyMissing(page: ChainPage, from: number): string | null {
  const end = page.rows.find((row) => 'value' in row && row.value.utime * 1000 < from)
  const endLt = end !== undefined && 'value' in end ? BigInt(end.value.lt) : 0n
  const gap = page.gaps.find(({ newerLt }) => BigInt(newerLt) > endLt)
  if (gap !== undefined) return describeGap(gap)
  if (page.strays[0] !== undefined) return page.strays[0]
  if (!page.isCut) return null
  return page.isRepeated ? describeRepetition(page.edge?.lt ?? '0') : describeCut(page)
}

function toTransaction(row: ChainPage['rows'][number]): Transaction[] {
  if (!('value' in row)) return []
  const { lt, hash, utime, prev_trans_lt: previous } = row.value
  return [{ lt: BigInt(lt), hash, at: utime * 1000, isFirst: previous === '0' }]
}

/** Events are processed newest first, because an event is out of order if a later one arrived before it. */
function findEvents(
  { account, earliestLater: earliest }: WaitingAccount,
  transactions: readonly Transaction[],
  { network, webhook, lateAfterMs }: CheckRecord,
  { now, ...preparation }: Preparation,
  { arrivals, mirror, store }: CheckRunDeps,
): { events: FoundEvent[]; earliestLater: number | null } {
  const events: FoundEvent[] = []
  let earliestLater = earliest
  const counters = mirror.find(network, webhook, account)
  if (counters === null) return { events, earliestLater }
  const lts = transactions.map(({ lt }) => lt)
  const stored = Map.groupBy(arrivals.of(account, lts), ({ lt }) => lt)
  const circumstances = {
    ...preparation,
    now: now(),
    lateAfterMs,
    counters,
    since: mirror.since(network, webhook, account),
  }
  for (const { lt, hash, at } of transactions) {
    const here = (stored.get(lt) ?? []).flatMap((each) => {
      const arrival = attributeCapture(each, { network, webhook }, store.webhooks.isTokenOfAnother)
      return arrival === null ? [] : { ...each, arrival }
    })
    const judgement = verdictOf(
      { lt, at },
      here.map(({ arrival }) => arrival),
      { ...circumstances, earliestLater },
    )
    if (judgement === null) continue
    const { taken, ...found } = judgement
    if (taken !== null) earliestLater = Math.min(taken, earliestLater ?? taken)
    const captures = here
      .slice(0, shownArrivals)
      .map(({ id, receivedAt, status }) => ({ id, receivedAt, status }))
    events.push({ ...found, lt, hash, at, captures })
  }
  return { events, earliestLater }
}

/** Remarks on a finished check; null if there are none. */
function describeResult(
  { from, isHere, scope, accounts }: CheckRecord,
  preparation: Preparation | null,
): string | null {
  const keptFrom = preparation?.keptFrom ?? null
  const remarks: string[] = []
  if (accounts === 0) {
    remarks.push(
      scope === 'failing'
        ? 'No account of this webhook is failing.'
        : 'This webhook has no subscribed accounts.',
    )
  }
  if (!isHere) remarks.push('This webhook does not deliver to this receiver.')
  if (keptFrom !== null && keptFrom > from) {
    const moment = `${new Date(keptFrom).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    remarks.push(
      `Captures from before ${moment} are no longer stored, so older events without a stored delivery were not checked.`,
    )
  }
  return remarks.length === 0 ? null : remarks.join(' ')
}
