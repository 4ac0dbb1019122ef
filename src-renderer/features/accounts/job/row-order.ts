import type { RowFilter, RowSort } from '../../../../src-preload/contract/lookup.ts'
import { nextSort } from '../../list/sort.ts'

export const everyRow: RowFilter = {
  state: null,
  status: null,
  onlyChanged: false,
  onlyFlagged: false,
  text: '',
}

/** As the list was given. */
export const listOrder: RowSort = { by: 'index', descending: false }

export function isEveryRow(filter: RowFilter): boolean {
  const { state, status, onlyChanged, onlyFlagged, text } = filter
  return state === null && status === null && !onlyChanged && !onlyFlagged && text === ''
}

/** Whether an answer leaves all rows in their places. */
export function isStill(filter: RowFilter, { by }: RowSort): boolean {
  return by === 'index' && isEveryRow(filter)
}

/** Amounts and times are looked for from their upper end. */
const largeFirst: ReadonlySet<RowSort['by']> = new Set(['balance', 'inCurrency', 'lastActivity'])

/** Pressed once, twice, and a third time for the order of the list. */
export function nextRowSort(sort: RowSort, by: RowSort['by']): RowSort {
  return nextSort(sort, by, { usual: listOrder, largeFirst })
}
