import { setImmediate } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import { foldText } from './labels.ts'

/** Hashes are 64 lower-case hex digits, addresses are raw, `answer` is JSON. */
export type TransactionRecord = Readonly<Record<'hash' | 'account' | 'lt' | 'answer', string>> & {
  readonly messages: readonly string[]
  readonly names: readonly AccountName[]
}

type TraceRecord = Readonly<Record<'root' | 'nodes' | 'jettons', string>> & {
  readonly isComplete: boolean
}

export type TransactionRow = Pick<TransactionRecord, 'hash' | 'answer'> & {
  readonly traceRoot: string | null
  readonly fetchedAt: number
}

/**
 * The limit is about 600 MB for all networks together; the transactions that were fetched first are
 * deleted first.
 */
const maxTransactions = 200_000
/** Rows are counted only after this many were added, because counting reads a whole index. */
const countEvery = 500

/** Times are Unix milliseconds. */
export function createChainRecords(database: Database, max = maxTransactions) {
  const sql = createSql(database)
  const columns = 't.hash, t.answer, t.trace_root, t.fetched_at'
  const accountNames = createAccountNames(database)
  let sinceCounted = countEvery

  /** Deletes at most twice as many rows as were added, so that each step is short. */
  function prune(): void {
    const excess = sql.count('chain_transactions') - max
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
            sql.insertNew('chain_messages', { network, message, transactionId: id })
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
    find(network: string, hash: string): TransactionRow | null {
      const direct = sql.get<TransactionRow>(
        `SELECT ${columns} FROM chain_transactions t WHERE network = ? AND hash = ?`,
        ...[network, hash],
      )
      if (direct !== null) return direct
      const [first, second] = sql.all<TransactionRow>(
        `SELECT ${columns} FROM chain_messages m JOIN chain_transactions t ON t.id = m.transaction_id
         WHERE m.network = ? AND m.message = ? LIMIT 2`,
        ...[network, hash],
      )
      // A message hash that belongs to several transactions does not identify one.
      return first === undefined || second !== undefined ? null : first
    },
    trace(network: string, root: string) {
      const trace = sql.get<TraceRecord & { readonly fetchedAt: number }>(
        `SELECT root, nodes, jettons, is_complete, fetched_at FROM chain_traces
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
    ofAccount: (
      network: string,
      account: string,
      { beforeLt, limit }: { readonly beforeLt: string | null; readonly limit: number },
    ) =>
      sql.all<TransactionRow>(
        `SELECT ${columns} FROM chain_transactions t
         WHERE network = ? AND account = ? AND lt < ? ORDER BY lt DESC LIMIT ?`,
        ...[network, account, beforeLt === null ? latest : BigInt(beforeLt), limit],
      ),
  }
}

const latest = 2n ** 63n - 1n

type AccountName = { readonly address: string; readonly name: string }

export function createAccountNames(database: Database) {
  const sql = createSql(database)
  return {
    put(network: string, names: readonly AccountName[]): void {
      for (const each of names) {
        sql.run(
          `INSERT INTO account_names (network, address, name, folded)
           VALUES ($network, $address, $name, $folded)
           ON CONFLICT (network, address) DO UPDATE
           SET name = excluded.name, folded = excluded.folded WHERE name <> excluded.name`,
          { ...each, network, folded: foldText(each.name) },
        )
      }
    },
    /** The state of an account in the stored responses of the gateway; null if none contains it. */
    of: (network: string, address: string) =>
      sql.get<{ readonly name: string | null; readonly isWallet: boolean | null }>(
        `SELECT
           (SELECT name FROM account_names WHERE network = $network AND address = $address) AS name,
           coalesce(
             (SELECT CASE WHEN json_valid(answer) THEN json_extract(answer, '$.is_wallet') END
              FROM chain_accounts WHERE network = $network AND address = $address),
             (SELECT CASE WHEN json_valid(answer) THEN json_extract(answer, '$.account.is_wallet') END
              FROM chain_transactions WHERE network = $network AND account = $address
              ORDER BY lt DESC LIMIT 1)) AS is_wallet`,
        { network, address },
      ),
    like: (text: string, limit: number) =>
      sql.all<AccountName>(
        'SELECT address, name FROM account_names WHERE instr(folded, ?) > 0 LIMIT ?',
        ...[foldText(text), limit],
      ),
  }
}

const maxAccounts = 20_000

/** Addresses are raw. */
export function createAccountRecords(database: Database, max = maxAccounts) {
  const sql = createSql(database)
  return {
    put: (
      network: string,
      { address, answer }: { readonly address: string; readonly answer: string },
      now: number,
    ) =>
      sql.transaction(() => {
        const record = { network, address, answer, fetchedAt: now }
        sql.insert('chain_accounts', record, 'INSERT OR REPLACE')
        sql.run(
          `DELETE FROM chain_accounts WHERE (network, address) IN (
             SELECT network, address FROM chain_accounts
             ORDER BY fetched_at DESC LIMIT -1 OFFSET ?)`,
          max,
        )
      }),
    find: (network: string, address: string) =>
      sql.value<string>(
        'SELECT answer FROM chain_accounts WHERE network = ? AND address = ?',
        ...[network, address],
      ),
  }
}

/** Call this when a network's URLs lead to another chain; labels and bulk lookups stay. */
export async function forgetChain(database: Database, network: string): Promise<void> {
  const { removeSome } = createSql(database)
  for (const [table, key] of [
    ['chain_transactions', 'id'],
    ['chain_traces', 'network, root'],
    ['chain_accounts', 'network, address'],
    ['account_names', 'network, address'],
  ] as const) {
    while (removeSome(table, key, { network })) await setImmediate()
  }
}
