import type { Database } from './database.ts'

export type StoredAccount = {
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
  update(account: StoredAccount): void
  /** Raw addresses in the order they were first seen. */
  withCode(codeHash: string): string[]
}

export function createAccountStore(database: Database): AccountStore {
  const find = database.prepare(
    'SELECT id, state, code_hash, last_activity FROM account_states WHERE address = ?',
  )
  const insert = database.prepare(
    'INSERT INTO account_states (address, state, code_hash, last_activity) VALUES (?, ?, ?, ?)',
  )
  const update = database.prepare(
    'UPDATE account_states SET state = ?, code_hash = ?, last_activity = ? WHERE id = ?',
  )
  const withCode = database.prepare(
    'SELECT address FROM account_states WHERE code_hash = ? ORDER BY id',
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
    update({ id, state, codeHash, lastActivity }) {
      update.run(state, codeHash, lastActivity, id)
    },
    withCode: (codeHash) => withCode.all(codeHash).map((row) => row['address'] as string),
  }
}
