import type { LineStatus, LookupLine } from '../../../src-preload/contract/lookup.ts'
import { request } from '../../app/bridge.ts'
import { readBase64 } from '../files/given-file.ts'
import { type LoadWindow, createWindowList } from '../list/windows.ts'
import { createListFeed } from './list-feed.ts'
import { createListStore } from './list-state.ts'

/** A list of addresses being put together, and what was understood of it, line by line. */
export function createAddressList() {
  const store = createListStore()
  const feed = createListFeed({
    store,
    ask: request as never,
    readPiece: readBase64,
    later: (ms, work) => {
      const timer = setTimeout(work, ms)
      return () => clearTimeout(timer)
    },
  })
  return { store, feed, lines: createWindowList<LookupLine, null>() }
}
export type AddressList = ReturnType<typeof createAddressList>

/** Lists the lines of a draft; all of them, or those of one status. */
export function loadLines(draft: string, status: LineStatus | null): LoadWindow<LookupLine, null> {
  return async (offset, limit) => {
    const page = await request('lookup.draftLines', { draft, status, offset, limit })
    return { total: page.total, rows: page.lines, extra: null }
  }
}
