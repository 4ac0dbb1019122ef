/** Runs one missed-event check: reads each account's history backwards and joins it with the captures. */
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { gatewayCodes, webhookCodes } from '../../../src-preload/domain/error-codes.ts'
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
import { type Refusal, readRefusal } from '../../jobs/refusal.ts'
import type { Arrivals } from '../../captures/store/arrivals.ts'
import type { CheckRecord, FoundEvent, WaitingAccount } from '../store/missed-event-checks.ts'
import { pagesOf } from '../../database/pages.ts'
import type { Room } from '../room.ts'
import { attribute, type Circumstances, verdictOf } from './verdict.ts'

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

type Known = Pick<Circumstances, 'isWorldTime' | 'isOnline' | 'keptFrom'> & {
  readonly now: () => number
}

type Reading = WaitingAccount & {
  readonly edge: ChainEdge | null
  readonly pages: number
  readonly troubles: number
  readonly readBefore: number
}

export function createCheckWork(
  check: CheckRecord,
  { abort, backoff, count }: JobControl,
  deps: CheckRunDeps,
): JobWork {
  const { arrivals, mirror, now, store } = deps
  const checks = store.ledgerChecks
  const { network, webhook, lateAfterMs } = check
  const queryOptions = { priority: 'job', owner: `ledger/${check.id}`, signal: abort } as const
  const again: Reading[] = []
  let known: Known | null = null
  let reached = -1
  let read = 0

  async function attempt(
    work: () => Promise<void>,
    meet: (refusal: Refusal) => JobEnd | null,
  ): Promise<JobEnd | null> {
    try {
      await work()
      backoff.answered()
      return null
    } catch (error) {
      if (abort.aborted) return null
      if (!(error instanceof AppError)) throw error
      if (error.code === webhookCodes.unknown) return { state: 'failed', problem: error.message }
      return meet(readRefusal(error))
    }
  }

  async function prepare(): Promise<void> {
    const clock = await deps.chainNow(network)
    const isWorldTime = Math.abs(clock - now()) < clockToleranceMs
    await deps.book.read(network, queryOptions)
    await mirror.read(network, webhook, abort)
    const { status } = deps.book.find(network, webhook)
    if (!check.isWhole) await listAccounts()
    known = {
      isWorldTime,
      isOnline: status === null || status === 'online',
      keptFrom: arrivals.keptFrom(),
      now: isWorldTime ? now : () => clock,
    }
  }

  async function listAccounts(): Promise<void> {
    checks.clearAccounts(check.id)
    const page = (after: string) =>
      check.scope === 'failing'
        ? mirror.page(network, webhook, after, accountsAtOnce)
        : mirror
            .accounts(network, webhook, after, accountsAtOnce)
            .map((account) => ({ account, isFailing: true }))
    for await (const accounts of pagesOf<{ account: string; isFailing: boolean }>((last) =>
      page(last?.account ?? ''),
    )) {
      const wanted = accounts.flatMap(({ account, isFailing }) => (isFailing ? account : []))
      checks.addAccounts(check.id, wanted)
    }
    checks.finish(check.id)
  }

  function meetAtStart(refusal: Refusal): JobEnd | null {
    if (refusal.kind !== 'passing') return standStill(refusal.message)
    backoff.pause(refusal.message, refusal.retryAfterMs)
    return null
  }

  const standStill = (message: string): JobEnd => ({
    state: 'paused',
    problem: `${message} Then resume the check.`,
  })

  function nextAccount(): Reading | null {
    const waiting = again.shift()
    if (waiting !== undefined) return waiting
    const [account] = checks.waiting(check.id, reached, 1)
    if (account === undefined) return null
    reached = account.index
    return { ...account, edge: null, pages: 0, troubles: 0, readBefore: read }
  }

  function readPage(account: Reading): Promise<JobEnd | null> {
    const limit = pageSizes[Math.min(account.pages, pageSizes.length - 1)] ?? 100
    return attempt(
      async () => {
        if (mirror.find(network, webhook, account.account) === null) {
          leave(
            account,
            'The webhook is not subscribed to this account, so no delivery is expected.',
          )
          return
        }
        const page = await readHistory(account, limit)
        if (page === null) return
        const problem = whyMissing(page)
        if (problem !== null) {
          leave(account, problem)
          return
        }
        await deps.indexed()
        // Whoever resumes the check reads this page again.
        if (abort.aborted) return
        keep(account, page)
      },
      (refusal) => meet(account, refusal),
    )
  }

  async function readHistory(account: Reading, limit: number): Promise<ChainPage | null> {
    const { beforeLt } = account
    const edge = account.edge ?? (beforeLt === null ? null : edgeAt(beforeLt.toString()))
    const client = deps.access.query(network)
    try {
      return await readChainPage(
        { account: account.account, edge, isUpward: false },
        async (bound) => {
          const page = { limit, sortOrder: 'desc', ...bound } as const
          const rows = await client.accountTransactions(account.account, page, queryOptions)
          return rows.map((value) => ({ value }))
        },
      )
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== gatewayCodes.notFound) throw error
      // The error concerns this account only.
      leave(account, error.message)
      return null
    }
  }

  /** Events may be missing that the check would not notice. Older ones than its span do not count. */
  function whyMissing(page: ChainPage): string | null {
    const end = page.rows.find((row) => 'value' in row && row.value.utime * 1000 < check.from)
    const endLt = end !== undefined && 'value' in end ? BigInt(end.value.lt) : 0n
    const gap = page.gaps.find(({ newerLt }) => BigInt(newerLt) > endLt)
    if (gap !== undefined) return describeGap(gap)
    if (page.strays[0] !== undefined) return page.strays[0]
    if (!page.isCut) return null
    return page.isRepeated ? describeRepetition(page.edge?.lt ?? '0') : describeCut(page)
  }

  function keep(account: Reading, { rows, edge }: ChainPage): void {
    read += 1
    const transactions = rows
      .flatMap((row) => ('value' in row ? [row.value] : []))
      .map(({ lt, hash, utime, prev_trans_lt: previous }) => ({
        lt: BigInt(lt),
        hash,
        at: utime * 1000,
        isFirst: previous === '0',
      }))
    const ofSpan = transactions.filter(({ at }) => at >= check.from && at < check.to)
    if (ofSpan.some(({ lt }) => lt > arrivals.largestLt)) {
      leave(
        account,
        'The logical times of this account exceed 2^63, so its deliveries cannot be distinguished.',
      )
      return
    }
    const { events, earliestLater } = judgeAll(account, ofSpan)
    const last = transactions.at(-1)
    const isLast = last === undefined || last.isFirst || last.at < check.from
    const beforeLt = last?.lt ?? account.beforeLt
    checks.keep(check.id, account.index, { events, beforeLt, earliestLater, isLast })
    if (isLast) count(1)
    else again.push({ ...account, beforeLt, earliestLater, edge, pages: account.pages + 1 })
  }

  /** Newest first: an event is out of order if a later one arrived before it. */
  function judgeAll(
    { account, earliestLater: earliest }: WaitingAccount,
    transactions: readonly { readonly lt: bigint; readonly hash: string; readonly at: number }[],
  ): { events: FoundEvent[]; earliestLater: number | null } {
    const events: FoundEvent[] = []
    const counters = mirror.find(network, webhook, account)
    if (known === null || counters === null) return { events, earliestLater: earliest }
    const stored = arrivals.of(
      account,
      transactions.map(({ lt }) => lt),
    )
    const since = mirror.since(network, webhook, account)
    let earliestLater = earliest
    for (const { lt, hash, at } of transactions) {
      const here = stored.flatMap((each) => {
        const arrival =
          each.lt === lt ? attribute(each, check, store.webhooks.isTokenOfAnother) : null
        return arrival === null ? [] : { ...each, arrival }
      })
      const judgement = verdictOf(
        { lt, at },
        here.map(({ arrival }) => arrival),
        { ...known, now: known.now(), lateAfterMs, counters, since, earliestLater },
      )
      if (judgement === null) continue
      const { taken, ...told } = judgement
      if (taken !== null) earliestLater = Math.min(taken, earliestLater ?? taken)
      const captures = here
        .slice(0, shownArrivals)
        .map(({ id, receivedAt, status }) => ({ id, receivedAt, status }))
      events.push({ ...told, lt, hash, at, captures })
    }
    return { events, earliestLater }
  }

  function meet(account: Reading, refusal: Refusal): JobEnd | null {
    switch (refusal.kind) {
      case 'request':
        leave(account, refusal.message)
        return null
      case 'standstill':
        again.push(account)
        return standStill(refusal.message)
      case 'passing': {
        const troubles = account.troubles + Number(refusal.isOwn)
        // Other accounts were read meanwhile, so the gateway is not down.
        if (troubles > maxTroubles && read > account.readBefore) {
          leave(account, refusal.message)
          return null
        }
        backoff.pause(refusal.message, refusal.retryAfterMs)
        again.push({ ...account, troubles })
        return null
      }
    }
  }

  function leave({ index }: Reading, problem: string): void {
    checks.leaveUnread(check.id, index, problem)
    count(1)
  }

  function remark(): string | null {
    const remarks: string[] = []
    if (checks.get(check.id)?.accounts === 0) {
      remarks.push(
        check.scope === 'failing'
          ? 'No account of this webhook is failing.'
          : 'This webhook has no subscribed accounts.',
      )
    }
    if (!check.isHere) {
      remarks.push('This webhook does not deliver to this receiver.')
    }
    const kept = known?.keptFrom ?? null
    if (kept !== null && kept > check.from) {
      const moment = `${new Date(kept).toISOString().slice(0, 16).replace('T', ' ')} UTC`
      remarks.push(
        `Captures from before ${moment} are no longer stored, so older events without a stored delivery were not checked.`,
      )
    }
    return remarks.length === 0 ? null : remarks.join(' ')
  }

  return {
    next() {
      if (known === null) return attempt(prepare, meetAtStart)
      const account = nextAccount()
      return account && readPage(account)
    },
    maxParallel: () => (known === null ? 1 : widest),
    finish: () => ({ ...done, problem: remark() }),
  }
}
