/** Stores the views that the user has saved under a name: one row each, in order of creation. */
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Database } from './database.ts'
import { type Codec, createSql } from './sql.ts'

/** @param columns the SQL of the columns that `all` returns besides `id` */
export function createSavedViews<V extends { readonly id: number }>(
  database: Database,
  [table, columns]: readonly [table: string, columns: string],
  codecs: Readonly<Record<string, Codec>>,
  unknown: readonly [code: string, message: string],
  onChanged: () => void,
) {
  const sql = createSql(database, codecs)

  function changed(isFound: boolean): void {
    if (!isFound) throw new AppError(...unknown)
    onChanged()
  }

  return {
    all: () => sql.all<V>(`SELECT id, ${columns} FROM ${table} ORDER BY id`),
    /** @param id null for a new view @throws AppError for a view that was removed */
    save(id: number | null, fields: Readonly<Record<string, unknown>>): number {
      const saved = id ?? sql.insert(table, fields)
      changed(id === null || sql.update(table, fields, { id }) > 0)
      return saved
    },
    /** @throws AppError as `save` does */
    remove: ({ id }: { readonly id: number }) => {
      changed(sql.remove(table, { id }) > 0)
      return {}
    },
  }
}
