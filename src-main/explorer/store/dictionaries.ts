import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

export type DictionaryRecord = {
  readonly codeHash: string
  readonly name: string
  readonly text: string
  readonly changedAt: number
}

export function createDictionaryRecords(database: Database) {
  const sql = createSql(database)
  return {
    all: () =>
      sql.all<DictionaryRecord>(
        'SELECT code_hash, name, text, changed_at FROM dictionaries ORDER BY name, code_hash',
      ),
    count: () => sql.count('dictionaries'),
    has: (codeHash: string) => sql.count('dictionaries WHERE code_hash = ?', codeHash) > 0,
    put: (record: DictionaryRecord) => sql.insert('dictionaries', record, 'INSERT OR REPLACE'),
    remove: (codeHash: string) => sql.remove('dictionaries', { codeHash }),
  }
}
