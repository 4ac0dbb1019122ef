import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Search, SearchResult } from '../index-messages.ts'
import type { LogReader } from '../store/capture-index/log-reader.ts'
import { readCaptured } from './captured-text.ts'

/** A page of a slow scan comes back after this long, however little it found, to be continued. */
const pageMs = 400
const sliceRows = 200

/**
 * Looks for text anywhere, inside words too: reads capture after capture, newest first. Letters
 * match whatever their case. Gives way to other questions after each slice.
 */
export function createScan(log: LogReader) {
  return async ({ text, pinnedOnly, before, limit }: Search): Promise<SearchResult> => {
    const matches = textMatcher(text)
    const started = performance.now()
    const ids: number[] = []
    let reached = before ?? Number.MAX_SAFE_INTEGER
    let scannedBack: number | null = null
    for (;;) {
      const captures = log.before(reached, 0, pinnedOnly, sliceRows)
      for (const capture of captures) {
        const { target, headers, bytes } = await readCaptured(capture)
        reached = capture.id
        scannedBack = capture.receivedAt
        if (matches(target, headers, bytes)) ids.push(capture.id)
        if (ids.length === limit) return page(ids, reached, scannedBack)
      }
      if (captures.length === 0) return page(ids, null, scannedBack)
      if (performance.now() - started > pageMs) return page(ids, reached, scannedBack)
      await nextTurn()
    }
  }
}

function page(
  ids: readonly number[],
  nextBefore: number | null,
  scannedBack: number | null,
): SearchResult {
  return { ids, nextBefore, scannedBack, notYetSearchable: 0 }
}

/** ASCII text is compared byte by byte, which costs a fraction of decoding UTF-8 and misses nothing. */
export function textMatcher(text: string) {
  const needle = text.toLowerCase()
  const encoding = /^[\x20-\x7e]*$/.test(text) ? 'latin1' : 'utf8'
  return (target: string, headers: string, body: Uint8Array): boolean =>
    target.toLowerCase().includes(needle) ||
    headers.toLowerCase().includes(needle) ||
    Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      .toString(encoding)
      .toLowerCase()
      .includes(needle)
}
