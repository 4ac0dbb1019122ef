import type { Database } from './database.ts'

export type StoredBlock = {
  readonly seqno: number
  /** Unix seconds. */
  readonly utime: number
  readonly startLt: bigint
  readonly endLt: bigint
  readonly transactionCount: number
  readonly rootHash: string
  readonly fileHash: string
  /** Number of the next transaction when the block has none. */
  readonly firstTransaction: number
}

export type BlockStore = {
  insert(block: StoredBlock): void
  find(seqno: number): StoredBlock | null
  last(): StoredBlock | null
}

export function createBlockStore(database: Database): BlockStore {
  const insert = database.prepare(
    `INSERT INTO blocks (seqno, utime, start_lt, end_lt, first_transaction, transaction_count,
       root_hash, file_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const find = database.prepare('SELECT * FROM blocks WHERE seqno = ?')
  const last = database.prepare('SELECT * FROM blocks ORDER BY seqno DESC LIMIT 1')
  find.setReadBigInts(true)
  last.setReadBigInts(true)
  return {
    insert(block) {
      insert.run(
        block.seqno,
        block.utime,
        block.startLt,
        block.endLt,
        block.firstTransaction,
        block.transactionCount,
        block.rootHash,
        block.fileHash,
      )
    },
    find: (seqno) => toBlock(find.get(seqno)),
    last: () => toBlock(last.get()),
  }
}

function toBlock(row: Record<string, unknown> | undefined): StoredBlock | null {
  if (row === undefined) return null
  return {
    seqno: Number(row['seqno']),
    utime: Number(row['utime']),
    startLt: row['start_lt'] as bigint,
    endLt: row['end_lt'] as bigint,
    transactionCount: Number(row['transaction_count']),
    rootHash: row['root_hash'] as string,
    fileHash: row['file_hash'] as string,
    firstTransaction: Number(row['first_transaction']),
  }
}

type StoredAccount = {
  readonly id: number
  readonly state: Uint8Array
  /** Null for an inactive account. */
  readonly codeHash: string | null
  /** Unix seconds; 0 for none. */
  readonly lastActivity: number
}

export type AccountStore = {
  find(address: string): StoredAccount | null
  insert(address: string, account: Omit<StoredAccount, 'id'>): number
  update(account: Omit<StoredAccount, 'codeHash'>): void
  setCode(id: number, codeHash: string | null): void
  /** In order of first appearance. */
  withCode(codeHash: string): string[]
  codeHashes(): string[]
}

export function createAccountStore(database: Database): AccountStore {
  const find = database.prepare(
    'SELECT id, state, code_hash, last_activity FROM account_states WHERE address = ?',
  )
  const insert = database.prepare(
    'INSERT INTO account_states (address, state, code_hash, last_activity) VALUES (?, ?, ?, ?)',
  )
  const update = database.prepare(
    'UPDATE account_states SET state = ?, last_activity = ? WHERE id = ?',
  )
  // Separate because it updates an index, and code rarely changes.
  const setCode = database.prepare('UPDATE account_states SET code_hash = ? WHERE id = ?')
  const withCode = database.prepare(
    'SELECT address FROM account_states WHERE code_hash = ? ORDER BY id',
  )
  // One index step per code, however many accounts share it.
  const codeHashes = database.prepare(
    `WITH RECURSIVE each_code (code_hash) AS (
       SELECT min(code_hash) FROM account_states WHERE code_hash IS NOT NULL
       UNION ALL
       SELECT (SELECT min(a.code_hash) FROM account_states a WHERE a.code_hash > each_code.code_hash)
       FROM each_code WHERE each_code.code_hash IS NOT NULL
     ) SELECT code_hash FROM each_code WHERE code_hash IS NOT NULL`,
  )
  return {
    find(address) {
      const row = find.get(address)
      if (row === undefined) return null
      return {
        id: row['id'] as number,
        state: row['state'] as Uint8Array,
        codeHash: row['code_hash'] as string | null,
        lastActivity: row['last_activity'] as number,
      }
    },
    insert(address, { state, codeHash, lastActivity }) {
      return Number(insert.run(address, state, codeHash, lastActivity).lastInsertRowid)
    },
    update({ id, state, lastActivity }) {
      update.run(state, lastActivity, id)
    },
    setCode(id, codeHash) {
      setCode.run(codeHash, id)
    },
    codeHashes: () => codeHashes.all().map((row) => row['code_hash'] as string),
    withCode: (codeHash) => withCode.all(codeHash).map((row) => row['address'] as string),
  }
}

/** A message left for the next block by a full one. */
type WaitingMessage = {
  readonly boc: Uint8Array
  readonly traceHash: string
  readonly traceLt: bigint
  readonly parentHash: string
}

type WaitingStore = {
  all(): WaitingMessage[]
  replace(
    messages: readonly {
      readonly boc: Uint8Array
      /** Transaction numbers of the root and the sender. */
      readonly trace: number
      readonly parent: number
    }[],
  ): void
}

export function createWaitingStore(database: Database): WaitingStore {
  const all = database.prepare(
    `SELECT w.boc, lower(hex(r.hash)) AS trace_hash, r.lt AS trace_lt, lower(hex(p.hash)) AS parent_hash
     FROM waiting_messages w
     JOIN transactions r ON r.number = w.trace
     JOIN transactions p ON p.number = w.parent
     ORDER BY w.position`,
  )
  all.setReadBigInts(true)
  const clear = database.prepare('DELETE FROM waiting_messages')
  const insert = database.prepare(
    'INSERT INTO waiting_messages (boc, trace, parent) VALUES (?, ?, ?)',
  )
  return {
    all: () =>
      all.all().map((row) => ({
        boc: row['boc'] as Uint8Array,
        traceHash: row['trace_hash'] as string,
        traceLt: row['trace_lt'] as bigint,
        parentHash: row['parent_hash'] as string,
      })),
    replace(messages) {
      clear.run()
      for (const { boc, trace, parent } of messages) insert.run(boc, trace, parent)
    },
  }
}
