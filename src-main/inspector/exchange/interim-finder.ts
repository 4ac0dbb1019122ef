/** Until the query room has its own: the searches of before, read to their end and turned round. */
import type { Search, SearchResult } from '../../index-messages.ts'
import type { CaptureIndex } from '../capture-index.ts'
import type { CaptureFinder } from '../query/capture-finder.ts'
import type { Captures } from '../../store/captures.ts'

export function createInterimFinder(index: CaptureIndex, captures: Captures): CaptureFinder {
  async function all(text: string): Promise<number[]> {
    if (text.trim() === '') {
      return captures
        .list({ limit: 10_000 })
        .map(({ id }) => id)
        .reverse()
    }
    const ids: number[] = []
    for (let before: number | null = null; ;) {
      const question: Search = { text, mode: 'words', pinnedOnly: false, before, limit: 500 }
      const found: SearchResult = await index.ask('search', question)
      ids.push(...found.ids)
      if (found.nextBefore === null) return ids.reverse()
      before = found.nextBefore
    }
  }
  return {
    ids: async (text, after) => ({ ids: (await all(text)).filter((id) => id > after), next: null }),
    count: async (text) => ({ count: (await all(text)).length, isExact: true }),
  }
}
