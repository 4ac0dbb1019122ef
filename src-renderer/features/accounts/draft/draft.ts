import type { LineStatus, LookupLine } from '../../../../src-preload/contract/index.ts'
import { request } from '../../../bridge.ts'
import type { LoadWindow } from '../../list/windows.ts'
import { createWindowList } from '../../list/windows.ts'
import { createDraftFeed } from './draft-feed.ts'
import { createDraftStore } from './draft-state.ts'

/** The list being put together; it stays while one looks at other pages. */
export const useDraft = createDraftStore()

export const feed = createDraftFeed({
  store: useDraft,
  ask: request as never,
  readPiece: readBase64,
  later: (ms, work) => {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
})

export const lines = createWindowList<LookupLine, null>()

/** Lists the lines of a draft; all of them, or those of one status. */
export function loadLines(draft: string, status: LineStatus | null): LoadWindow<LookupLine, null> {
  return async (offset, limit) => {
    const page = await request('lookup.draftLines', { draft, status, offset, limit })
    return { total: page.total, rows: page.lines, extra: null }
  }
}

/** By the browser itself, outside the script: a loop over half a megabyte would be felt. */
function readBase64(blob: Blob, from: number, to: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => {
      const url = reader.result as string
      resolve(url.slice(url.indexOf(',') + 1))
    }
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'))
    reader.readAsDataURL(blob.slice(from, to))
  })
}
