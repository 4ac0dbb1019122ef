import { create } from 'zustand'
import type { ListSource, RowId, SourceState } from './list-source.ts'

/** More rows are loaded at this distance from the last row. */
const nearEnd = 20

const nothing = {
  status: 'loading',
  error: null,
  rows: [],
  total: 0,
  cursor: null,
  cursorId: null,
  news: null,
} as const

/**
 * Rows that are all in memory, for a `DataList` without selection. `onEnd` is called if the list
 * continues after the last row.
 */
export function createRowSource<T>({
  idOf,
  onRefresh = () => undefined,
  onEnd = () => undefined,
}: {
  idOf: (row: T) => RowId
  onRefresh?: () => void
  onEnd?: () => void
}) {
  type State = SourceState<T> & { readonly rows: readonly T[] }
  const use = create<State>(() => ({
    ...nothing,
    held: new Map(),
    beginning: 0,
    selected: new Set(),
  }))
  let isAtTop = true
  const rowAt = (index: number | null): T | null =>
    index === null ? null : (use.getState().rows[index] ?? null)
  const find = (rows: readonly T[], id: RowId | null) => {
    const index = id === null ? -1 : rows.findIndex((row) => idOf(row) === id)
    return index === -1 ? null : index
  }
  return {
    use,
    idOf,
    mostSelected: 0,
    rowAt,
    indexOf: (id: RowId) => find(use.getState().rows, id),
    cursorRow: () => rowAt(use.getState().cursor),
    show(_first: number, last: number) {
      if (last + nearEnd >= use.getState().rows.length) onEnd()
    },
    atTop: (now: boolean) => void (isAtTop = now),
    /** At the top without a selected row, new rows appear at once. */
    follows: () => isAtTop && use.getState().cursor === null,
    refresh: onRefresh,
    put(index: number | null) {
      const row = rowAt(index)
      use.setState({ cursor: index, cursorId: row === null ? null : idOf(row) })
      return row
    },
    toggle: () => true,
    selectTo: () => Promise.resolve(true),
    selectNone: () => undefined,
    /** Replaces the rows; the cursor stays on its row. */
    set(rows: readonly T[], part: Partial<Pick<State, 'news' | 'rowCount'>> = {}) {
      use.setState(({ cursorId }) => ({
        status: 'ready',
        error: null,
        rows,
        total: rows.length,
        held: new Map([[0, rows]]),
        cursor: find(rows, cursorId),
        ...part,
      }))
    },
    /** Starts another list. */
    clear() {
      use.setState(({ beginning }) => ({ ...nothing, rowCount: 0, beginning: beginning + 1 }))
    },
  } satisfies ListSource<T> & Record<string, unknown>
}

/** Creates a list whose rows are all known. */
export function createFixedSource<T>(rows: readonly T[], idOf: (row: T) => RowId): ListSource<T> {
  const source = createRowSource({ idOf })
  source.set(rows)
  return source
}
