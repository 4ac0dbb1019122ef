import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Database } from './database.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

export type Rescue = {
  /** Rows that could be read, by table. */
  readonly rescued: Readonly<Record<string, number>>
  /** Where the damaged file is kept. */
  readonly movedTo: string
}

const tables = ['settings', 'webhook_tokens', 'capture_marks', 'captures'] as const

/** Moves a database with its write-ahead log into a directory of its own. */
export function moveAside(database: string, to: string): string {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(database + suffix)) {
      renameSync(database + suffix, join(to, basename(database) + suffix))
    }
  }
  return join(to, basename(database))
}

/**
 * Sets a damaged database aside and makes a new one of all that can still be read from it. Nothing
 * of the damaged file is changed: it stays for whoever knows more.
 */
export function rescueDatabase(path: string, asideDirectory: string): Rescue {
  const movedTo = moveAside(path, asideDirectory)
  const fresh = openDatabase(path)
  const rescued: Record<string, number> = {}
  try {
    migrate(fresh, () => undefined)
    const damaged = tryOpen(movedTo)
    try {
      for (const table of tables) {
        rescued[table] = damaged === null ? 0 : copyTable(damaged, fresh, table)
      }
    } finally {
      damaged?.close()
    }
  } finally {
    fresh.close()
  }
  return { rescued, movedTo }
}

function tryOpen(path: string): Database | null {
  try {
    return openDatabase(path)
  } catch {
    // Not even its header can be read.
    return null
  }
}

function copyTable(damaged: Database, fresh: Database, table: (typeof tables)[number]): number {
  const insert = (row: Record<string, unknown>) => {
    const names = Object.keys(row)
    const places = names.map(() => '?').join(', ')
    fresh
      .prepare(`INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${places})`)
      .run(...(Object.values(row) as (string | number)[]))
    return 1
  }
  fresh.exec('BEGIN')
  let copied = 0
  try {
    copied = table === 'captures' ? copyCaptures(damaged, insert) : copyAll(damaged, table, insert)
  } catch {
    // The table's root cannot be read: what was copied before stays.
  }
  fresh.exec('COMMIT')
  return copied
}

type Insert = (row: Record<string, unknown>) => number

function copyAll(damaged: Database, table: string, insert: Insert): number {
  let copied = 0
  for (const row of damaged.prepare(`SELECT * FROM ${table}`).iterate()) copied += insert(row)
  return copied
}

/** Row by row by id, stepping over ids that lead to a damaged page. */
function copyCaptures(damaged: Database, insert: Insert): number {
  const next = damaged.prepare('SELECT * FROM captures WHERE id > ? ORDER BY id LIMIT 1')
  const last = lastId(damaged)
  let copied = 0
  let after = 0
  let skip = 1
  while (after < last) {
    try {
      const row = next.get(after)
      if (row === undefined) break
      copied += insert(row)
      after = Number(row['id'])
      skip = 1
    } catch {
      // A damaged page holds tens of rows: wider steps cross a long damage in bounded time.
      after += skip
      skip = Math.min(skip * 2, 64)
    }
  }
  return copied
}

function lastId(damaged: Database): number {
  try {
    return Number(damaged.prepare('SELECT max(id) AS last FROM captures').get()?.['last'] ?? 0)
  } catch {
    return Number.MAX_SAFE_INTEGER / 2 ** 20
  }
}
