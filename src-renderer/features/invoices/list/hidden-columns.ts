import { create } from 'zustand'
import { type ColumnId, optionalColumns } from './columns.ts'

const storageKey = 'tondesk.invoices-columns'

/** Those the person has put away. */
export const useHiddenColumns = create<{ hidden: ReadonlySet<ColumnId> }>(() => ({
  hidden: new Set(
    optionalColumns.flatMap(({ id }) =>
      (window.localStorage.getItem(storageKey) ?? '').split(',').includes(id) ? [id] : [],
    ),
  ),
}))

export function toggleColumn(id: ColumnId): void {
  const hidden = new Set(useHiddenColumns.getState().hidden)
  if (!hidden.delete(id)) hidden.add(id)
  window.localStorage.setItem(storageKey, [...hidden].join(','))
  useHiddenColumns.setState({ hidden })
}
