import type { Database } from './database.ts'

export type StoredBlock = {
  readonly seqno: number
  /** Seconds. */
  readonly utime: number
  readonly startLt: bigint
  readonly endLt: bigint
  readonly transactionCount: number
  readonly rootHash: string
  readonly fileHash: string
  /** Number of its first transaction; of the next one to come when it has none. */
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
