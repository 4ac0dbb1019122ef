import { useState } from 'react'
import { type ReadyWindows, type WindowList, rowAt, windowSize } from './windows.ts'

type Id = string | number

type Place = {
  readonly index: number | null
  /** What stands there; null until its row is here. */
  readonly id: Id | null
  readonly question: number | null
  /** The open one, once the cursor was put on it. */
  readonly opened: Id | null
}

const nowhere: Place = { index: null, id: null, question: null, opened: null }

/**
 * The row that keys act on. Rows come and go above it: it goes with what stands there, so that no key
 * acts on another row than the one that is marked. What is opened otherwise, by its link, takes it.
 */
export function useRowCursor<T, X>(
  list: WindowList<T, X>,
  idOf: (row: T) => Id,
  openId: Id | null = null,
): { readonly cursor: number | null; readonly put: (index: number | null) => T | null } {
  const state = list.store()
  const ready = state.status === 'ready' ? state : null
  const [place, setPlace] = useState(nowhere)
  const now = ready === null ? place : followed(place, ready, idOf, openId)
  if (now !== place) setPlace(now)
  return {
    cursor: now.index,
    put(index) {
      const row = ready === null || index === null ? null : rowAt(ready, index)
      setPlace({ ...now, index, id: row === null ? null : idOf(row) })
      return row
    },
  }
}

function followed<T, X>(
  before: Place,
  ready: ReadyWindows<T, X>,
  idOf: (row: T) => Id,
  openId: Id | null,
): Place {
  const { question } = ready
  const place = before.question === question ? before : { ...nowhere, question }
  if (place.opened !== openId) {
    const index = openId === null || openId === place.id ? null : indexOf(ready, idOf, openId)
    return index === null
      ? { ...place, opened: openId }
      : { ...place, index, id: openId, opened: openId }
  }
  if (place.index === null) return place
  const row = rowAt(ready, place.index)
  const id = row === null ? null : idOf(row)
  if (id === place.id || row === null) return place
  const index = place.id === null ? null : indexOf(ready, idOf, place.id)
  // One that is gone leaves its place to the next.
  return index === null ? { ...place, id } : { ...place, index }
}

function indexOf<T, X>({ held }: ReadyWindows<T, X>, idOf: (row: T) => Id, id: Id): number | null {
  for (const [at, rows] of held) {
    const index = rows.findIndex((row) => idOf(row) === id)
    if (index >= 0) return at * windowSize + index
  }
  return null
}
