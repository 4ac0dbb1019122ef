/**
 * Reads the whole history of an account and of its jetton wallets, or the account's events, page after page; each page
 * is stored at once.
 */
import type { HistoryExport } from '../../../src-preload/contract/history-export.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { historyExportCodes } from '../../../src-preload/domain/error-codes.ts'
import { type FiatCurrency, rateSpanMs, reachMs } from '../../../src-preload/domain/fiat.ts'
import type { AppContext } from '../../app/context.ts'
import { isMissing, isNotFound, unlessRefused } from '../../chain/access.ts'
import { checkTransactions } from '../../chain/check-transaction.ts'
import { assetOfExtra } from '../../chain/read-trace.ts'
import { verifyJettonWallet } from '../../chain/jetton-wallets.ts'
import type { AccountEventResponse } from '../../gateway/event-responses.ts'
import type { Row, TransactionResponse } from '../../gateway/query-responses.ts'
import type { QueryOptions, QueryClient, TransactionsPage } from '../../gateway/query.ts'
import {
  type ChainPage,
  type Gap,
  describeGap,
  edgeAt,
  readChainPage,
} from '../../gateway/transaction-chain.ts'
import { toRow } from '../accounts/history.ts'
import { type JobControl, type JobEnd, type JobWork, done } from '../../jobs/job-run.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import { readAddress } from '../../ton/address.ts'
import { describeSums, notesOf, ratesNote, sumsOf } from './history-sums.ts'
import { type Moved, moveCoins, moveEvent, moveJettons } from './movements.ts'
import {
  type AssetSums,
  type HistoryExportStore,
  type HistoryJob,
  type Source,
  type StoredRow,
  createHistoryExportStore,
} from './store/history-exports.ts'

/** Transactions per request: the most that the service returns, fewer where a response would be too large. */
const firstPage = 1000
const smallestPage = 20
/** Events per request; the service accepts no more. */
const mostEvents = 100
/** Contracts that only messages name as jetton wallets are verified with two requests each. */
const maxClaimed = 500
/** How often newer transactions are read until the balance agrees. */
const maxRounds = 3
/** Assets whose rates are requested: anyone can send jettons that have no market. */
const maxRated = 100

const noEvents: JobEnd = {
  state: 'failed',
  problem:
    'This gateway does not list events. Export the history with rows of transactions instead.',
}

