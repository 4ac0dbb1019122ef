import type { HistoryExport } from '../../../../src-preload/contract/history-export.ts'
import type { RatePoint } from '../../../../src-preload/domain/fiat.ts'
import type { Database } from '../../../database/database.ts'
import { type Sql, createSql, distinctIds, json, unsigned64Text } from '../../../database/sql.ts'
import type { ChainEdge } from '../../../gateway/transaction-chain.ts'
import { createJobTable } from '../../../jobs/store/job-table.ts'

export type HistoryJob = Pick<
  HistoryExport,
  'id' | 'state' | 'problem' | 'network' | 'address' | 'view' | 'fiat' | 'createdAt' | 'finishedAt'
> & {
  readonly fromAt: number | null
  readonly toAt: number
  readonly step: Step
  readonly rowCount: number
  readonly transactions: number
  readonly requests: number
  /** Number of the account's jettons that could not be parsed. */
  readonly unreadJettons: number
}

/**
 * The steps in order: read the account's transactions, list its jettons, read its jetton wallets
 * and request the account's balance, request the jettons' balances, and compare. With events: read
 * the events, request the first transaction (jettons), request all balances (wallets), and compare.
 */
type Step = 'account' | 'jettons' | 'wallets' | 'jettonBalances' | 'compare'

/** A contract whose transactions are read: the account or one of its jetton wallets. */
export type Source = {
  readonly idx: number
  readonly address: string
  /** Raw address of the jetton's master; null for the account, and for a wallet that is not verified yet. */
  readonly jetton: string | null
  /**
   * claimed: a message names the contract as a wallet of the account, which is not verified yet.
   * behind: newer transactions must be read. recheck: the balance must be requested again.
   */
  readonly state: 'claimed' | 'rejected' | 'reading' | 'read' | 'behind' | 'recheck' | 'compared'
  readonly beforeLt: string | null
  readonly newestLt: string | null
  /** The position where reading downward continues; null before the first page, and for events. */
  readonly edge: ChainEdge | null
  /** repeated: the gateway returned the same transactions again. */
  readonly ended: 'beginning' | 'period' | 'pruned' | 'repeated' | null
  readonly expected: string | null
  readonly opening: string | null
  readonly differsAt: string | null
  readonly unread: number
  readonly unreadWhy: string | null
  /** Number of places where the gateway left out transactions; `gap` describes the first one. */
  readonly gaps: number
  readonly gap: string | null
  /** Number of transactions that do not name the previous one. */
  readonly unlinked: number
  /** Number of events that were not complete when they were read. */
  readonly inProgress: number
  /** Number of times that newer transactions were read. */
  readonly rounds: number
}

export type AssetSums = {
  readonly source: number
  readonly asset: string
  readonly symbol: string
  readonly decimals: number
  readonly received: string
  readonly sent: string
  readonly fees: string
  readonly later: string
  readonly balance: string | null
  /**
   * Rates were requested for the rows before this one, and for times until `ratesAt`; null before
   * the first request.
   */
  readonly ratesLt: string | null
  readonly ratesAt: number | null
  readonly isRated: boolean
}

/** The part of the sums that the rows of one page change. */
export type PageSums = Omit<AssetSums, 'balance' | 'ratesLt' | 'ratesAt' | 'isRated'>

export type StoredRow = {
  readonly lt: string
  readonly source: number
  readonly n: number
  /** The time in milliseconds since the epoch. */
  readonly at: number
  readonly hash: string
  readonly direction: 'in' | 'out' | 'none'
  /** The peer's raw address. */
  readonly peer: string | null
  /** `TON`, the raw address of a jetton's master, or `extra:` and the id of an extra currency. */
  readonly asset: string
  readonly units: string
  readonly fee: string
  readonly comment: string | null
  readonly kind: string
  readonly status: string
  /**
   * Index of the action within its event. Null for a row of a transaction, and for the part of an
   * event that no action explains.
   */
  readonly action: number | null
  /**
   * Null for a row of a transaction. `transactions`, which is then null too, contains hashes
   * separated by spaces.
   */
  readonly sentence: string | null
  readonly transactions: string | null
  /** True if the gateway marks the event as spam. */
  readonly isScam: boolean
}

