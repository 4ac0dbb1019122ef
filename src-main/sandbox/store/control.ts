import type { Database } from './database.ts'

/** Named JSON values. Read them again after a revert. */
export type ControlStore = {
  get(name: string): unknown
  set(name: string, value: unknown): void
}

export function createControlStore(database: Database): ControlStore {
  const select = database.prepare('SELECT value FROM control WHERE name = ?')
  const upsert = database.prepare(
    `INSERT INTO control (name, value) VALUES (?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
  )
  return {
    get(name) {
      const row = select.get(name)
      return row === undefined ? undefined : (JSON.parse(String(row['value'])) as unknown)
    },
    set(name, value) {
      upsert.run(name, JSON.stringify(value))
    },
  }
}
