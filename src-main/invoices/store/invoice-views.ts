import type { Database } from '../../database/database.ts'

/** A filter with a name of the person's own; filter and sort as JSON. */
export type StoredView = {
  readonly id: number
  readonly name: string
  readonly filter: string
  readonly sort: string
}

export type InvoiceViews = {
  /** In the order they were made. */
  all(): StoredView[]
  /** @returns its id */
  add(view: Omit<StoredView, 'id'>): number
  /** @returns false when there is none of this id */
  replace(view: StoredView): boolean
  /** @returns false when there was none */
  remove(id: number): boolean
}

export function createInvoiceViews(database: Database): InvoiceViews {
  const all = database.prepare('SELECT id, name, filter, sort FROM invoice_views ORDER BY id')
  const add = database.prepare('INSERT INTO invoice_views (name, filter, sort) VALUES (?, ?, ?)')
  const replace = database.prepare(
    'UPDATE invoice_views SET name = ?, filter = ?, sort = ? WHERE id = ?',
  )
  const remove = database.prepare('DELETE FROM invoice_views WHERE id = ?')

  return {
    all: () =>
      all.all().map((row) => ({
        id: Number(row['id']),
        name: row['name'] as string,
        filter: row['filter'] as string,
        sort: row['sort'] as string,
      })),
    add: ({ name, filter, sort }) => Number(add.run(name, filter, sort).lastInsertRowid),
    replace: ({ id, name, filter, sort }) =>
      Number(replace.run(name, filter, sort, id).changes) > 0,
    remove: (id) => Number(remove.run(id).changes) > 0,
  }
}