const columns = `id, network, address, view, fiat, from_at, to_at, created_at, finished_at, state, problem, step, row_count,
  transactions, requests, unread_jettons`
const sourceColumns = `idx, address, jetton, state, before_lt, newest_lt, ended, expected, opening, differs_at,
  unread, unread_why, in_progress, rounds, edge, gaps, gap, unlinked`
const assetColumns =
  'source, asset, symbol, decimals, received, sent, fees, later, balance, rates_lt, rates_at, is_rated'
const rowColumns = `lt, source, n, at, hash, direction, peer, asset, units, fee, comment, kind, status, action, sentence,
  transactions, is_scam`

export type HistoryExportStore = ReturnType<typeof createHistoryExportStore>

type NewJob = Pick<
  HistoryJob,
  'network' | 'address' | 'view' | 'fiat' | 'fromAt' | 'toAt' | 'createdAt'
>

export function createHistoryExportStore(database: Database) {
  const sql = createSql(database, {
    lt: unsigned64Text,
    beforeLt: unsigned64Text,
    newestLt: unsigned64Text,
    ratesLt: unsigned64Text,
    edge: json,
  })
  const select = `SELECT ${columns} FROM history_exports WHERE true`
  return {
    table: createJobTable<HistoryJob>(database, 'history_exports', select, (row) => row),
    ...jobStore(sql),
    ...sourceStore(sql),
    ...assetStore(sql),
    ...rowStore(sql),
  }
}

function jobStore(sql: Sql) {
  return {
    add: (job: NewJob): number =>
      sql.transaction(() => {
        const jobId = sql.insert('history_exports', { ...job, state: 'running' })
        sql.insert('history_sources', { jobId, idx: 0, address: job.address, state: 'reading' })
        const ton = { jobId, source: 0, asset: 'TON', symbol: 'TON', decimals: 9 }
        sql.insert('history_assets', ton)
        return jobId
      }),
    /** Stores one step of the work and the number of its requests in one transaction. */
    keep: (job: number, requests: number, write: () => void) =>
      sql.transaction(() => {
        write()
        sql.run(
          'UPDATE history_exports SET requests = requests + ? WHERE id = ?',
          ...[requests, job],
        )
      }),
    setStep: (id: number, step: Step) => void sql.update('history_exports', { step }, { id }),
    setUnreadJettons: (id: number, unreadJettons: number) =>
      void sql.update('history_exports', { unreadJettons }, { id }),
    orphans: () => sql.column<number>(orphans),
    /** The sources are removed last, because `orphans` searches for them. @returns false when none are left */
    removeSome: (jobId: number): boolean =>
      sql.run(removeRows, { jobId }) > 0 ||
      ['history_assets', 'history_rates', 'history_sources'].some(
        (table) => sql.remove(table, { jobId }) > 0,
      ),
  }
}

const orphans = `${distinctIds('history_sources', 'job_id')}
  WHERE id NOT IN (SELECT id FROM history_exports)`
const removeRows = `DELETE FROM history_rows WHERE job_id = $jobId AND (lt, source, n) IN
  (SELECT lt, source, n FROM history_rows WHERE job_id = $jobId LIMIT 2000)`

function sourceStore(sql: Sql) {
  const select = `SELECT ${sourceColumns} FROM history_sources WHERE job_id = ?`
  const count = (job: number, where: string) =>
    sql.count(`history_sources WHERE job_id = ? AND ${where}`, job)
  return {
    changeSource: (jobId: number, idx: number, change: Partial<Source>) =>
      void sql.update('history_sources', change, { jobId, idx }),
    sources: (job: number) => sql.all<Source>(`${select} ORDER BY idx`, job),
    /** The first source in this state. */
    nextSource: (job: number, state: Source['state']) =>
      sql.get<Source>(`${select} AND state = ? ORDER BY idx LIMIT 1`, job, state),
    /** Adds a source unless its address is already known. @returns its index */
    addSource(jobId: number, address: string, state: Source['state']): number {
      const stored = sql.get<Source>(`${select} AND address = ?`, jobId, address)
      if (stored !== null) return stored.idx
      const idx = count(jobId, 'true')
      sql.insert('history_sources', { jobId, idx, address, state })
      return idx
    },
    countSources: (job: number) => ({
      all: count(job, `state NOT IN ('rejected', 'claimed')`),
      read: count(job, `state NOT IN ('rejected', 'claimed', 'reading')`),
      claimed: count(job, `state = 'claimed'`),
    }),
  }
}

