import type { Database } from './database.ts'

type StoredAccount = {
  readonly id: number
  /** BOC of the shard account. */
  readonly state: Uint8Array
  /** 64 hex; null when it is not active. */
  readonly codeHash: string | null
  /** Seconds; 0 when it never had any. */
  readonly lastActivity: number
}

export type AccountStore = {
  find(address: string): StoredAccount | null
  /** @returns its id */
  insert(address: string, account: Omit<StoredAccount, 'id'>): number
  update(account: Omit<StoredAccount, 'codeHash'>): void
  setCode(id: number, codeHash: string | null): void
  /** Raw addresses in the order they were first seen. */
  withCode(codeHash: string): string[]
  /** Each once. */
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
  // On its own, as it costs an index and code changes once in a contract's life.
  const setCode = database.prepare('UPDATE account_states SET code_hash = ? WHERE id = ?')
  const withCode = database.prepare(
    'SELECT address FROM account_states WHERE code_hash = ? ORDER BY id',
  )
  // One step of the index for each of them, however many accounts share it.
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
