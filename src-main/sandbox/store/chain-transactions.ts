import type { Database } from './database.ts'

export type StoredTransaction = {
  /** From 1, in order of execution. */
  readonly number: number
  readonly hash: string
  readonly account: string
  readonly blockSeqno: number
  readonly traceHash: string
  readonly parentHash: string | null
  readonly endBalance: bigint
  readonly deployed: boolean
  readonly boc: Uint8Array
}

type NewTransaction = {
  readonly number: number
  readonly hash: string
  readonly accountId: number
  readonly lt: bigint
  readonly blockSeqno: number
  /** Number of the root transaction. */
  readonly trace: number
  readonly traceLt: bigint
  readonly parent: number | null
  readonly endBalance: bigint
  readonly deployed: boolean
  readonly boc: Uint8Array
  readonly messageHashes: readonly string[]
}

export type TransactionStore = {
  insert(transaction: NewTransaction): void
  find(hash: string): StoredTransaction | null
  numberOf(hash: string): number | null
  withMessage(messageHash: string): StoredTransaction[]
  /** Exclusive bounds. */
  history(
    address: string,
    query: {
      readonly afterLt: bigint
      readonly beforeLt: bigint
      readonly order: 'asc' | 'desc'
      readonly limit: number
    },
  ): StoredTransaction[]
  range(first: number, count: number): StoredTransaction[]
  trace(hash: string, limit: number): StoredTransaction[]
  traces(
    address: string,
    query: {
      /** Exclusive bounds. */
      readonly afterLt: bigint
      readonly beforeLt: bigint
      /** Inclusive bounds, seconds. */
      readonly since: number
      readonly until: number
      readonly initiated: boolean
      readonly order: 'asc' | 'desc'
      readonly limit: number
    },
  ): { hash: string; utime: number; lt: bigint }[]
  count(): number
}

const columns = `t.number, t.hash, a.address, t.block_seqno, r.hash AS trace_hash,
  p.hash AS parent_hash, t.end_balance, t.deployed, t.boc
  FROM transactions t
  JOIN account_states a ON a.id = t.account
  JOIN transactions r ON r.number = t.trace
  LEFT JOIN transactions p ON p.number = t.parent`

export function createTransactionStore(database: Database): TransactionStore {
  const insert = database.prepare(
    `INSERT INTO transactions (number, hash, account, lt, block_seqno, trace, parent, end_balance,
       deployed, boc) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertTrace = database.prepare(
    'INSERT OR IGNORE INTO account_traces (account, lt, trace) VALUES (?, ?, ?)',
  )
  const insertMessage = database.prepare(
    'INSERT OR IGNORE INTO message_transactions (hash, transaction_number) VALUES (?, ?)',
  )
  const find = database.prepare(`SELECT ${columns} WHERE t.hash = ?`)
  const numberOf = database.prepare('SELECT number FROM transactions WHERE hash = ?')
  const withMessage = database.prepare(
    `SELECT ${columns} JOIN message_transactions m ON m.transaction_number = t.number
     WHERE m.hash = ? ORDER BY t.number`,
  )
  const history = {
    asc: historyIn('ASC'),
    desc: historyIn('DESC'),
  }
  const range = database.prepare(
    `SELECT ${columns} WHERE t.number >= ? AND t.number < ? ORDER BY t.number`,
  )
  const trace = database.prepare(
    `SELECT ${columns} WHERE t.trace = (SELECT trace FROM transactions WHERE hash = ?)
     ORDER BY t.number LIMIT ?`,
  )
  const traces = { asc: tracesIn('ASC'), desc: tracesIn('DESC') }
  const count = database.prepare('SELECT coalesce(max(number), 0) AS count FROM transactions')

  function historyIn(order: 'ASC' | 'DESC') {
    return database.prepare(
      `SELECT ${columns} WHERE t.account = (SELECT id FROM account_states WHERE address = ?)
       AND t.lt > ? AND t.lt < ? ORDER BY t.lt ${order} LIMIT ?`,
    )
  }

  function tracesIn(order: 'ASC' | 'DESC') {
    const statement = database.prepare(
      `SELECT r.hash, b.utime, at.lt FROM account_traces at
       JOIN transactions r ON r.number = at.trace
       JOIN blocks b ON b.seqno = r.block_seqno
       WHERE at.account = (SELECT id FROM account_states WHERE address = ?)
         AND at.lt > ? AND at.lt < ? AND b.utime >= ? AND b.utime <= ?
         AND (? = 0 OR r.account = at.account)
       ORDER BY at.lt ${order}, at.trace ${order} LIMIT ?`,
    )
    statement.setReadBigInts(true)
    return statement
  }

  return {
    insert(transaction) {
      insert.run(
        transaction.number,
        bytes(transaction.hash),
        transaction.accountId,
        transaction.lt,
        transaction.blockSeqno,
        transaction.trace,
        transaction.parent,
        String(transaction.endBalance),
        transaction.deployed ? 1 : 0,
        transaction.boc,
      )
      insertTrace.run(transaction.accountId, transaction.traceLt, transaction.trace)
      for (const hash of transaction.messageHashes) {
        insertMessage.run(bytes(hash), transaction.number)
      }
    },
    find: (hash) => find.all(bytes(hash)).map(toTransaction)[0] ?? null,
    numberOf(hash) {
      const row = numberOf.get(bytes(hash))
      return row === undefined ? null : (row['number'] as number)
    },
    withMessage: (hash) => withMessage.all(bytes(hash)).map(toTransaction),
    history: (address, { afterLt, beforeLt, order, limit }) =>
      history[order].all(address, afterLt, beforeLt, limit).map(toTransaction),
    range: (first, length) => range.all(first, first + length).map(toTransaction),
    trace: (hash, limit) => trace.all(bytes(hash), limit).map(toTransaction),
    traces: (address, { afterLt, beforeLt, since, until, initiated, order, limit }) =>
      traces[order]
        .all(address, afterLt, beforeLt, since, until, initiated ? 1 : 0, limit)
        .map((row) => ({
          hash: hex(row['hash'] as Uint8Array),
          utime: Number(row['utime']),
          lt: row['lt'] as bigint,
        })),
    count: () => Number(count.get()?.['count']),
  }
}

function toTransaction(row: Record<string, unknown>): StoredTransaction {
  const parent = row['parent_hash'] as Uint8Array | null
  return {
    number: row['number'] as number,
    hash: hex(row['hash'] as Uint8Array),
    account: row['address'] as string,
    blockSeqno: row['block_seqno'] as number,
    traceHash: hex(row['trace_hash'] as Uint8Array),
    parentHash: parent === null ? null : hex(parent),
    endBalance: BigInt(row['end_balance'] as string),
    deployed: row['deployed'] === 1,
    boc: row['boc'] as Uint8Array,
  }
}

function bytes(hash: string): Uint8Array {
  return Buffer.from(hash, 'hex')
}

function hex(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')
}
