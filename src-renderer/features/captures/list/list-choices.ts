import type { Ask } from '../deps.ts'
import type { InspectorStore } from '../inspector-state.ts'
import { countRows, indexOfId, mapRows, removeRows, rowAt } from './capture-pages.ts'
import type { ListLoading } from './list-loading.ts'

type ChoicesDeps = {
  readonly store: InspectorStore
  readonly ask: Ask
  readonly loading: ListLoading
}

/** Which rows are meant, and what is done with them. */
export function createListChoices({ store, ask, loading }: ChoicesDeps) {
  /** The row keys would act on, by its place; -1 where there is none. */
  function cursorIndex(): number {
    const { list, cursor } = store.getState()
    return list.status === 'ready' && cursor !== null ? indexOfId(list.pages, cursor) : -1
  }

  /** Moves to another row and returns it; null where there is none or it is not there yet. */
  function moveCursor(to: (index: number, count: number) => number): number | null {
    const { list } = store.getState()
    if (list.status !== 'ready') return null
    const count = countRows(list.pages)
    const index = Math.max(0, Math.min(count - 1, to(cursorIndex(), count)))
    const row = rowAt(list.pages, index)
    if (row === null) return null
    store.setState({ cursor: row.id })
    return row.id
  }

  /** Marked rows, or else the one the cursor is on. */
  function meant(): number[] {
    const { marked, cursor } = store.getState()
    if (marked.size > 0) return [...marked]
    return cursor === null ? [] : [cursor]
  }

  function toggleMark(id: number): void {
    store.setState(({ marked }) => {
      const next = new Set(marked)
      if (!next.delete(id)) next.add(id)
      return { marked: next }
    })
  }

  /** Pins at once and takes it back when that fails. */
  async function pin(ids: readonly number[], pinned: boolean): Promise<void> {
    if (ids.length === 0) return
    const set = new Set(ids)
    const show = (value: boolean) => {
      loading.patchList(({ pages }) => ({
        pages: mapRows(pages, (row) =>
          set.has(row.id) && row.pinned !== value ? { ...row, pinned: value } : row,
        ),
      }))
      store.setState(({ detail }) =>
        detail.status === 'ready' && set.has(detail.id)
          ? { detail: { ...detail, capture: { ...detail.capture, pinned: value } } }
          : {},
      )
    }
    show(pinned)
    try {
      await ask('capture.pin', { ids: [...ids], pinned })
    } catch (error) {
      show(!pinned)
      throw error
    }
  }

  /** True where any of these rows is not pinned yet, so that `p` pins them all first. */
  function wouldPin(ids: readonly number[]): boolean {
    const { list, detail } = store.getState()
    return ids.some((id) => {
      if (detail.status === 'ready' && detail.id === id) return !detail.capture.pinned
      const row = list.status === 'ready' ? rowAt(list.pages, indexOfId(list.pages, id)) : null
      return row?.pinned !== true
    })
  }

  /** Deletes and puts the cursor on the row that took the place of the first one. */
  async function deleteRows(ids: readonly number[]): Promise<number> {
    const { deleted } = await ask('capture.delete', { ids: [...ids] })
    const set = new Set(ids)
    const { list, cursor } = store.getState()
    const place = cursor !== null && set.has(cursor) ? cursorIndex() : -1
    if (list.status === 'ready') {
      const pages = removeRows(list.pages, set)
      const next = place < 0 ? null : rowAt(pages, Math.min(place, countRows(pages) - 1))
      loading.patchList(() => ({ pages }))
      store.setState({ marked: new Set<number>(), ...(place >= 0 && { cursor: next?.id ?? null }) })
    }
    return deleted
  }

  async function clear(keepPinned: boolean): Promise<number> {
    const { deleted } = await ask('capture.clear', { keepPinned })
    await loading.openQuery(store.getState().query)
    store.setState({ cursor: null })
    return deleted
  }

  async function note(id: number, text: string): Promise<void> {
    await ask('capture.note', { id, note: text })
    loading.patchList(({ pages }) => ({
      pages: mapRows(pages, (row) => (row.id === id ? { ...row, note: text } : row)),
    }))
    store.setState(({ detail }) =>
      detail.status === 'ready' && detail.id === id
        ? { detail: { ...detail, capture: { ...detail.capture, note: text } } }
        : {},
    )
  }

  return { cursorIndex, moveCursor, meant, toggleMark, pin, wouldPin, deleteRows, clear, note }
}
