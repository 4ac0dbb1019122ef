export type RowId = string | number

/** A `DataList`'s information about its rows. */
export type SourceState<T> = {
  readonly status: 'loading' | 'failed' | 'ready'
  /** Why loading failed; while it is ready: why what is shown may be old. */
  readonly error: Error | null
  /** Rows that have an index. */
  readonly total: number
  /** How many rows there are, where it is not `total`; null while more may follow the last one. */
  readonly rowCount?: number | null
  /** Rows that are here, for the widths of their columns. */
  readonly held?: ReadonlyMap<number, readonly T[]>
  /** Grows with each new question: the list then begins at its top. */
  readonly beginning: number
  /** The row that keys act on, by its index and by what stands there; the id is null until its row is here. */
  readonly cursor: number | null
  readonly cursorId: RowId | null
  /** Changes that wait so that nothing moves under the reader: how many rows more (0: they only move), or the words. */
  readonly news: number | string | null
  readonly selected: { readonly size: number; has(id: RowId): boolean }
}

/**
 * Rows by their index, of which only those in sight need be here. `createLiveList` makes one of a list whose
 * rows are counted; one with a cursor has the rows it has loaded, and loads more when the last come into sight.
 */
export type ListSource<T> = {
  readonly use: {
    (): SourceState<T>
    <U>(selector: (state: SourceState<T>) => U): U
    getState(): SourceState<T>
  }
  readonly idOf: (row: T) => RowId
  readonly mostSelected: number
  /** Null while it is not here. */
  readonly rowAt: (index: number | null) => T | null
  readonly indexOf: (id: RowId) => number | null
  /** Moves the cursor to a row that is not here, where the list can find it. */
  readonly seek?: (id: RowId) => void
  readonly cursorRow: () => T | null
  /** These rows are in sight. */
  readonly show: (first: number, last: number) => void
  /** Whether the first row is in sight. */
  readonly atTop: (now: boolean) => void
  /** Loads again, and shows what is new. */
  readonly refresh: () => void
  /** Moves the cursor. @returns the row that stands there, null while it is not here */
  readonly put: (index: number | null) => T | null
  /** @returns false where more would be selected than can be */
  readonly toggle: (index: number) => boolean
  /** Selects all from the row selected last to this one. @returns false as `toggle` */
  readonly selectTo: (index: number) => Promise<boolean>
  readonly selectNone: () => void
}