type AssetKey = Pick<AssetSums, 'source' | 'asset'>

function assetStore(sql: Sql) {
  const change = (jobId: number, { source, asset }: AssetKey, fields: Partial<AssetSums>) =>
    void sql.update('history_assets', fields, { jobId, source, asset })
  return {
    assets: (job: number) =>
      sql.all<AssetSums>(
        `SELECT ${assetColumns} FROM history_assets WHERE job_id = ? ORDER BY source, asset <> 'TON', asset`,
        job,
      ),
    addAsset(jobId: number, sums: AssetKey & Pick<AssetSums, 'symbol' | 'decimals'>): void {
      const { source, asset, symbol, decimals } = sums
      sql.upsert('history_assets', { jobId, source, asset }, { symbol, decimals })
    },
    setBalance: (job: number, source: number, asset: string, balance: string) =>
      change(job, { source, asset }, { balance }),
    changeAsset: change,
    /**
     * Returns the first row that moved the asset, at or after the row and after the time; fees
     * count as coins.
     */
    nextToRate: (job: number, { asset, ratesLt, ratesAt }: AssetSums) =>
      sql.get<Pick<StoredRow, 'lt' | 'at'>>(
        `SELECT lt, at FROM history_rows
         WHERE job_id = $job AND lt >= $ratesLt AND at > $after
           AND (asset = $asset AND units <> '0' OR $asset = 'TON' AND fee <> '0')
         ORDER BY lt, source, n LIMIT 1`,
        { job, asset, ratesLt: ratesLt ?? '0', after: ratesAt ?? -1 },
      ),
    addRates(jobId: number, asset: string, points: readonly RatePoint[]): void {
      for (const { at, rate } of points) {
        sql.upsert('history_rates', { jobId, asset, at }, { rate })
      }
    },
    /** Returns rates, the oldest first. Times are milliseconds, both inclusive. */
    rates: (job: number, asset: string, from: number, to: number) =>
      sql.all<RatePoint>(
        'SELECT at, rate FROM history_rates WHERE job_id = ? AND asset = ? AND at BETWEEN ? AND ? ORDER BY at',
        ...[job, asset, from, to],
      ),
    /** Returns the symbols of assets for which the gateway has no rates. */
    withoutRates: (job: number) =>
      sql.column<string>(
        `SELECT symbol FROM history_assets a WHERE job_id = ? AND rates_at IS NOT NULL AND NOT EXISTS
           (SELECT 1 FROM history_rates r WHERE r.job_id = a.job_id AND r.asset = a.asset)`,
        job,
      ),
    setSums(job: number, sums: readonly PageSums[]): void {
      for (const { received, sent, fees, later, ...key } of sums) {
        change(job, key, { received, sent, fees, later })
      }
    },
  }
}

function rowStore(sql: Sql) {
  const select = `SELECT ${rowColumns} FROM history_rows WHERE job_id = $job`
  const order = 'ORDER BY lt, source, n LIMIT $limit'
  return {
    addRows(jobId: number, rows: readonly StoredRow[], transactions: number): void {
      sql.insertAll(
        'history_rows',
        rows.map((row) => ({ jobId, ...row })),
      )
      sql.run(
        `UPDATE history_exports SET row_count = row_count + ?, transactions = transactions + ? WHERE id = ?`,
        ...[rows.length, transactions, jobId],
      )
    },
    /** Returns the hashes that have rows of events. */
    rowsOf: (job: number, hashes: readonly string[]) =>
      sql.column<string>(
        `SELECT DISTINCT hash FROM history_rows INDEXED BY history_rows_of_events
         WHERE job_id = ? AND sentence IS NOT NULL AND hash IN (SELECT value FROM json_each(?))`,
        ...[job, JSON.stringify(hashes)],
      ),
    /** Returns rows in the chain's order, after the given one. */
    rows(job: number, after: StoredRow | null, limit: number) {
      const where = after === null ? '' : 'AND (lt, source, n) > ($lt, $source, $n)'
      return sql.all<StoredRow>(`${select} ${where} ${order}`, { job, limit, ...after })
    },
  }
}