function createHistoryWork(
  job: HistoryJob,
  { abort, backoff, count }: JobControl,
  { access, now }: Pick<AppContext, 'access' | 'now'>,
  store: HistoryExportStore,
) {
  const { id, network, address, view, fromAt } = job
  const queryOptions: QueryOptions = { signal: abort, priority: 'job' }
  let pageSize = view === 'events' ? mostEvents : firstPage

  const query = (): QueryClient => access.query(network)
  const stepNow = () => store.table.get(id)?.step ?? 'compare'

  /** Null for an account that the gateway does not know. */
  async function orNull<T>(request: Promise<T>): Promise<T | null> {
    try {
      const response = await request
      backoff.answered()
      return response
    } catch (error) {
      if (!isNotFound(error)) throw error
      backoff.answered()
      return null
    }
  }

  /** @returns null where a smaller page is to be requested */
  async function requestPage<T>(
    bound: TransactionsPage,
    request: (page: TransactionsPage & { readonly limit: number }) => Promise<T>,
  ): Promise<T | null> {
    try {
      return await request({ limit: pageSize, ...bound })
    } catch (error) {
      const refusal = readRefusal(error)
      const isTooLarge = refusal.kind === 'request' || (refusal.kind === 'passing' && refusal.isOwn)
      if (!isTooLarge || pageSize <= smallestPage || abort.aborted) throw error
      // The response of a smaller page may be accepted.
      pageSize = Math.max(smallestPage, Math.floor(pageSize / 4))
      store.keep(id, 1, () => undefined)
      if (refusal.kind === 'passing') backoff.pause(refusal.message, refusal.retryAfterMs)
      return null
    }
  }

  const requestTransactions = (source: Source, isUpward: boolean, headLt: string | null) => {
    const { address: account, beforeLt, newestLt } = source
    const lowest = source.edge ?? (beforeLt === null ? null : edgeAt(beforeLt))
    const edge = isUpward ? edgeAt(newestLt ?? '0') : lowest
    return readChainPage({ account, edge, isUpward, headLt }, (bound) =>
      requestPage(bound, async (page) => {
        const rows = await orNull(query().accountTransactionRows(account, page, queryOptions))
        return checkRows(rows ?? [])
      }),
    )
  }

  /** Downward: newest first. A transaction that is unreadable has no rows. */
  async function readPage(source: Source): Promise<null> {
    const page = await requestTransactions(source, false, null)
    if (page === null || abort.aborted) return null
    const change: { -readonly [K in keyof Source]?: Source[K] } = {}
    const rows = createRowWriter(store, job, source)
    let expected = source.expected
    let newestLt = source.newestLt
    let endLt = 0n
    const claimed: string[] = []
    const read = readable(page.rows)
    for (const transaction of read) {
      const moved = moveOf(transaction, source)
      const { lt, utime } = transaction
      const isOlder = fromAt !== null && utime * 1000 < fromAt
      if (source.idx === 0) {
        if (expected !== null && expected !== transaction.end_balance && !change.differsAt) {
          change.differsAt = source.differsAt ?? transaction.hash
        }
        const before = BigInt(transaction.end_balance) - tonChange(moved)
        expected = before.toString()
        change.opening = isOlder ? transaction.end_balance : expected
      }
      newestLt ??= lt
      if (isOlder) {
        change.ended = 'period'
        endLt = BigInt(lt)
        break
      }
      rows.add(momentOf(transaction), moved)
      claimed.push(...moved.jettonWallets)
    }
    const { edge } = page
    const isFirst = edge?.previousLt === '0'
    if (page.rows.length === 0 && !isFirst) {
      // A gateway may return short pages at any time, but an empty one is the end of what it has.
      const ended = source.newestLt === null ? 'beginning' : (source.ended ?? 'pruned')
      change.ended = page.isRepeated ? 'repeated' : ended
    } else if (isFirst) change.ended ??= 'beginning'
    // Some gateways never name the previous transaction: the next page then names it.
    const isUnnamed = edge !== null && edge.hash !== null && edge.previousLt === null
    const isNamed = read.some((each) => (each.prev_trans_lt ?? null) !== null)
    const isEnd = change.ended !== undefined || (isUnnamed && isNamed)
    if (isUnnamed) change.ended ??= 'beginning'
    const gaps = page.gaps.filter(({ newerLt }) => BigInt(newerLt) > endLt)
    store.keep(id, page.requests, () => {
      rows.write()
      addClaimed(claimed)
      store.changeSource(id, source.idx, {
        ...missingIn(page, source, gaps),
        ...change,
        expected,
        newestLt,
        edge,
        ended: change.ended ?? null,
        beforeLt: edge?.lt ?? source.beforeLt,
        state: isEnd ? 'read' : 'reading',
      })
      if (source.idx === 0 && isEnd) store.setStep(id, 'jettons')
    })
    count(read.length)
    return null
  }

  /** Upward: what came while the job was running. */
  async function readNewer(source: Source): Promise<null> {
    const head = await unlessRefused(query().rawAccount(source.address, queryOptions))
    const headLt = head?.last_transaction_lt ?? '0'
    const page = await requestTransactions(source, true, headLt)
    if (page === null || abort.aborted) return null
    const rows = createRowWriter(store, job, source)
    const read = readable(page.rows)
    for (const each of read) rows.add(momentOf(each), moveOf(each, source))
    const olderLt = source.newestLt ?? '0'
    const isBehind = page.rows.length === 0 && BigInt(headLt) > BigInt(olderLt)
    const gaps = isBehind ? [{ olderLt, newerLt: headLt }] : page.gaps
    const isMore = page.received >= pageSize && page.rows.length > 0
    store.keep(id, page.requests + 1, () => {
      rows.write()
      store.changeSource(id, source.idx, {
        ...missingIn(page, source, gaps),
        newestLt: page.rows.length === 0 ? source.newestLt : (page.edge?.lt ?? null),
        rounds: source.rounds + Number(!isMore),
        state: isMore ? 'behind' : page.rows.length === 0 ? 'compared' : 'recheck',
      })
    })
    count(read.length)
    return null
  }

  function addClaimed(wallets: readonly string[]): void {
    if (wallets.length === 0) return
    let left = maxClaimed - store.countSources(id).claimed
    for (const wallet of new Set(wallets)) {
      if (left <= 0) return
      const before = store.countSources(id).claimed
      store.addSource(id, wallet, 'claimed')
      left -= store.countSources(id).claimed - before
    }
  }

  /** Transactions that differ from the chain's own data are unreadable. */
  async function checkRows(page: readonly Row<TransactionResponse>[]) {
    const checked = (await checkTransactions(readable(page))).values()
    return page.map((row) => {
      const found = 'value' in row ? checked.next().value : undefined
      return found === undefined ? row : toRow(found)
    })
  }

  /** Newest first downward, each event once, beyond the source's edge. One of another account is counted. */
  function selectEvents(
    page: readonly Row<AccountEventResponse>[],
    source: Source,
    isUpward: boolean,
  ) {
    const read: AccountEventResponse[] = []
    const edge = isUpward ? (source.newestLt ?? '0') : source.beforeLt
    const unread: string[] = []
    let lastLt: string | null = null
    const ids = page.flatMap((row) => ('value' in row ? idOf(row.value) : []))
    const seen = new Set<string>(store.rowsOf(id, ids))
    for (const row of page) {
      const lt = ltOf(row)
      if (lt !== null && !isFurther(lt, edge, isUpward)) continue
      lastLt = lt ?? lastLt
      if (!('value' in row)) {
        unread.push(row.unread.why)
        continue
      }
      const owner = row.value.account?.address ?? null
      if (owner !== null && (readAddress(owner)?.raw ?? owner) !== source.address) {
        unread.push(`Logical time ${row.value.lt} (it is of another account)`)
      } else if (!seen.has(idOf(row.value))) {
        seen.add(idOf(row.value))
        read.push(row.value)
      }
    }
    return { read, unread, lastLt }
  }

  /** Null where a smaller page is to be requested. */
  async function requestEvents(bound: TransactionsPage) {
    return requestPage(bound, async (page) => {
      try {
        const response = await query().accountEvents(address, page, queryOptions)
        backoff.answered()
        return response
      } catch (error) {
        if (!isMissing(error)) throw error
        // Some gateways respond 404 for an account that they do not know.
        const account = await orNull(query().account(address, queryOptions))
        return account === null ? { events: [], next: null } : noEvents
      }
    })
  }

  /** Downward or upward, as `readPage` and `readNewer` do with transactions. */
  async function readEvents(source: Source, isUpward: boolean): Promise<JobEnd | null> {
    const { beforeLt } = source
    const bound: TransactionsPage = isUpward
      ? { afterLt: source.newestLt ?? '0', sortOrder: 'asc' }
      : { ...(beforeLt !== null && { beforeLt }) }
    let requests = 1
    let response = await requestEvents(bound)
    if (response !== null && isSamePage(response, source, isUpward)) {
      requests += 1
      response = await requestEvents({ ...bound, limit: pageSize - 1 })
    }
    if (response === null || abort.aborted) return null
    if ('state' in response) return response
    const isRepeated = isSamePage(response, source, isUpward)
    const next = isRepeated ? null : response.next
    const events = inOrder(response.events, isUpward)
    const last = events.map(ltOf).findLast((lt) => lt !== null) ?? null
    // The next page may have more events of the last logical time, so that one is left to it.
    const others = isUpward || next === null ? [] : events.filter((row) => ltOf(row) !== last)
    const isCut =
      others.length > 0 && last !== null && isFurther(`${BigInt(last) + 1n}`, beforeLt, false)
    const found = selectEvents(isCut ? others : events, source, isUpward)
    const isOlder = ({ timestamp }: AccountEventResponse) =>
      fromAt !== null && timestamp * 1000 < fromAt
    const end = found.read.findIndex(isOlder)
    const read = isUpward || end === -1 ? found.read : found.read.slice(0, end)
    const rows = createRowWriter(store, job, source)
    const { testOnly } = access.info(network)
    for (const event of read) {
      rows.add(
        { lt: event.lt, hash: idOf(event), at: event.timestamp * 1000 },
        moveEvent(event, address, testOnly),
      )
    }
    const isNone = found.read.length === 0 && found.unread.length === 0
    // A cursor that goes back is ignored.
    const nextLt = (lts: readonly (string | null)[], edge: string | null) =>
      lts.find((lt) => lt !== null && isFurther(lt, edge, isUpward)) ?? edge
    const isEnd = next === null || end !== -1
    const oldest = read.at(-1)?.lt ?? beforeLt
    const edges: Partial<Source> = isUpward
      ? {
          newestLt: nextLt([next, found.lastLt], source.newestLt ?? '0'),
          rounds: source.rounds + Number(next === null),
          state: next !== null ? 'behind' : isNone ? 'compared' : 'recheck',
        }
      : {
          newestLt: source.newestLt ?? found.read[0]?.lt ?? null,
          beforeLt:
            end !== -1 || isRepeated
              ? oldest
              : nextLt([isCut ? `${BigInt(last) + 1n}` : next, last], beforeLt),
          ended: end !== -1 ? 'period' : isRepeated ? 'repeated' : null,
          state: isEnd ? 'read' : 'reading',
        }
    store.keep(id, requests, () => {
      rows.write()
      store.changeSource(id, source.idx, {
        ...edges,
        unread: source.unread + found.unread.length,
        unreadWhy: source.unreadWhy ?? found.unread[0] ?? null,
        inProgress: source.inProgress + read.filter((event) => event.in_progress).length,
      })
    })
    count(read.length)
    return null
  }

  /** The balance before the first event, which only a transaction shows. */
  async function requestOpening(): Promise<null> {
    const [source] = store.sources(id)
    const isPeriod = source?.ended === 'period'
    const beforeLt = source?.beforeLt ?? null
    const page = isPeriod
      ? { limit: 1, ...(beforeLt !== null && { beforeLt }) }
      : { limit: 1, afterLt: '0', sortOrder: 'asc' as const }
    const rows = (await orNull(query().accountTransactionRows(address, page, queryOptions))) ?? []
    const [first] = rows.flatMap((row) => ('value' in row ? [row.value] : []))
    const isPruned = ![null, undefined, '0'].includes(first?.prev_trans_lt)
    const whyKnown = source?.ended === 'repeated' || isPeriod ? source.ended : null
    store.keep(id, 1, () => {
      store.changeSource(id, 0, {
        ended: whyKnown ?? (isPruned ? 'pruned' : 'beginning'),
        ...(first !== undefined && {
          opening: isPeriod
            ? first.end_balance
            : (BigInt(first.end_balance) - tonChange(moveCoins(first))).toString(),
        }),
      })
      store.setStep(id, 'wallets')
    })
    return null
  }

  async function listJettons(): Promise<null> {
    const found = (await orNull(query().accountJettons(address, queryOptions))) ?? []
    store.keep(id, 1, () => {
      let unread = 0
      for (const row of found) {
        if (!('value' in row)) {
          unread += 1
          continue
        }
        const { wallet_address: wallet, jetton } = row.value
        addWallet(wallet.address, jetton)
      }
      store.setUnreadJettons(id, unread)
      store.setStep(id, 'wallets')
    })
    return null
  }

  function addWallet(
    wallet: string,
    jetton: { readonly address: string; readonly symbol: string; readonly decimals: number },
  ): void {
    const raw = readAddress(wallet)?.raw
    const master = readAddress(jetton.address)?.raw
    if (raw === undefined || master === undefined) return
    if (store.sources(id).some((each) => each.jetton === master)) return
    const source = store.addSource(id, raw, 'reading')
    if (source === 0) return
    store.changeSource(id, source, { jetton: master, state: 'reading' })
    const { symbol, decimals } = jetton
    store.addAsset(id, { source, asset: master, symbol, decimals })
  }

  async function verify(source: Source): Promise<null> {
    const verified = await verifyJettonWallet(source.address, query(), queryOptions)
    abort.throwIfAborted()
    backoff.answered()
    store.keep(id, 2, () => {
      const asset = verified?.owner === address ? verified.asset : null
      if (asset?.jetton) {
        addWallet(source.address, { ...asset, address: asset.jetton })
      } else store.changeSource(id, source.idx, { state: 'rejected' })
    })
    return null
  }

  async function requestBalance(): Promise<null> {
    const account = await orNull(query().account(address, queryOptions))
    store.keep(id, 1, () => {
      keepBalance(account)
      store.setStep(id, 'jettonBalances')
    })
    return null
  }

  function keepBalance(account: Awaited<ReturnType<QueryClient['account']>> | null): void {
    store.setBalance(id, 0, 'TON', account?.balance ?? '0')
    for (const { asset } of store.assets(id)) {
      if (asset.startsWith('extra:')) store.setBalance(id, 0, asset, '0')
    }
    for (const extra of account?.extra_balance ?? []) {
      const { symbol, decimals, extraCurrency = 0 } = assetOfExtra(extra)
      const asset = `extra:${extraCurrency}`
      store.addAsset(id, { source: 0, asset, symbol, decimals })
      store.setBalance(id, 0, asset, extra.amount)
    }
  }

  async function requestJettonBalances(): Promise<null> {
    const found = (await orNull(query().accountJettons(address, queryOptions))) ?? []
    const balances = new Map(
      found.flatMap((row) =>
        'value' in row
          ? [[readAddress(row.value.wallet_address.address)?.raw, row.value.balance]]
          : [],
      ),
    )
    store.keep(id, 1, () => {
      if (view === 'events') keepJettons(found)
      for (const { idx, address: wallet, jetton, state } of store.sources(id)) {
        // The list omits empty wallets. If a part of the list is unreadable, the others are unknown.
        const balance = balances.get(wallet) ?? (isWhole(found) ? '0' : null)
        if (jetton !== null && balance !== null) store.setBalance(id, idx, jetton, balance)
        if (state === 'read') compare(idx)
      }
      store.setStep(id, 'compare')
    })
    return null
  }

  /** Rows of events have their jettons beside the coins, without a source of their own. */
  function keepJettons(found: Awaited<ReturnType<QueryClient['accountJettons']>>): void {
    for (const { asset } of store.assets(id)) {
      const isJetton = asset !== 'TON' && !asset.startsWith('extra:')
      if (isJetton && isWhole(found)) store.setBalance(id, 0, asset, '0')
    }
    for (const row of found) {
      if (!('value' in row) || row.value.balance === '0') continue
      const { jetton, balance } = row.value
      const asset = readAddress(jetton.address)?.raw
      if (asset === undefined) continue
      store.addAsset(id, { source: 0, asset, symbol: jetton.symbol, decimals: jetton.decimals })
      store.setBalance(id, 0, asset, balance)
    }
  }

  /** Whether newer transactions explain a difference is unknown until they were read. */
  function compare(idx: number): void {
    const source = store.sources(id).find((each) => each.idx === idx)
    if (source === undefined) return
    const own = store.assets(id).filter((asset) => asset.source === idx)
    const isEqual = own.every((sums) => sumsOf(sums, source, view).difference === 0n)
    // The newest ones may be missing although the sums are equal.
    const isRead = isEqual && (idx > 0 || view === 'events' || source.rounds > 0)
    const state = isRead || source.rounds >= maxRounds ? 'compared' : 'behind'
    store.changeSource(id, idx, { state })
  }

  async function recheck(source: Source): Promise<null> {
    const { idx, jetton } = source
    const account = jetton === null ? await orNull(query().account(address, queryOptions)) : null
    const wallet =
      jetton === null ? null : await orNull(query().accountJetton(address, jetton, queryOptions))
    const isOfEvents = view === 'events'
    const found = isOfEvents
      ? ((await orNull(query().accountJettons(address, queryOptions))) ?? [])
      : []
    store.keep(id, 1 + Number(isOfEvents), () => {
      if (isOfEvents) keepJettons(found)
      if (jetton === null) keepBalance(account)
      else store.setBalance(id, idx, jetton, wallet?.balance ?? '0')
      compare(idx)
    })
    return null
  }

  /** Returns null when the rates of all rows were requested. */
  function requestRates(fiat: FiatCurrency): Promise<null> | null {
    const assets = store.assets(id)
    let requested = assets.filter(({ ratesAt }) => ratesAt !== null).length
    for (const sums of assets) {
      if (sums.isRated) continue
      const isFirst = sums.ratesAt === null
      const isAsked = !sums.asset.startsWith('extra:') && (!isFirst || requested < maxRated)
      const row = isAsked ? store.nextToRate(id, sums) : null
      if (row !== null) return loadRates(fiat, sums, row)
      store.setRated(id, sums, { isRated: true })
      if (isFirst && isAsked) requested += 1
    }
    return null
  }

  async function loadRates(
    fiat: FiatCurrency,
    sums: AssetSums,
    { lt, at }: Pick<StoredRow, 'lt' | 'at'>,
  ): Promise<null> {
    const { asset, ratesAt } = sums
    const token = asset === 'TON' ? 'ton' : asset
    const until = at + rateSpanMs
    // There are no rates of the future.
    const to = Math.min(until + reachMs, Math.max(at, now()))
    const points = await unlessRefused(
      query().ratesChart({ token, currency: fiat, from: at - reachMs, to }, queryOptions),
    )
    backoff.answered()
    // Most jettons have no market, as the response to their first request shows.
    const isWorthless = ratesAt === null && asset !== 'TON' && (points ?? []).length === 0
    store.keep(id, 1, () => {
      store.addRates(id, asset, points ?? [])
      store.setRated(id, sums, { ratesLt: lt, ratesAt: until, isRated: isWorthless })
    })
    return null
  }

  return {
    next() {
      const find = (state: Source['state']) => store.nextSource(id, state)
      const reading = find('reading')
      const isOfEvents = view === 'events'
      if (reading !== null) return isOfEvents ? readEvents(reading, false) : readPage(reading)
      switch (stepNow()) {
        case 'account':
        case 'jettons':
          return isOfEvents ? requestOpening() : listJettons()
        case 'wallets': {
          const claimed = find('claimed')
          return claimed === null ? requestBalance() : verify(claimed)
        }
        case 'jettonBalances':
          return requestJettonBalances()
        case 'compare': {
          const again = find('recheck')
          if (again !== null) return recheck(again)
          const behind = find('behind')
          if (behind === null) return job.fiat === null ? null : requestRates(job.fiat)
          return isOfEvents ? readEvents(behind, true) : readNewer(behind)
        }
      }
    },
    finish: () => ({ ...done, problem: describeSums(store, job) }),
  } satisfies JobWork
}

