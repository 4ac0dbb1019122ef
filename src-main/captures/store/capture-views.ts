import type { CaptureView } from '../../../src-preload/contract/capture-query.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

export function createCaptureViews(database: Database) {
  const sql = createSql(database)
  return {
    /** In order of creation. */
    all: () =>
      sql.all<CaptureView>('SELECT id, name, query AS text FROM capture_views ORDER BY id'),
    add: ({ name, text: query }: Omit<CaptureView, 'id'>) =>
      sql.insert('capture_views', { name, query }),
    replace: ({ id, name, text: query }: CaptureView) =>
      sql.update('capture_views', { name, query }, { id }) > 0,
    remove: (id: number) => sql.remove('capture_views', { id }) > 0,
  }
}
