import type { CaptureKind } from '../../../../src-preload/domain/capture-words.ts'
import type { Database } from '../../../database/database.ts'
import { createSql, int64 } from '../../../database/sql.ts'

/** What the classifier made of a capture. */
export type Classified = {
  readonly kind: CaptureKind
  readonly account: string | null
  readonly lt: bigint | null
  readonly txHash: string | null
  readonly summary: string
  /** The same for deliveries of the same event; null where that cannot be told. */
  readonly eventKey: bigint | null
  /** The same for events that should come in lt order; null for kinds without an order. */
  readonly streamKey: bigint | null
}

/** How a capture stands to those before it. */
type Sequence = { readonly isDuplicate: boolean; readonly isOutOfOrder: boolean }

/** What of a capture can be found by words, and its facets. */
export type Searchable = {
  readonly target: string
  readonly headers: string
  readonly body: string
  readonly comment: string
  readonly note: string
  readonly meaning: string
  /** Tokens, separated by spaces. */
  readonly facets: string
}

/** What is learnt of a capture later; numbers are ids of terms, null where it is not known. */
export type LateTraits = {
  readonly network: number | null
  readonly meaning: number | null
  readonly asset: number | null
  /** In units of the asset; no more than SQLite's integers hold. */
  readonly amount: bigint | null
  readonly direction: number | null
  readonly opcode: number | null
  readonly exit: number | null
  readonly success: number | null
  /** A digest of the words that were learnt later; null where there are none. */
  readonly told: bigint | null
}

export type Traits = LateTraits & {
  readonly receivedAt: number
  readonly isReceived: boolean
  readonly lt: bigint | null
  readonly size: number
  readonly took: number
}

/** How far the index has followed the log. */
type Progress = { readonly indexedTo: number; readonly deletionsTo: number }

/** Pages of index merged at a time: more than a slice adds at all levels together, yet milliseconds. */
const mergePages = 256

// Written out: `sql.insert` puts its text together anew for each row, which doubles the time of a row.
const insertFacts = `INSERT OR REPLACE INTO facts
    (id, kind, account, lt, tx_hash, summary, event_key, duplicate_of, out_of_order)
  VALUES ($id, $kind, $account, $lt, $txHash, $summary, $eventKey, $duplicateOf, $outOfOrder)`
const insertTraits = `INSERT OR REPLACE INTO traits (id, received_at, is_received, lt, size, took,
    network, meaning, asset, amount, direction, opcode, exit, success, told)
  VALUES ($id, $receivedAt, $isReceived, $lt, $size, $took,
    $network, $meaning, $asset, $amount, $direction, $opcode, $exit, $success, $told)`
const insertText = `INSERT INTO search
    (rowid, target, headers, body, comment, note, meaning, facets)
  VALUES ($id, $target, $headers, $body, $comment, $note, $meaning, $facets)`

export type IndexWriter = ReturnType<typeof createIndexWriter>

/** Writes facts, traits and words of captures; the caller puts what belongs together into one transaction. */
export function createIndexWriter(database: Database) {
  const sql = createSql(database, { told: int64 })

  function firstLike(lt: bigint | null, eventKey: bigint | null): number | null {
    if (eventKey === null) return null
    const where =
      lt === null ? 'lt IS NULL AND event_key = $eventKey' : 'lt = $lt AND event_key = $eventKey'
    return sql.value(`SELECT id FROM facts WHERE ${where} ORDER BY id LIMIT 1`, { lt, eventKey })
  }

  /** Whether a later event of the stream was there before; from now on this one is among them. */
  function isLate(streamKey: bigint, lt: bigint): boolean {
    const later = 'SELECT 1 FROM lt_heads WHERE stream_key = ? AND lt > ?'
    const isLater = sql.value(later, streamKey, lt) !== null
    sql.run(
      `INSERT INTO lt_heads (stream_key, lt) VALUES (?, ?)
       ON CONFLICT (stream_key) DO UPDATE SET lt = max(lt, excluded.lt)`,
      ...[streamKey, lt],
    )
    return isLater
  }

  const addText = (id: number, text: Searchable) => void sql.run(insertText, { id, ...text })
  const totalChanges = () => sql.value<number>('SELECT total_changes()') ?? 0

  return {
    progress: (): Progress =>
      sql.get<Progress>('SELECT indexed_to, deletions_to FROM progress') ?? {
        indexedTo: 0,
        deletionsTo: 0,
      },
    setProgress: (progress: Partial<Progress>) => void sql.update('progress', progress, { one: 1 }),
    /** Must be called in the order of ids: duplicates and order are told from what came before. */
    addFacts(id: number, { streamKey, ...classified }: Classified): Sequence {
      const { lt, eventKey } = classified
      const first = firstLike(lt, eventKey)
      const duplicateOf = first !== null && first < id ? first : null
      const isAfterLater = streamKey !== null && lt !== null && isLate(streamKey, lt)
      // A repeat of an event seen is a retry, not a disorder.
      const outOfOrder = duplicateOf === null && isAfterLater
      const row = { id, ...classified, duplicateOf, outOfOrder }
      sql.run(insertFacts, row)
      return { isDuplicate: duplicateOf !== null, isOutOfOrder: outOfOrder }
    },
    addTraits: (id: number, traits: Traits) => void sql.run(insertTraits, { id, ...traits }),
    updateTraits: (id: number, traits: LateTraits) => void sql.update('traits', traits, { id }),
    /** `LateTraits.told` of a capture; undefined where there is no such capture. */
    told: (id: number): bigint | null | undefined =>
      sql.get<LateTraits>('SELECT told FROM traits WHERE id = ?', id)?.told,
    addText,
    replaceText(id: number, text: Searchable): void {
      sql.remove('search', { rowid: id })
      addText(id, text)
    },
    /** Removes these but the ones kept. */
    removeRange(from: number, to: number, kept: ReadonlySet<number>): void {
      const all = sql.column<number>('SELECT id FROM facts WHERE id BETWEEN ? AND ?', from, to)
      const gone = all.filter((id) => !kept.has(id))
      // Words first and all together: a statement in between would have FTS5 write out what it has gathered.
      for (const rowid of gone) sql.remove('search', { rowid })
      for (const id of gone) sql.remove('traits', { id })
      for (const id of gone) sql.remove('facts', { id })
    },
    isEmpty: () => sql.get('SELECT 1 FROM facts LIMIT 1') === null,
    /**
     * Some of the work of joining what was added in slices and of dropping what was removed. To be
     * called about once a slice, or the slices become too many to be searched quickly.
     * @returns false when there is none left
     */
    tidy(): boolean {
      const before = totalChanges()
      sql.run(`INSERT INTO search (search, rank) VALUES ('merge', ?)`, mergePages)
      // "If the number of changes is less than 2, the merge was a no-op": https://sqlite.org/fts5.html
      return totalChanges() - before >= 2
    },
  }
}