const readable = <T>(page: readonly Row<T>[]): T[] =>
  page.flatMap((row) => ('value' in row ? [row.value] : []))

const ltOf = (row: Row<AccountEventResponse>) => ('value' in row ? row.value.lt : row.unread.lt)
const idOf = ({ event_id: eventId }: AccountEventResponse) => eventId.toLowerCase()

/** Rows without a logical time stay where they are listed. */
function inOrder(events: readonly Row<AccountEventResponse>[], isUpward: boolean) {
  let before = '0'
  const lts = new Map(events.map((row) => [row, (before = ltOf(row) ?? before)]))
  const by = (a: Row<AccountEventResponse>, b: Row<AccountEventResponse>) =>
    Number(BigInt(lts.get(a) ?? 0) - BigInt(lts.get(b) ?? 0))
  return events.toSorted((a, b) => (isUpward ? by(a, b) : by(b, a)))
}

/** Neither an event of the page nor its cursor continues from where reading is. */
function isSamePage(
  response: JobEnd | Awaited<ReturnType<QueryClient['accountEvents']>>,
  { beforeLt, newestLt }: Source,
  isUpward: boolean,
): boolean {
  const edge = isUpward ? (newestLt ?? '0') : beforeLt
  if ('state' in response || edge === null) return false
  const { next } = response
  const lts = response.events.flatMap((row) => ltOf(row) ?? [])
  const isBeyond = (lt: string) => isFurther(lt, edge, isUpward)
  if (lts.some(isBeyond)) return false
  return (next !== null && !isBeyond(next)) || lts.some((lt) => lt !== edge)
}

