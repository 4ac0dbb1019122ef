import { DatabaseSync } from 'node:sqlite'
import type { Database } from '../database.ts'
import { searchTable } from './schema.ts'

/** What of a capture can be found by words. */
export type Searchable = {
  readonly target: string
  readonly headers: string
  readonly body: string
}

export type SearchWriter = {
  add(id: number, text: Searchable): void
  /** Removes these but the ones kept; to be called while their facts are still there. */
  removeRange(from: number, to: number, kept: ReadonlySet<number>): void
  /** Some of the work of dropping what was removed. @returns false when there is none left */
  tidy(): boolean
}

const addSql = 'INSERT INTO search (rowid, target, headers, body) VALUES (?, ?, ?, ?)'
/** Pages of index merged at a time: a few milliseconds. */
const mergePages = 64

export function createSearchWriter(database: Database): SearchWriter {
  const add = database.prepare(addSql)
  const remove = database.prepare('DELETE FROM search WHERE rowid = ?')
  const ids = database.prepare('SELECT id FROM facts WHERE id BETWEEN ? AND ?')
  const merge = database.prepare(`INSERT INTO search (search, rank) VALUES ('merge', ?)`)
  const changes = database.prepare('SELECT total_changes() AS n')
  return {
    add(id, { target, headers, body }) {
      add.run(id, target, headers, body)
    },
    removeRange(from, to, kept) {
      for (const { id } of ids.all(from, to)) if (!kept.has(Number(id))) remove.run(id ?? null)
    },
    tidy() {
      const before = Number(changes.get()?.['n'])
      merge.run(mergePages)
      // "If the number of changes is less than 2, the merge was a no-op": https://sqlite.org/fts5.html
      return Number(changes.get()?.['n']) - before >= 2
    },
  }
}

export type Found = { readonly ids: number[]; readonly more: boolean }

export type WordSearch = (
  match: string,
  options: { before: number; pinnedOnly: boolean; limit: number },
) => Found

/** Searches the index; the log must be attached to the connection as `log`. Newest first. */
export function createWordSearch(database: Database): WordSearch {
  const sql = (filter: string) => `SELECT rowid AS id FROM search
    WHERE search MATCH ? AND rowid < ? ${filter} ORDER BY rowid DESC LIMIT ?`
  const all = database.prepare(sql(''))
  const pinned = database.prepare(
    sql('AND rowid IN (SELECT capture_id FROM log.capture_marks WHERE pinned = 1)'),
  )
  return (match, { before, pinnedOnly, limit }) => {
    const rows = (pinnedOnly ? pinned : all).all(match, before, limit + 1)
    const ids = rows.slice(0, limit).map((row) => row['id'] as number)
    return { ids, more: rows.length > limit }
  }
}

/** The same search over captures the index has not reached, by the same rules: in memory. */
export function searchTail(match: string, tail: ReadonlyMap<number, Searchable>): number[] {
  if (tail.size === 0) return []
  const database = new DatabaseSync(':memory:')
  try {
    database.exec(searchTable)
    const add = database.prepare(addSql)
    database.exec('BEGIN')
    for (const [id, { target, headers, body }] of tail) add.run(id, target, headers, body)
    database.exec('COMMIT')
    return database
      .prepare('SELECT rowid AS id FROM search WHERE search MATCH ? ORDER BY rowid DESC')
      .all(match)
      .map((row) => row['id'] as number)
  } finally {
    database.close()
  }
}
