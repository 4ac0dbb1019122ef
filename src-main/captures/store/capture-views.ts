import type { CaptureView } from '../../../src-preload/contract/capture-query.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

export type CaptureViews = ReturnType<typeof createCaptureViews>

/** Queries that the user gave names. */
export function createCaptureViews(database: Database) {
  const sql = createSql(database)
  return {
    /** In the order they were made. */
    all: () =>
      sql.all<CaptureView>('SELECT id, name, query AS text FROM capture_views ORDER BY id'),
    /** @returns its id */
    add: ({ name, text: query }: Omit<CaptureView, 'id'>) =>
      sql.insert('capture_views', { name, query }),
    /** @returns false when there is none of this id */
    replace: ({ id, name, text: query }: CaptureView) =>
      sql.update('capture_views', { name, query }, { id }) > 0,
    /** @returns false when there was none */
    remove: (id: number) => sql.remove('capture_views', { id }) > 0,
  }
}