/** Reading goes upward or downward from the edge; without one, from either end. */
function isFurther(lt: string, edge: string | null, isUpward: boolean): boolean {
  return edge === null || (isUpward ? BigInt(lt) > BigInt(edge) : BigInt(lt) < BigInt(edge))
}

function missingIn(page: ChainPage, source: Source, gaps: readonly Gap[]): Partial<Source> {
  const unread = [
    ...page.strays,
    ...page.rows.flatMap((row) => ('unread' in row ? row.unread.why : [])),
  ]
  return {
    unread: source.unread + unread.length,
    unreadWhy: source.unreadWhy ?? unread[0] ?? null,
    gaps: source.gaps + gaps.length,
    gap: source.gap ?? (gaps[0] === undefined ? null : describeGap(gaps[0])),
    unlinked: source.unlinked + page.unlinked,
  }
}

function moveOf(transaction: TransactionResponse, { jetton }: Source): Moved {
  if (jetton === null) return moveCoins(transaction)
  const movements = moveJettons(transaction, jetton)
  return { movements, assets: new Map<never, never>(), jettonWallets: [] }
}

type Occurrence = Pick<StoredRow, 'lt' | 'hash' | 'at'>

function momentOf({ lt, hash, utime }: TransactionResponse): Occurrence {
  return { lt, hash, at: utime * 1000 }
}

