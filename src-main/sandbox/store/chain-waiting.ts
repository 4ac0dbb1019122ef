import type { Database } from './database.ts'

/** A message that the next block has to execute: the one it came of was full. Hashes are 64 hex. */
type WaitingMessage = {
  readonly boc: Uint8Array
  readonly traceHash: string
  readonly traceLt: bigint
  readonly parentHash: string
}

type WaitingStore = {
  /** In the order in which they are to be executed. */
  all(): WaitingMessage[]
  replace(
    messages: readonly {
      readonly boc: Uint8Array
      /** Numbers of the trace's root and of the transaction that sent it. */
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
