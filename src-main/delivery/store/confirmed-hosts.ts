import type { Database } from '../../database/database.ts'

/** Hosts outside this computer that a person has agreed to, as `host:port`. */
export type ConfirmedHosts = {
  has(host: string): boolean
  add(host: string, at: number): void
  remove(host: string): void
  /** In the order of their names. */
  list(): string[]
}

export function createConfirmedHosts(database: Database): ConfirmedHosts {
  const all = database.prepare('SELECT host FROM confirmed_hosts ORDER BY host')
  const insert = database.prepare(
    'INSERT OR IGNORE INTO confirmed_hosts (host, confirmed_at) VALUES (?, ?)',
  )
  const remove = database.prepare('DELETE FROM confirmed_hosts WHERE host = ?')
  const list = () => all.all().map((row) => row['host'] as string)
  // Asked for each request that is sent.
  let known = new Set(list())
  const reread = () => {
    known = new Set(list())
  }
  return {
    has: (host) => known.has(host),
    add(host, at) {
      insert.run(host, at)
      reread()
    },
    remove(host) {
      remove.run(host)
      reread()
    },
    list,
  }
}