function tonChange({ movements }: Moved): bigint {
  return movements.reduce(
    (sum, { asset, units, fee }) => sum + (asset === 'TON' ? units : 0n) - fee,
    0n,
  )
}

type Summed = Omit<AssetSums, 'balance' | 'ratesLt' | 'ratesAt' | 'isRated'>

/** Collects the rows and sums of one page. */
function createRowWriter(store: HistoryExportStore, job: HistoryJob, source: Source) {
  const known = new Map<string, Summed>(
    store
      .assets(job.id)
      .filter((sums) => sums.source === source.idx)
      .map((sums) => [sums.asset, sums]),
  )
  const isNew = new Set<string>()
  const rows: StoredRow[] = []
  let transactions = 0
  let last: Pick<StoredRow, 'lt' | 'n'> | null = null
  const plus = (text: string, units: bigint) => (BigInt(text) + units).toString()

  return {
    add(occurrence: Occurrence, { movements, assets }: Moved): void {
      const { lt, hash, at } = occurrence
      // Events of the same logical time follow each other.
      const begin = last?.lt === lt ? last.n + 1 : 0
      const isLater = at > job.toAt
      if (!isLater) transactions += 1
      for (const [key, { symbol, decimals }] of assets) {
        if (known.has(key)) continue
        const none = { received: '0', sent: '0', fees: '0', later: '0' }
        known.set(key, { source: source.idx, asset: key, symbol, decimals, ...none })
        isNew.add(key)
      }
      for (const [n, movement] of movements.entries()) {
        const { asset, units, fee, ...shown } = movement
        const change = (key: string, part: (sums: Summed) => object) => {
          const sums = known.get(key)
          if (sums !== undefined) known.set(key, { ...sums, ...part(sums) })
        }
        if (isLater) {
          change(asset, ({ later }) => ({ later: plus(later, units) }))
          if (fee !== 0n) change('TON', ({ later }) => ({ later: plus(later, -fee) }))
          continue
        }
        change(asset, ({ received, sent }) =>
          units > 0n ? { received: plus(received, units) } : { sent: plus(sent, -units) },
        )
        if (fee !== 0n) change('TON', ({ fees }) => ({ fees: plus(fees, fee) }))
        const row = {
          action: null,
          sentence: null,
          transactions: null,
          isScam: false,
          ...shown,
          asset,
          units: units.toString(),
          fee: fee.toString(),
          lt,
          hash,
          at,
          n: begin + n,
          source: source.idx,
        }
        rows.push(row)
        last = row
      }
    },
    write(): void {
      for (const key of isNew) {
        const sums = known.get(key)
        if (sums !== undefined) store.addAsset(job.id, sums)
      }
      store.addRows(job.id, rows, [...known.values()] as AssetSums[], transactions)
    },
  }
}

