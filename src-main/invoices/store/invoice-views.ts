import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

/** A filter with a name of the person's own; filter and sort as JSON. */
export type StoredView = {
  readonly id: number
  readonly name: string
  readonly filter: string
  readonly sort: string
}

export type InvoiceViews = ReturnType<typeof createInvoiceViews>

export function createInvoiceViews(database: Database) {
  const sql = createSql(database)
  return {
    /** In the order they were made. */
    all: () => sql.all<StoredView>('SELECT id, name, filter, sort FROM invoice_views ORDER BY id'),
    /** @returns its id */
    add: ({ name, filter, sort }: Omit<StoredView, 'id'>) =>
      sql.insert('invoice_views', { name, filter, sort }),
    /** @returns false when there is none of this id */
    replace: ({ id, name, filter, sort }: StoredView) =>
      sql.update('invoice_views', { name, filter, sort }, { id }) > 0,
    /** @returns false when there was none */
    remove: (id: number) => sql.remove('invoice_views', { id }) > 0,
  }
}
