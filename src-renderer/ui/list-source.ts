export type RowId = string | number

/** The state of the rows of a `DataList`. */
export type SourceState<T> = {
  readonly status: 'loading' | 'failed' | 'ready'
  /** Why loading failed; in the state ready, why the displayed rows may be outdated. */
  readonly error: Error | null
  /** The number of rows that have an index. */
  readonly total: number
  /** The number of rows if it differs from `total`; null while more may follow the last row. */
  readonly rowCount?: number | null
  /** The loaded rows, which determine the widths of their columns. */
  readonly held?: ReadonlyMap<number, readonly T[]>
  /** Increases with each new query, so that the list starts at its top. */
  readonly beginning: number
  /** The row to which keys apply, by its index and id; the id is null until the row is loaded. */
  readonly cursor: number | null
  readonly cursorId: RowId | null
  /**
   * Changes that wait so that no row moves while it is being read: the number of new rows (0 if
   * rows only move), or a text.
   */
  readonly news: number | string | null
  readonly selected: { readonly size: number; has(id: RowId): boolean }
}

/**
 * Rows by their index, of which only visible ones must be loaded. `createLiveList` provides this
 * for a list whose rows are counted; a list with a cursor has its loaded rows, and loads more when
 * the last ones become visible.
 */
export type ListSource<T> = {
  readonly use: {
    (): SourceState<T>
    <U>(selector: (state: SourceState<T>) => U): U
    getState(): SourceState<T>
  }
  readonly idOf: (row: T) => RowId
  readonly mostSelected: number
  /** Null if the row is not loaded. */
  readonly rowAt: (index: number | null) => T | null
  readonly indexOf: (id: RowId) => number | null
  /** Moves the cursor to a row that is not loaded, if the list can find it. */
  readonly seek?: (id: RowId) => void
  readonly cursorRow: () => T | null
  /** Call this when these rows are visible. */
  readonly show: (first: number, last: number) => void
  /** Called when the first row becomes visible or hidden. */
  readonly atTop: (now: boolean) => void
  /** Loads the list again and shows new rows. */
  readonly refresh: () => void
  /** Moves the cursor. @returns the row at that index, or null if it is not loaded */
  readonly put: (index: number | null) => T | null
  /** @returns false if more rows would be selected than possible */
  readonly toggle: (index: number) => boolean
  /** Selects all rows from the one selected last to this one. @returns false as `toggle` does */
  readonly selectTo: (index: number) => Promise<boolean>
  readonly selectNone: () => void
}
