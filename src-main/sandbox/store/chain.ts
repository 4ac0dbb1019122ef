import { type Codec, createSql, flag, int64 } from '../../database/sql.ts'
import type { Block, HistoryQuery, TraceQuery, TraceStart } from '../chain/chain.ts'
import { type Database, decimalCodec } from './database.ts'

/** `firstTransaction` is the number of the next transaction if the block has none. */
export type StoredBlock = Block & { readonly firstTransaction: number }

export type StoredAccount = {
  readonly id: number
  /** The base64 BOC of the shard account. */
  readonly boc: string
  /** Null for an inactive account. */
  readonly codeHash: string | null
  readonly lastActivity: number
}

export type StoredTransaction = {
  readonly hash: string
  readonly account: string
  readonly blockSeqno: number
  readonly traceId: string
  readonly parentHash: string | null
  readonly endBalance: bigint
  readonly deployed: boolean
  readonly boc: Uint8Array
}

/** `trace` and `parent` are numbers of transactions. */
type NewTransaction = Pick<StoredTransaction, 'hash' | 'blockSeqno' | 'endBalance' | 'deployed'> & {
  readonly number: number
  readonly account: number
  readonly lt: bigint
  readonly trace: number
  readonly parent: number | null
  readonly boc: Uint8Array
}

const bytesAs = (encoding: 'hex' | 'base64'): Codec<string> => ({
  decode(stored) {
    const { buffer, byteOffset, byteLength } = stored as Uint8Array
    return Buffer.from(buffer, byteOffset, byteLength).toString(encoding)
  },
  encode: (text) => Buffer.from(text, encoding),
})
const hex = bytesAs('hex')

const maxLt = 2n ** 63n - 1n

/** The query takes one index step per code, however many accounts have it. */
const selectCodeHashes = `WITH RECURSIVE each_code (code_hash) AS (
    SELECT min(code_hash) FROM account_states WHERE code_hash IS NOT NULL
    UNION ALL
    SELECT (SELECT min(a.code_hash) FROM account_states a
            WHERE a.code_hash > each_code.code_hash)
    FROM each_code WHERE each_code.code_hash IS NOT NULL
  ) SELECT code_hash FROM each_code WHERE code_hash IS NOT NULL`

function createAccountTable(database: Database) {
  const accounts = createSql(database, { state: bytesAs('base64'), boc: bytesAs('base64') })
  return {
    account: (address: string) =>
      accounts.get<StoredAccount>(
        'SELECT id, state AS boc, code_hash, last_activity FROM account_states WHERE address = ?',
        address,
      ),
    insertAccount: (address: string, { boc, ...account }: Omit<StoredAccount, 'id'>) =>
      accounts.insert('account_states', { address, state: boc, ...account }),
    updateAccount: ({ id, boc, lastActivity }: Omit<StoredAccount, 'codeHash'>) =>
      accounts.update('account_states', { state: boc, lastActivity }, { id }),
    /** This is separate, because it updates an index and code rarely changes. */
    setCode: (id: number, codeHash: string | null) =>
      accounts.update('account_states', { codeHash }, { id }),
    accountsWithCode: (codeHash: string) =>
      accounts.column<string>(
        'SELECT address FROM account_states WHERE code_hash = ? ORDER BY id',
        codeHash,
      ),
    codeHashes: () => accounts.column<string>(selectCodeHashes),
  }
}

export type ChainTables = ReturnType<typeof createChainTables>

