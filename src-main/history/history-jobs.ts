/**
 * Reads the whole history of an account and of its jetton wallets, or the account's events, page after page; each page
 * is stored at once.
 */
import type { HistoryExport } from '../../src-preload/contract/history-export.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { historyExportCodes } from '../../src-preload/domain/error-codes.ts'
import { type FiatCurrency, rateSpanMs, reachMs } from '../../src-preload/domain/fiat.ts'
import type { AppContext } from '../app/context.ts'
import { isMissing, isNotFound, unlessRefused } from '../explorer/chain-access.ts'
import { checkTransactions } from '../explorer/check-transaction.ts'
import { assetOfExtra } from '../explorer/read-trace.ts'
import { verifyJettonWallet } from '../explorer/jetton-wallets.ts'
import type { AccountEventAnswer } from '../gateway/event-answers.ts'
import type { Row, TransactionAnswer } from '../gateway/query-answers.ts'
import type { Asking, QueryClient, TransactionsPage } from '../gateway/query.ts'
import { toRow } from '../explorer/history.ts'
import { type JobControl, type JobEnd, type JobWork, done } from '../jobs/job-run.ts'
import { readRefusal } from '../jobs/refusal.ts'
import { readAddress } from '../ton/address.ts'
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
/** Assets whose rates are requested: anybody can send jettons that nobody trades. */
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
  const asking: Asking = { signal: abort, priority: 'job' }
  let pageSize = view === 'events' ? mostEvents : firstPage

  const query = (): QueryClient => access.query(network)
  const stepNow = () => store.table.get(id)?.step ?? 'compare'

  /** Null for an account that the gateway does not know. */
  async function orNull<T>(request: Promise<T>): Promise<T | null> {
    try {
      const answer = await request
      backoff.answered()
      return answer
    } catch (error) {
      if (!isNotFound(error)) throw error
      backoff.answered()
      return null
    }
  }

  /** @returns null where a smaller page is to be requested */
  async function requestPage<T>(
    { beforeLt, newestLt }: Source,
    isUpward: boolean,
    request: (page: TransactionsPage & { readonly limit: number }) => Promise<T>,
  ): Promise<T | null> {
    try {
      return await request(
        isUpward
          ? { limit: pageSize, afterLt: newestLt ?? '0', sortOrder: 'asc' }
          : { limit: pageSize, ...(beforeLt !== null && { beforeLt }) },
      )
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

  const requestTransactions = (source: Source, isUpward: boolean) =>
    requestPage(source, isUpward, async (page) => {
      const rows = await orNull(query().accountTransactionRows(source.address, page, asking))
      return rows ?? []
    })

  /** Downward: newest first. A transaction that is unreadable or out of its order has no rows. */
  async function readPage(source: Source): Promise<null> {
    const page = await requestTransactions(source, false)
    if (page === null || abort.aborted) return null
    const { read, unread, unreadWhy, lastLt } = await judge(page, source, false)
    const change: { -readonly [K in keyof Source]?: Source[K] } = {}
    const rows = createRowWriter(store, job, source)
    let expected = source.expected
    let newestLt = source.newestLt
    const claimed: string[] = []
    for (const { transaction, moved } of read) {
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
        break
      }
      rows.add(momentOf(transaction), moved)
      claimed.push(...moved.jettonWallets)
    }
    const previous = read.at(-1)?.transaction.prev_trans_lt ?? null
    const namesPrevious = read.some(
      ({ transaction }) => (transaction.prev_trans_lt ?? null) !== null,
    )
    let isEnd = change.ended !== undefined || previous === '0'
    if (isEnd) change.ended ??= 'beginning'
    else if (lastLt === null) {
      // A gateway may return short pages at any time, but an empty one is the end of what it has.
      isEnd = true
      change.ended = source.newestLt === null ? 'beginning' : (source.ended ?? 'pruned')
    } else {
      // Some gateways never name the previous transaction: the next page then tells.
      change.ended = read.length > 0 && previous === null ? 'beginning' : null
      isEnd = change.ended === 'beginning' && namesPrevious
    }
    store.keep(id, 1, () => {
      rows.write()
      addClaimed(claimed)
      store.changeSource(id, source.idx, {
        ...change,
        expected,
        newestLt,
        beforeLt: lastLt ?? source.beforeLt,
        unread: source.unread + unread,
        unreadWhy: source.unreadWhy ?? unreadWhy,
        state: isEnd ? 'read' : 'reading',
      })
      if (source.idx === 0 && isEnd) store.setStep(id, 'jettons')
    })
    count(read.length)
    return null
  }

  /** Upward: what came while the job was running. */
  async function readNewer(source: Source): Promise<null> {
    const page = await requestTransactions(source, true)
    if (page === null || abort.aborted) return null
    const { read, unread, unreadWhy, lastLt } = await judge(page, source, true)
    const rows = createRowWriter(store, job, source)
    for (const { transaction, moved } of read) rows.add(momentOf(transaction), moved)
    const isMore = page.length >= pageSize && lastLt !== null
    const isNone = read.length === 0 && unread === 0
    store.keep(id, 1, () => {
      rows.write()
      store.changeSource(id, source.idx, {
        newestLt: lastLt ?? source.newestLt,
        unread: source.unread + unread,
        unreadWhy: source.unreadWhy ?? unreadWhy,
        rounds: source.rounds + Number(!isMore),
        state: isMore ? 'behind' : isNone ? 'compared' : 'recheck',
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

  /** Those beyond the source's edge, in their order. An unreadable one, or one of another account, is counted. */
  function select<T extends { readonly lt: string }>(
    page: readonly Row<T>[],
    source: Source,
    isUpward: boolean,
    accountOf: (value: T) => string | null,
  ) {
    const read: T[] = []
    let edge = isUpward ? (source.newestLt ?? '0') : source.beforeLt
    let lastLt: string | null = null
    let unread = 0
    let unreadWhy: string | null = null
    const isBeyond = (lt: string) =>
      edge === null || (isUpward ? BigInt(lt) > BigInt(edge) : BigInt(lt) < BigInt(edge))
    for (const row of page) {
      const lt = 'value' in row ? row.value.lt : row.unread.lt
      // Events begin with transactions of any account, so several may have the same logical time.
      const isBeside = view === 'events' && lt !== null && lt === lastLt
      if (lt !== null && !isBeyond(lt) && !isBeside) continue
      if (lt !== null) lastLt = edge = lt
      if ('value' in row && [null, source.address].includes(accountOf(row.value))) {
        read.push(row.value)
        continue
      }
      unread += 1
      unreadWhy ??=
        'value' in row ? `Logical time ${row.value.lt} (it is of another account)` : row.unread.why
    }
    return { read, unread, unreadWhy, lastLt }
  }

  async function judge(page: readonly Row<TransactionAnswer>[], source: Source, isUpward: boolean) {
    const answers = page.flatMap((row) => ('value' in row ? [row.value] : []))
    const checked = (await checkTransactions(answers)).values()
    const rows = page.map((row) => {
      const found = 'value' in row ? checked.next().value : undefined
      return found === undefined ? row : toRow(found)
    })
    const { read, ...more } = select(rows, source, isUpward, ({ account }) => account.address)
    return {
      ...more,
      read: read.map((each) => ({ transaction: each, moved: moveOf(each, source) })),
    }
  }

  /** Null where a smaller page is to be requested. */
  async function requestEvents(source: Source, isUpward: boolean) {
    return requestPage(source, isUpward, async (page) => {
      try {
        const answer = await query().accountEvents(address, page, asking)
        backoff.answered()
        return answer
      } catch (error) {
        if (!isMissing(error)) throw error
        // Some gateways respond 404 for an account that they do not know.
        const account = await orNull(query().account(address, asking))
        return account === null ? { events: [], next: null } : noEvents
      }
    })
  }

  /** Downward or upward, as `readPage` and `readNewer` do with transactions. */
  async function readEvents(source: Source, isUpward: boolean): Promise<JobEnd | null> {
    const answer = await requestEvents(source, isUpward)
    if (answer === null || abort.aborted) return null
    if ('state' in answer) return answer
    const { events, next } = answer
    const ltOf = (row: Row<AccountEventAnswer>) => ('value' in row ? row.value.lt : row.unread.lt)
    const last = events.map(ltOf).findLast((lt) => lt !== null) ?? null
    // The next page may have more events of the last logical time, so that one is left to it.
    const others = isUpward || next === null ? [] : events.filter((row) => ltOf(row) !== last)
    const isCut = others.length > 0 && last !== null
    const found = select(isCut ? others : events, source, isUpward, (event) => {
      const owner = event.account?.address ?? null
      return owner === null ? null : (readAddress(owner)?.raw ?? owner)
    })
    const isOlder = ({ timestamp }: AccountEventAnswer) =>
      fromAt !== null && timestamp * 1000 < fromAt
    const end = found.read.findIndex(isOlder)
    const read = isUpward || end === -1 ? found.read : found.read.slice(0, end)
    const rows = createRowWriter(store, job, source)
    const { testOnly } = access.info(network)
    for (const event of read) {
      const hash = event.event_id.toLowerCase()
      rows.add(
        { lt: event.lt, hash, at: event.timestamp * 1000 },
        moveEvent(event, address, testOnly),
      )
    }
    const isNone = found.read.length === 0 && found.unread === 0
    const isEnd = next === null || end !== -1
    const oldest = read.at(-1)?.lt ?? source.beforeLt
    const edges: Partial<Source> = isUpward
      ? {
          newestLt: next ?? found.lastLt ?? source.newestLt,
          rounds: source.rounds + Number(next === null),
          state: next !== null ? 'behind' : isNone ? 'compared' : 'recheck',
        }
      : {
          newestLt: source.newestLt ?? found.read[0]?.lt ?? null,
          beforeLt: end !== -1 ? oldest : isCut ? (BigInt(last) + 1n).toString() : next,
          ended: end === -1 ? null : 'period',
          state: isEnd ? 'read' : 'reading',
        }
    store.keep(id, 1, () => {
      rows.write()
      store.changeSource(id, source.idx, {
        ...edges,
        unread: source.unread + found.unread,
        unreadWhy: source.unreadWhy ?? found.unreadWhy,
        inProgress: source.inProgress + read.filter((event) => event.in_progress).length,
      })
    })
    count(read.length)
    return null
  }

  /** What the account had before the first event, which only a transaction tells. */
  async function requestOpening(): Promise<null> {
    const [source] = store.sources(id)
    const isPeriod = source?.ended === 'period'
    const beforeLt = source?.beforeLt ?? null
    const page = isPeriod
      ? { limit: 1, ...(beforeLt !== null && { beforeLt }) }
      : { limit: 1, afterLt: '0', sortOrder: 'asc' as const }
    const rows = (await orNull(query().accountTransactionRows(address, page, asking))) ?? []
    const [first] = rows.flatMap((row) => ('value' in row ? [row.value] : []))
    const isPruned = ![null, undefined, '0'].includes(first?.prev_trans_lt)
    store.keep(id, 1, () => {
      store.changeSource(id, 0, {
        ended: isPeriod ? 'period' : isPruned ? 'pruned' : 'beginning',
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
    const found = (await orNull(query().accountJettons(address, asking))) ?? []
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
    const verified = await verifyJettonWallet(source.address, query(), asking)
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
    const account = await orNull(query().account(address, asking))
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
    const found = (await orNull(query().accountJettons(address, asking))) ?? []
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
        // The list omits empty wallets.
        if (jetton !== null) store.setBalance(id, idx, jetton, balances.get(wallet) ?? '0')
        if (state === 'read') compare(idx)
      }
      store.setStep(id, 'compare')
    })
    return null
  }

  /** Rows of events have their jettons beside the coins, without a source of their own. */
  function keepJettons(found: Awaited<ReturnType<QueryClient['accountJettons']>>): void {
    for (const { asset } of store.assets(id)) {
      if (asset !== 'TON' && !asset.startsWith('extra:')) store.setBalance(id, 0, asset, '0')
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
    const state = isEqual || source.rounds >= maxRounds ? 'compared' : 'behind'
    store.changeSource(id, idx, { state })
  }

  async function recheck(source: Source): Promise<null> {
    const { idx, jetton } = source
    const account = jetton === null ? await orNull(query().account(address, asking)) : null
    const wallet =
      jetton === null ? null : await orNull(query().accountJetton(address, jetton, asking))
    const isOfEvents = view === 'events'
    const found = isOfEvents ? ((await orNull(query().accountJettons(address, asking))) ?? []) : []
    store.keep(id, 1 + Number(isOfEvents), () => {
      if (isOfEvents) keepJettons(found)
      if (jetton === null) keepBalance(account)
      else store.setBalance(id, idx, jetton, wallet?.balance ?? '0')
      compare(idx)
    })
    return null
  }

  /** Null when the gateway was asked for the rates of all rows. */
  function requestRates(fiat: FiatCurrency): Promise<null> | null {
    const assets = store.assets(id)
    let asked = assets.filter(({ ratesAt }) => ratesAt !== null).length
    for (const sums of assets) {
      if (sums.isRated) continue
      const isFirst = sums.ratesAt === null
      const isAsked = !sums.asset.startsWith('extra:') && (!isFirst || asked < maxRated)
      const row = isAsked ? store.nextToRate(id, sums) : null
      if (row !== null) return loadRates(fiat, sums, row)
      store.setRated(id, sums, { isRated: true })
      if (isFirst && isAsked) asked += 1
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
      query().ratesChart({ token, currency: fiat, from: at - reachMs, to }, asking),
    )
    backoff.answered()
    // Most jettons have no market: their first request tells.
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

function moveOf(transaction: TransactionAnswer, { jetton }: Source): Moved {
  if (jetton === null) return moveCoins(transaction)
  const movements = moveJettons(transaction, jetton)
  return { movements, assets: new Map<never, never>(), jettonWallets: [] }
}

type Occurrence = Pick<StoredRow, 'lt' | 'hash' | 'at'>

function momentOf({ lt, hash, utime }: TransactionAnswer): Occurrence {
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
          ...{ action: null, sentence: null, transactions: null, isScam: false },
          ...{ ...shown, asset, units: units.toString(), fee: fee.toString() },
          ...{ lt, hash, at, n: begin + n, source: source.idx },
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
  const { database, events, jobs, labelsOf } = context
  const store = createHistoryExportStore(database)

  function show(job: HistoryJob & Pick<HistoryExport, 'rate' | 'secondsLeft'>): HistoryExport {
    const { fromAt, toAt, step, rowCount, unreadJettons, ...shown } = job
    const sources = store.countSources(job.id)
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
        ? [...notesOf(store.sources(job.id), unreadJettons, job.view), ...ratesNote(store, job)]
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
        ...{ key, symbol, decimals, received, sent, fees, reason },
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
