import type { FactsReader } from './store/index/facts.ts'
import type { IndexWriter } from './store/index/index-writer.ts'
import type { LoggedCapture, LogReader } from './store/index/log-reader.ts'
import type { Terms } from './store/index/terms.ts'
import type { IndexedCapture } from './indexed-capture.ts'
import { lateTraitsOf, searchableOf, traitsOf } from './query/index-entry.ts'

type IndexerDeps = {
  readonly log: LogReader
  readonly facts: Pick<FactsReader, 'byIds'>
  readonly writer: IndexWriter
  readonly terms: Terms
  readonly read: (capture: LoggedCapture) => Promise<IndexedCapture>
  readonly transaction: (work: () => void) => void
}

const sliceRows = 250
/** A deletion may cover hundreds of captures, and removing one costs as much as adding it. */
const deletionsAtOnce = 2
/** A slice with much text ends early, so that queries need not wait. */
const sliceBytes = 8 * 1024 * 1024

/** Indexes the log in small slices of one transaction each. */
export function createIndexer(deps: IndexerDeps) {
  const { log, writer, terms, read } = deps
  let { indexedTo, deletionsTo } = writer.progress()

  function transaction(work: () => void): void {
    try {
      deps.transaction(work)
    } catch (error) {
      terms.reload()
      throw error
    }
  }

  function add(subjects: readonly IndexedCapture[]): void {
    const entries = subjects.map((subject) => {
      const classified = subject.classified()
      // Only received captures count for duplicates and order.
      const keys = subject.origin === 'received' ? {} : { eventKey: null, streamKey: null }
      Object.assign(subject, writer.addFacts(subject.id, { ...classified, ...keys }))
      writer.addTraits(subject.id, traitsOf(subject, terms))
      return { id: subject.id, searchable: searchableOf(subject, terms) }
    })
    // Texts are added last and together, because any other statement makes FTS5 flush its buffer.
    for (const { id, searchable } of entries) writer.addText(id, searchable)
  }

  async function indexSlice(): Promise<number | null> {
    const ready: IndexedCapture[] = []
    let size = 0
    for (const capture of log.after(indexedTo, sliceRows)) {
      const subject = await read(capture)
      ready.push(subject)
      size += subject.body.byteLength
      if (size > sliceBytes) break
    }
    const last = ready.at(-1)
    if (last === undefined) return null
    transaction(() => {
      add(ready)
      writer.setProgress({ indexedTo: last.id })
    })
    indexedTo = last.id
    return indexedTo
  }

  async function reindexAll(ids: readonly number[]): Promise<void> {
    for (let from = 0; from < ids.length; from += sliceRows) {
      await slicing
      const ready: IndexedCapture[] = []
      for (const capture of log.byIds(ids.slice(from, from + sliceRows))) {
        if (capture.id <= indexedTo) ready.push(await read(capture))
      }
      if (ready.length > 0) transaction(() => learn(ready, deps))
    }
  }

  let slicing: Promise<unknown> = Promise.resolve()
  let learning: Promise<unknown> = Promise.resolve()

  return {
    indexedTo: () => indexedTo,
    indexSlice(): Promise<number | null> {
      const slice = indexSlice()
      slicing = slice.catch(() => null)
      return slice
    },
    followDeletions(): number | null {
      const deletions = log.deletionsAfter(deletionsTo, deletionsAtOnce)
      const last = deletions.at(-1)
      if (last === undefined) return null
      transaction(() => {
        for (const { from, to } of deletions) {
          const existing = new Set(log.idsBetween(from, Math.min(to, indexedTo)))
          writer.removeRange(from, to, existing)
        }
        // The values of deleted captures must no longer be suggested.
        if (writer.isEmpty()) terms.clear()
        writer.setProgress({ deletionsTo: last.seq })
      })
      deletionsTo = last.seq
      return deletionsTo
    },
    /** Captures that are not indexed yet get the new data with their slice. */
    reindex(ids: readonly number[]): Promise<void> {
      // Updates run one at a time, so that the newest data is written last.
      const learnt = learning.then(() => reindexAll(ids))
      learning = learnt.catch(() => null)
      return learnt
    },
  }
}

function learn(subjects: readonly IndexedCapture[], { facts, writer, terms }: IndexerDeps): void {
  const known = facts.byIds(subjects.map(({ id }) => id))
  const changed = subjects.flatMap((subject) => {
    const { id } = subject
    const [digestBefore, fact] = [writer.told(id), known.get(id)]
    if (digestBefore === undefined || fact === undefined) return []
    const late = lateTraitsOf(subject, terms)
    writer.updateTraits(id, late)
    // Words are written again only if they changed, because this costs as much as all other writes.
    if (digestBefore === late.told) return []
    subject.isDuplicate = fact.duplicateOf !== null
    subject.isOutOfOrder = fact.outOfOrder
    return [{ id, searchable: searchableOf(subject, terms) }]
  })
  for (const { id, searchable } of changed) writer.replaceText(id, searchable)
}
