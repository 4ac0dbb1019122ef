import type { CaptureView } from '../../../src-preload/contract/capture-query.ts'
import type { Database } from '../../database/database.ts'

/** Queries with a name of the person's own. */
export type CaptureViews = {
  /** In the order they were made. */
  all(): CaptureView[]
  /** @returns its id */
  add(view: Omit<CaptureView, 'id'>): number
  /** @returns false when there is none of this id */
  replace(view: CaptureView): boolean
  /** @returns false when there was none */
  remove(id: number): boolean
}

export function createCaptureViews(database: Database): CaptureViews {
  const all = database.prepare('SELECT id, name, query FROM capture_views ORDER BY id')
  const add = database.prepare('INSERT INTO capture_views (name, query) VALUES (?, ?)')
  const replace = database.prepare('UPDATE capture_views SET name = ?, query = ? WHERE id = ?')
  const remove = database.prepare('DELETE FROM capture_views WHERE id = ?')

  return {
    all: () =>
      all.all().map((row) => ({
        id: Number(row['id']),
        name: row['name'] as string,
        text: row['query'] as string,
      })),
    add: ({ name, text }) => Number(add.run(name, text).lastInsertRowid),
    replace: ({ id, name, text }) => Number(replace.run(name, text, id).changes) > 0,
    remove: (id) => Number(remove.run(id).changes) > 0,
  }
}