/** The caller must open the transaction. */
export function createChainTables(database: Database) {
  const blocks = createSql(database, { startLt: int64, endLt: int64 })
  const transactions = createSql(database, {
    id: hex,
    hash: hex,
    traceId: hex,
    parentHash: hex,
    lt: int64,
    endBalance: decimalCodec,
    deployed: flag,
  })

  function read(
    conditions: string,
    values: Readonly<Record<string, string | number | bigint>>,
  ): StoredTransaction[] {
    return transactions.all(
      `SELECT t.hash, a.address AS account, t.block_seqno, r.hash AS trace_id,
         p.hash AS parent_hash, t.end_balance, t.deployed, t.boc
       FROM transactions t
       JOIN account_states a ON a.id = t.account
       JOIN transactions r ON r.number = t.trace
       LEFT JOIN transactions p ON p.number = t.parent ${conditions}`,
      values,
    )
  }

  return {
    insertBlock: (block: StoredBlock) => blocks.insert('blocks', block),
    block: (seqno: number) =>
      blocks.get<StoredBlock>('SELECT * FROM blocks WHERE seqno = ?', seqno),
    lastBlock: () => blocks.get<StoredBlock>('SELECT * FROM blocks ORDER BY seqno DESC LIMIT 1'),

    ...createAccountTable(database),

    insertTransaction(
      transaction: NewTransaction,
      traceLt: bigint,
      messageHashes: readonly string[],
    ): void {
      const { number, account, trace } = transaction
      transactions.insert('transactions', transaction)
      transactions.insertNew('account_traces', { account, lt: traceLt, trace })
      for (const hash of messageHashes) {
        transactions.insertNew('message_transactions', { hash, transactionNumber: number })
      }
    },
    transaction: (hash: string) => read('WHERE t.hash = $hash', { hash })[0] ?? null,
    transactionNumber: (hash: string) =>
      transactions.value<number>('SELECT number FROM transactions WHERE hash = $hash', { hash }),
    withMessage: (hash: string) =>
      read(
        `JOIN message_transactions m ON m.transaction_number = t.number
         WHERE m.hash = $hash ORDER BY t.number`,
        { hash },
      ),
    history: (
      address: string,
      { afterLt = -1n, beforeLt = maxLt, order = 'desc', limit }: HistoryQuery,
    ) =>
      read(
        `WHERE t.account = (SELECT id FROM account_states WHERE address = $address)
         AND t.lt > $afterLt AND t.lt < $beforeLt ORDER BY t.lt ${order} LIMIT $limit`,
        { address, afterLt, beforeLt, limit },
      ),
    range: (first: number, count: number) =>
      read('WHERE t.number >= $first AND t.number < $end ORDER BY t.number', {
        first,
        end: first + count,
      }),
    trace: (hash: string, limit: number) =>
      read(
        `WHERE t.trace = (SELECT trace FROM transactions WHERE hash = $hash)
         ORDER BY t.number LIMIT $limit`,
        { hash, limit },
      ),
    traces: (address: string, query: TraceQuery) => readTraces(transactions, address, query),

    /** Messages that a full block left for the next block. */
    waitingMessages: () =>
      transactions.all<{
        readonly boc: Uint8Array
        readonly traceId: string
        readonly lt: bigint
        readonly parentHash: string
      }>(
        `SELECT w.boc, r.hash AS trace_id, r.lt, p.hash AS parent_hash
         FROM waiting_messages w
         JOIN transactions r ON r.number = w.trace
         JOIN transactions p ON p.number = w.parent
         ORDER BY w.position`,
      ),
    replaceWaitingMessages(
      messages: readonly Pick<NewTransaction, 'boc' | 'trace' | 'parent'>[],
    ): void {
      transactions.run('DELETE FROM waiting_messages')
      for (const message of messages) transactions.insert('waiting_messages', message)
    },
  }
}

function readTraces(
  { all }: Pick<ReturnType<typeof createSql>, 'all'>,
  address: string,
  { afterLt = -1n, beforeLt = maxLt, since = 0, order = 'desc', ...query }: TraceQuery,
): TraceStart[] {
  const { until = Number.MAX_SAFE_INTEGER, initiated = false, limit } = query
  return all(
    `SELECT r.hash AS id, b.utime, at.lt FROM account_traces at
     JOIN transactions r ON r.number = at.trace
     JOIN blocks b ON b.seqno = r.block_seqno
     WHERE at.account = (SELECT id FROM account_states WHERE address = $address)
       AND at.lt > $afterLt AND at.lt < $beforeLt AND b.utime >= $since AND b.utime <= $until
       AND ($initiated = 0 OR r.account = at.account)
     ORDER BY at.lt ${order}, at.trace ${order} LIMIT $limit`,
    { address, afterLt, beforeLt, since, until, initiated, limit },
  )
}
