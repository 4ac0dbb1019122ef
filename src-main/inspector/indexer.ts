import type { Classified, FactsWriter } from '../store/capture-index/facts.ts'
import type { LoggedCapture, LogReader } from '../store/capture-index/log-reader.ts'
import type { Progress } from '../store/capture-index/progress.ts'
import type { Searchable, SearchWriter } from '../store/capture-index/search.ts'
import { readCaptured } from './captured-text.ts'
import { headerValue } from './decode-body.ts'

export type IndexerDeps = {
  readonly log: LogReader
  readonly facts: FactsWriter
  readonly search: SearchWriter
  readonly progress: Progress
  /** What a decoded body, delivered with this Authorization header, says it is. Never throws. */
  readonly classify: (body: Uint8Array, authorization: string | null) => Classified
  readonly transaction: (work: () => void) => void
}

/** Follows the log in small slices; each is one transaction and can be stopped after. */
export type Indexer = {
  indexedTo(): number
  /** @returns the id reached, or null when there was nothing to do */
  indexSlice(): Promise<number | null>
  /** @returns the deletion reached, or null when there was nothing to do */
  followDeletions(): number | null
  /** Captures older than `before` and not indexed yet, the newest of them; `skipped` counts the rest. */
  tail(before: number, limit: number, pinnedOnly: boolean): Promise<Tail>
}

export type Tail = { captures: ReadonlyMap<number, Searchable>; skipped: number }

const sliceRows = 250
/** Each may be of hundreds of captures, and taking one out of the index costs as much as adding it. */
const deletionsAtOnce = 2
/** A slice of much text ends early, so that questions do not wait for it. */
const sliceCharacters = 8 * 1024 * 1024
/** The tail is searched in memory. */
const tailCharacters = 64 * 1024 * 1024
/** Of a longer body the beginning can be found by words; all of it by the slow scan. */
const indexedBytes = 1024 * 1024

export function createIndexer({
  log,
  facts,
  search,
  progress,
  classify,
  transaction,
}: IndexerDeps): Indexer {
  let { indexedTo, deletionsTo } = progress.get()

  async function read(capture: LoggedCapture) {
    const text = await readCaptured(capture)
    const searchable: Searchable = {
      target: text.target,
      headers: text.headers,
      body: Buffer.from(text.bytes.subarray(0, indexedBytes)).toString('utf8'),
    }
    const authorization = headerValue(capture.headers, 'authorization')
    const classified = classify(text.bytes, authorization)
    // What was not delivered makes nothing that is a duplicate, nor out of order.
    const keys = capture.isReceived ? {} : { eventKey: null, streamKey: null }
    return { id: capture.id, searchable, classified: { ...classified, ...keys } }
  }

  return {
    indexedTo: () => indexedTo,
    async indexSlice() {
      const ready: Awaited<ReturnType<typeof read>>[] = []
      let size = 0
      for (const capture of log.after(indexedTo, sliceRows)) {
        const one = await read(capture)
        ready.push(one)
        size += one.searchable.body.length
        if (size > sliceCharacters) break
      }
      const last = ready.at(-1)
      if (last === undefined) return null
      transaction(() => {
        for (const { id, searchable, classified } of ready) {
          facts.add(id, classified)
          search.add(id, searchable)
        }
        progress.setIndexedTo(last.id)
      })
      indexedTo = last.id
      return indexedTo
    },
    followDeletions() {
      const deletions = log.deletionsAfter(deletionsTo, deletionsAtOnce)
      const last = deletions.at(-1)
      if (last === undefined) return null
      transaction(() => {
        for (const { from, to } of deletions) {
          const kept = new Set(log.idsBetween(from, Math.min(to, indexedTo)))
          search.removeRange(from, to, kept)
          facts.removeRange(from, to, kept)
        }
        progress.setDeletionsTo(last.seq)
      })
      deletionsTo = last.seq
      return deletionsTo
    },
    async tail(before, limit, pinnedOnly) {
      // It moves on while bodies are being unpacked here.
      const from = indexedTo
      const captures = new Map<number, Searchable>()
      let size = 0
      let reached = before
      for (;;) {
        const slice = log.before(reached, from, pinnedOnly, Math.min(limit, sliceRows))
        if (slice.length === 0) return { captures, skipped: 0 }
        for (const capture of slice) {
          const { searchable } = await read(capture)
          captures.set(capture.id, searchable)
          reached = capture.id
          size += searchable.body.length
          if (captures.size >= limit || size > tailCharacters) {
            return { captures, skipped: log.countAfter(from) - log.countAfter(reached - 1) }
          }
        }
      }
    },
  }
}
