import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

export type ConfirmedHosts = ReturnType<typeof createConfirmedHosts>

export function createConfirmedHosts(database: Database) {
  const sql = createSql(database)
  const list = () => sql.column<string>('SELECT host FROM confirmed_hosts ORDER BY host')
  let known = new Set(list())
  return {
    list,
    has: (host: string) => known.has(host),
    add(host: string, at: number): void {
      sql.run('INSERT OR IGNORE INTO confirmed_hosts (host, confirmed_at) VALUES (?, ?)', host, at)
      known = new Set(list())
    },
    remove(host: string): void {
      sql.remove('confirmed_hosts', { host })
      known = new Set(list())
    },
  }
}
