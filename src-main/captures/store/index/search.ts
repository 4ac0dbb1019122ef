import type { Database } from '../../../database/database.ts'

/** What of a capture can be found by words, and its facets. */
export type Searchable = {
  readonly target: string
  readonly headers: string
  readonly body: string
  readonly comment: string
  readonly note: string
  readonly meaning: string
  /** Tokens, separated by spaces. */
  readonly facets: string
}

export type SearchWriter = {
  add(id: number, text: Searchable): void
  /** In the place of what was added. */
  replace(id: number, text: Searchable): void
  /** Removes these but the ones kept; to be called while their facts are still there. */
  removeRange(from: number, to: number, kept: ReadonlySet<number>): void
  /**
   * Some of the work of joining what was added in slices and of dropping what was removed. To be
   * called about once a slice, or the slices become too many to be searched quickly.
   * @returns false when there is none left
   */
  tidy(): boolean
}

/** Pages of index merged at a time: more than a slice adds at all levels together, yet milliseconds. */
const mergePages = 256

export function createSearchWriter(database: Database): SearchWriter {
  const add = database.prepare(
    `INSERT INTO search (rowid, target, headers, body, comment, note, meaning, facets)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const remove = database.prepare('DELETE FROM search WHERE rowid = ?')
  const ids = database.prepare('SELECT id FROM facts WHERE id BETWEEN ? AND ?')
  const merge = database.prepare(`INSERT INTO search (search, rank) VALUES ('merge', ?)`)
  const changes = database.prepare('SELECT total_changes() AS n')

  function insert(id: number, text: Searchable): void {
    const { target, headers, body, comment, note, meaning, facets } = text
    add.run(id, target, headers, body, comment, note, meaning, facets)
  }

  return {
    add: insert,
    replace(id, text) {
      remove.run(id)
      insert(id, text)
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