export function addHistoryJobs(context: AppContext) {
  const { database, events, jobs, labelsOf, networks } = context
  const store = createHistoryExportStore(database)

  function show(job: HistoryJob & Pick<HistoryExport, 'rate' | 'secondsLeft'>): HistoryExport {
    const { fromAt, toAt, step, rowCount, unreadJettons, ...shown } = job
    const sources = store.countSources(job.id)
    const network = networks.state().networks.find(({ id }) => id === job.network)
    const hasEnded = step === 'compare' && job.state !== 'running'
    return {
      ...shown,
      label: labelsOf(job.network, [job.address]).get(job.address) ?? null,
      from: fromAt,
      to: toAt,
      rows: rowCount,
      contracts: sources.all,
      contractsRead: sources.read,
      assets: hasEnded ? assetsOf(store, job) : [],
      notes: hasEnded
        ? [
            ...notesOf(store.sources(job.id), unreadJettons, job.view, network?.testOnly === true),
            ...ratesNote(store, job),
          ]
        : [],
    }
  }

  const engine = jobs.add({
    noun: 'history export',
    unknownCode: historyExportCodes.unknown,
    table: store.table,
    items: store,
    work: (job, control) => createHistoryWork(job, control, context, store),
    left: () => null,
    show,
    onChanged: (changed) => events.emit('historyExport.changed', { jobs: changed }),
    onRemoved: (id) => events.emit('historyExport.removed', { id }),
    beforeResume: ({ state }) => state !== 'done',
    cancelGraceMs: 0,
  })
  return { ...engine, add: store.add, store }
}

function assetsOf(store: HistoryExportStore, { id, view }: HistoryJob): HistoryExport['assets'] {
  const sources = new Map(store.sources(id).map((source) => [source.idx, source]))
  return store.assets(id).flatMap((sums) => {
    const source = sources.get(sums.source)
    if (source === undefined) return []
    const { asset: key, symbol, decimals, received, sent, fees } = sums
    const { opening, closing, difference, reason } = sumsOf(sums, source, view)
    return [
      {
        key,
        symbol,
        decimals,
        received,
        sent,
        fees,
        reason,
        opening: opening?.toString() ?? null,
        closing: closing?.toString() ?? null,
        difference: difference?.toString() ?? null,
      },
    ]
  })
}

/** @throws AppError HISTORY_EXPORT_PERIOD */
export function checkPeriod(from: number | null, to: number): void {
  if (from === null || from <= to) return
  throw new AppError(
    historyExportCodes.period,
    'The period ends before it starts. Choose an end that is after the start.',
  )
}

function isWhole(rows: readonly Row<unknown>[]): boolean {
  return rows.every((row) => 'value' in row)
}
