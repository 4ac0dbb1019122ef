import { type AccountName, createAccountNames } from './account-names.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

/** A transaction to be kept. Hashes are 64 lower-case hex digits, the account is raw. */
export type TransactionRecord = {
  readonly hash: string
  readonly account: string
  /** Decimal int64. */
  readonly lt: string
  /** Hashes of the messages it can be found by. */
  readonly messages: readonly string[]
  /** Of the accounts in it. */
  readonly names: readonly AccountName[]
  /** JSON. */
  readonly answer: string
}

/** A trace to be kept; its transactions are records of their own. */
type TraceRecord = {
  /** Hash of its first transaction. */
  readonly root: string
  /** JSON. */
  readonly nodes: string
  /** JSON. */
  readonly jettons: string
  readonly isComplete: boolean
}

export type KeptTransaction = {
  readonly hash: string
  readonly answer: string
  readonly traceRoot: string | null
  readonly fetchedAt: number
}

type KeptTrace = Omit<TraceRecord, 'root'> & {
  readonly fetchedAt: number
  /** Answers by hash; some may have been pruned. */
  readonly transactions: ReadonlyMap<string, string>
}

/**
 * Kept for all networks together: some 600 MB of everyday transactions at the most, and years of
 * looking at them by hand. Beyond it, those not looked at for longest go.
 */
const maxKept = 200_000
/** Rows added until they are counted again: counting reads an index from end to end. */
const countEvery = 500

export type ChainRecords = ReturnType<typeof createChainRecords>

/**
 * What was seen of each network's chain. Times are milliseconds since the epoch.
 * @param max for tests
 */
export function createChainRecords(database: Database, max = maxKept) {
  const sql = createSql(database)
  const columns = 't.hash, t.answer, t.trace_root, t.fetched_at'
  const accountNames = createAccountNames(database)
  let sinceCounted = countEvery

  /** No more than was added since the last time, twice over: a step is short, and it always gets there. */
  function prune(): void {
    const excess = (sql.value<number>('SELECT count(*) FROM chain_transactions') ?? 0) - max
    const step = Math.min(excess, 2 * sinceCounted)
    sinceCounted = 0
    if (step <= 0) return
    sql.run(
      `DELETE FROM chain_transactions
       WHERE id IN (SELECT id FROM chain_transactions ORDER BY fetched_at LIMIT ?)`,
      step,
    )
    sql.run(
      `DELETE FROM chain_traces
       WHERE fetched_at < (SELECT min(fetched_at) FROM chain_transactions)`,
    )
  }

  return {
    /** Adds or renews, all or nothing, and lets the oldest go where there are too many. */
    put(
      network: string,
      records: {
        readonly transactions: readonly TransactionRecord[]
        readonly trace?: TraceRecord
      },
      now: number,
    ): void {
      const { transactions, trace } = records
      sql.transaction(() => {
        for (const { hash, account, lt, messages, names, answer } of transactions) {
          const id = sql.value<number>(
            `INSERT INTO chain_transactions (network, hash, account, lt, trace_root, fetched_at, answer)
             VALUES (?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (network, hash) DO UPDATE SET
               trace_root = coalesce(excluded.trace_root, trace_root),
               fetched_at = excluded.fetched_at, answer = excluded.answer
             RETURNING id`,
            ...[network, hash, account, BigInt(lt), trace?.root ?? null, now, answer],
          )
          for (const message of messages) {
            sql.run(
              'INSERT OR IGNORE INTO chain_messages (network, message, transaction_id) VALUES (?, ?, ?)',
              ...[network, message, id],
            )
          }
          accountNames.put(network, names)
        }
        if (trace === undefined) return
        const { root, nodes, jettons, isComplete } = trace
        const fields = { network, root, nodes, jettons, isComplete, fetchedAt: now }
        sql.insert('chain_traces', fields, 'INSERT OR REPLACE')
      })
      sinceCounted += transactions.length
      if (sinceCounted >= countEvery) sql.transaction(prune)
    },
    /** By its own hash, else by that of a message. */
    find(network: string, hash: string): KeptTransaction | null {
      const direct = sql.get<KeptTransaction>(
        `SELECT ${columns} FROM chain_transactions t WHERE network = ? AND hash = ?`,
        ...[network, hash],
      )
      if (direct !== null) return direct
      const [first, second] = sql.all<KeptTransaction>(
        `SELECT ${columns} FROM chain_messages m JOIN chain_transactions t ON t.id = m.transaction_id
         WHERE m.network = ? AND m.message = ? LIMIT 2`,
        ...[network, hash],
      )
      // Of several nobody could say which is meant.
      return first === undefined || second !== undefined ? null : first
    },
    trace(network: string, root: string): KeptTrace | null {
      const trace = sql.get<Omit<KeptTrace, 'transactions'>>(
        `SELECT nodes, jettons, is_complete, fetched_at FROM chain_traces
         WHERE network = ? AND root = ?`,
        ...[network, root],
      )
      if (trace === null) return null
      const rows = sql.all<{ hash: string; answer: string }>(
        'SELECT hash, answer FROM chain_transactions WHERE network = ? AND trace_root = ?',
        ...[network, root],
      )
      return { ...trace, transactions: new Map(rows.map(({ hash, answer }) => [hash, answer])) }
    },
    /** Newest first. */
    ofAccount: (
      network: string,
      account: string,
      { beforeLt, limit }: { readonly beforeLt: string | null; readonly limit: number },
    ) =>
      sql.all<KeptTransaction>(
        `SELECT ${columns} FROM chain_transactions t
         WHERE network = ? AND account = ? AND lt < ? ORDER BY lt DESC LIMIT ?`,
        ...[network, account, beforeLt === null ? latest : BigInt(beforeLt), limit],
      ),
  }
}

const latest = 2n ** 63n - 1n
