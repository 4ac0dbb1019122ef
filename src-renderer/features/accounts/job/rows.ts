import { create } from 'zustand'
import type { LookupRow, RowFilter, RowSort } from '../../../../src-preload/contract/lookup.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { request } from '../../../bridge.ts'
import { createWindowList } from '../../list/windows.ts'
import { everyRow, isStill, listOrder, nextRowSort } from './row-order.ts'

export type Sums = Output<'lookup.rows'>['sums']

type RowsState = {
  readonly jobId: number | null
  readonly filter: RowFilter
  readonly sort: RowSort
  /** The row that keys act on, by its index. */
  readonly cursor: number | null
  readonly atTop: boolean
  /** Answers have come that would move the rows being read. */
  readonly hasNews: boolean
}

/** What is shown of which lookup; it stays while one looks at other pages. */
export const useRows = create<RowsState>(() => ({
  jobId: null,
  filter: everyRow,
  sort: listOrder,
  cursor: null,
  atTop: true,
  hasNews: false,
}))

export const rows = createWindowList<LookupRow, Sums>()

function load({ keep }: { keep: boolean }): void {
  const { jobId: id, filter, sort } = useRows.getState()
  if (id === null) return
  useRows.setState({ cursor: null, atTop: true, hasNews: false })
  rows.open(
    async (offset, limit) => {
      const page = await request('lookup.rows', { id, filter, sort, offset, limit })
      return { total: page.total, rows: page.rows, extra: page.sums }
    },
    { keep },
  )
}

export function openRows(jobId: number): void {
  if (useRows.getState().jobId === jobId) {
    rows.refresh()
    return
  }
  useRows.setState({ jobId, filter: everyRow, sort: listOrder })
  load({ keep: false })
}

export function filterRows(change: Partial<RowFilter>): void {
  useRows.setState(({ filter }) => ({ filter: { ...filter, ...change } }))
  load({ keep: true })
}

export function sortRows(by: RowSort['by']): void {
  useRows.setState(({ sort }) => ({ sort: nextRowSort(sort, by) }))
  load({ keep: true })
}

/** Answers have come: rows that keep their places are read anew, others once nobody reads them. */
export function noteAnswers(): void {
  const { filter, sort, cursor, atTop } = useRows.getState()
  if (isStill(filter, sort) || (atTop && cursor === null)) rows.refresh()
  else useRows.setState({ hasNews: true })
}

export function showNews(): void {
  useRows.setState({ hasNews: false })
  rows.refresh()
}
