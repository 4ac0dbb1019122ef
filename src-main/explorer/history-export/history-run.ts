import type { AppContext } from '../../app/context.ts'
import { isNotFound } from '../../chain/access.ts'
import type { QueryClient, QueryOptions, TransactionsPage } from '../../gateway/query.ts'
import type { JobControl } from '../../jobs/job-run.ts'
import { readRefusal } from '../../jobs/refusal.ts'
import type { Moved } from './movements.ts'
import type {
  HistoryExportStore,
  HistoryJob,
  PageSums,
  Source,
  StoredRow,
} from './store/history-exports.ts'

/** Maximum number of transactions per request; fewer if a response would be too large. */
const maxTransactions = 1000
/** The maximum number of events per request that the service accepts. */
const maxEvents = 100
const minPageSize = 20

/** One run of a job: sends its requests, repeats them with the job's backoff, and stores the results. */
export type HistoryRun = ReturnType<typeof createHistoryRun>

export function createHistoryRun(
  job: HistoryJob,
  { abort, backoff, count }: JobControl,
  { access, now }: Pick<AppContext, 'access' | 'now'>,
  store: HistoryExportStore,
) {
  const options: QueryOptions = { signal: abort, priority: 'job' }
  let pageSize = job.view === 'events' ? maxEvents : maxTransactions

  return {
    job,
    store,
    abort,
    count,
    now,
    options,
    answered: () => backoff.answered(),
    pageSize: () => pageSize,
    query: (): QueryClient => access.query(job.network),
    testOnly: () => access.info(job.network).testOnly,
    /** Stores the results of one step in one transaction. */
    keep: (requests: number, write: () => void) => store.keep(job.id, requests, write),
    /** Null for an account that the gateway does not know. */
    async orNull<T>(request: Promise<T>): Promise<T | null> {
      const response = await request.catch((error: unknown) => {
        if (!isNotFound(error)) throw error
        return null
      })
      backoff.answered()
      return response
    },
    /** @returns null if a smaller page must be requested */
    async requestPage<T>(
      bound: TransactionsPage,
      request: (page: TransactionsPage & { readonly limit: number }) => Promise<T>,
    ): Promise<T | null> {
      try {
        return await request({ limit: pageSize, ...bound })
      } catch (error) {
        const refusal = readRefusal(error)
        const isTooLarge =
          refusal.kind === 'request' || (refusal.kind === 'passing' && refusal.isOwn)
        if (!isTooLarge || pageSize <= minPageSize || abort.aborted) throw error
        // A smaller page may be accepted.
        pageSize = Math.max(minPageSize, Math.floor(pageSize / 4))
        store.keep(job.id, 1, () => undefined)
        if (refusal.kind === 'passing') backoff.pause(refusal.message, refusal.retryAfterMs)
        return null
      }
    },
  }
}

export type Move = Moved & Pick<StoredRow, 'lt' | 'hash' | 'at'>

const noSums = { received: '0', sent: '0', fees: '0', later: '0' }
const ofTransaction = { action: null, sentence: null, transactions: null, isScam: false }
const plus = (text: string, units: bigint) => (BigInt(text) + units).toString()

export function writeRows(
  store: HistoryExportStore,
  { id, toAt }: HistoryJob,
  { idx }: Source,
  moves: readonly Move[],
): void {
  const before = store.assets(id).filter(({ source }) => source === idx)
  const sums = new Map<string, PageSums>(before.map((each) => [each.asset, each]))
  const rows: StoredRow[] = []

  const change = (key: string, part: (own: PageSums) => Partial<PageSums>) => {
    const own = sums.get(key)
    if (own !== undefined) sums.set(key, { ...own, ...part(own) })
  }
  for (const { lt, hash, at, movements, assets } of moves) {
    const last = rows.at(-1)
    // Events with the same logical time follow each other, so they are numbered.
    const begin = last?.lt === lt ? last.n + 1 : 0
    for (const [asset, { symbol, decimals }] of assets) {
      if (!sums.has(asset)) sums.set(asset, { source: idx, asset, symbol, decimals, ...noSums })
    }
    for (const [index, { asset, units, fee, ...shown }] of movements.entries()) {
      if (at > toAt) {
        change(asset, ({ later }) => ({ later: plus(later, units) }))
        if (fee !== 0n) change('TON', ({ later }) => ({ later: plus(later, -fee) }))
        continue
      }
      change(asset, ({ received, sent }) =>
        units > 0n ? { received: plus(received, units) } : { sent: plus(sent, -units) },
      )
      if (fee !== 0n) change('TON', ({ fees }) => ({ fees: plus(fees, fee) }))
      const place = { asset, lt, hash, at, source: idx, n: begin + index }
      const amounts = { units: units.toString(), fee: fee.toString() }
      rows.push({ ...ofTransaction, ...shown, ...place, ...amounts })
    }
  }
  for (const asset of [...sums.values()].slice(before.length)) store.addAsset(id, asset)
  store.setSums(id, [...sums.values()])
  store.addRows(id, rows, moves.filter(({ at }) => at <= toAt).length)
}
