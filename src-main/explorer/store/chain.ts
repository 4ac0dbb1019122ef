import { type AccountName, createAccountNames } from './account-names.ts'
import { type Database, transaction } from '../../database/database.ts'

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

/** What was seen of each network's chain. Times are milliseconds since the epoch. */
export type ChainRecords = {
  /** Adds or renews, all or nothing, and lets the oldest go where there are too many. */
  put(
    network: string,
    records: { readonly transactions: readonly TransactionRecord[]; readonly trace?: TraceRecord },
    now: number,
  ): void
  /** By its own hash, else by that of a message. */
  find(network: string, hash: string): KeptTransaction | null
  trace(network: string, root: string): KeptTrace | null
  /** Newest first. */
  ofAccount(
    network: string,
    account: string,
    page: { readonly beforeLt: string | null; readonly limit: number },
  ): KeptTransaction[]
}

/**
 * Kept for all networks together: some 600 MB of everyday transactions at the most, and years of
 * looking at them by hand. Beyond it, those not looked at for longest go.
 */
const maxKept = 200_000
/** Rows added until they are counted again: counting reads an index from end to end. */
const countEvery = 500

/** @param max for tests */
export function createChainRecords(database: Database, max = maxKept): ChainRecords {
  const upsert = database.prepare(
    `INSERT INTO chain_transactions (network, hash, account, lt, trace_root, fetched_at, answer)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (network, hash) DO UPDATE SET
       trace_root = coalesce(excluded.trace_root, trace_root),
       fetched_at = excluded.fetched_at, answer = excluded.answer
     RETURNING id`,
  )
  const addMessage = database.prepare(
    'INSERT OR IGNORE INTO chain_messages (network, message, transaction_id) VALUES (?, ?, ?)',
  )
  const putTrace = database.prepare(
    `INSERT OR REPLACE INTO chain_traces (network, root, nodes, jettons, is_complete, fetched_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const columns = 't.hash, t.answer, t.trace_root, t.fetched_at'
  const byHash = database.prepare(
    `SELECT ${columns} FROM chain_transactions t WHERE network = ? AND hash = ?`,
  )
  const byMessage = database.prepare(
    `SELECT ${columns} FROM chain_messages m JOIN chain_transactions t ON t.id = m.transaction_id
     WHERE m.network = ? AND m.message = ? LIMIT 2`,
  )
  const oneTrace = database.prepare(
    `SELECT nodes, jettons, is_complete, fetched_at FROM chain_traces
     WHERE network = ? AND root = ?`,
  )
  const ofTrace = database.prepare(
    'SELECT hash, answer FROM chain_transactions WHERE network = ? AND trace_root = ?',
  )
  const history = database.prepare(
    `SELECT ${columns} FROM chain_transactions t
     WHERE network = ? AND account = ? AND lt < ? ORDER BY lt DESC LIMIT ?`,
  )
  const count = database.prepare('SELECT count(*) AS total FROM chain_transactions')
  const removeOldest = database.prepare(
    `DELETE FROM chain_transactions
     WHERE id IN (SELECT id FROM chain_transactions ORDER BY fetched_at LIMIT ?)`,
  )
  const removeTraces = database.prepare(
    `DELETE FROM chain_traces
     WHERE fetched_at < (SELECT min(fetched_at) FROM chain_transactions)`,
  )
  const accountNames = createAccountNames(database)
  let sinceCounted = countEvery

  /** No more than was added since the last time, twice over: a step is short, and it always gets there. */
  function prune(): void {
    const excess = Number(count.get()?.['total']) - max
    const step = Math.min(excess, 2 * sinceCounted)
    sinceCounted = 0
    if (step <= 0) return
    removeOldest.run(step)
    removeTraces.run()
  }

  return {
    put(network, { transactions, trace }, now) {
      transaction(database, () => {
        for (const { hash, account, lt, messages, names, answer } of transactions) {
          const row = upsert.get(
            network,
            hash,
            account,
            BigInt(lt),
            trace?.root ?? null,
            now,
            answer,
          )
          for (const message of messages) addMessage.run(network, message, Number(row?.['id']))
          accountNames.put(network, names)
        }
        if (trace !== undefined) {
          const { root, nodes, jettons, isComplete } = trace
          putTrace.run(network, root, nodes, jettons, isComplete ? 1 : 0, now)
        }
      })
      sinceCounted += transactions.length
      if (sinceCounted >= countEvery) transaction(database, prune)
    },
    find(network, hash) {
      const direct = byHash.get(network, hash)
      if (direct !== undefined) return toKept(direct)
      const [first, second] = byMessage.all(network, hash)
      // Of several nobody could say which is meant.
      return first === undefined || second !== undefined ? null : toKept(first)
    },
    trace(network, root) {
      const row = oneTrace.get(network, root)
      if (row === undefined) return null
      const rows = ofTrace.all(network, root)
      return {
        nodes: row['nodes'] as string,
        jettons: row['jettons'] as string,
        isComplete: row['is_complete'] === 1,
        fetchedAt: row['fetched_at'] as number,
        transactions: new Map(
          rows.map((each) => [each['hash'] as string, each['answer'] as string]),
        ),
      }
    },
    ofAccount(network, account, { beforeLt, limit }) {
      const before = beforeLt === null ? latest : BigInt(beforeLt)
      return history.all(network, account, before, limit).map(toKept)
    },
  }
}

const latest = 2n ** 63n - 1n

function toKept(row: Record<string, unknown>): KeptTransaction {
  return {
    hash: row['hash'] as string,
    answer: row['answer'] as string,
    traceRoot: row['trace_root'] as string | null,
    fetchedAt: row['fetched_at'] as number,
  }
}
