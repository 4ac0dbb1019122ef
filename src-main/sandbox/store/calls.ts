import { createSql, json } from '../../database/sql.ts'
import type { SandboxCall } from '../../../src-preload/contract/sandbox.ts'
import type { Database } from './database.ts'

export type CallStore = ReturnType<typeof createCallStore>

export function createCallStore(database: Database) {
  const sql = createSql(database, { call: json })
  return {
    all: () => sql.column<SandboxCall>('SELECT call FROM calls ORDER BY number'),
    /** Deletes calls whose number is below `oldest`. */
    add: (calls: readonly SandboxCall[], oldest: number) =>
      sql.transaction(() => {
        const rows = calls.map((call) => ({ number: call.number, call }))
        sql.insertAll('calls', rows)
        sql.run('DELETE FROM calls WHERE number < ?', oldest)
      }),
    clear: () => sql.run('DELETE FROM calls'),
  }
}
