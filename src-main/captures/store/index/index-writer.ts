import type { CaptureKind } from '../../../../src-preload/domain/capture-values.ts'
import type { Database } from '../../../database/database.ts'
import { createSql, int64 } from '../../../database/sql.ts'
import type { TermColumn } from './index-plan.ts'

export type Classified = {
  readonly kind: CaptureKind
  readonly account: string | null
  readonly lt: bigint | null
  readonly txHash: string | null
  readonly summary: string
  /** Equal for deliveries of the same event; null if unknown. */
  readonly eventKey: bigint | null
  /** Equal for events that should arrive in lt order; null for kinds without an order. */
  readonly streamKey: bigint | null
}

type Sequence = { readonly isDuplicate: boolean; readonly isOutOfOrder: boolean }

/** `facets` contains tokens, separated by spaces. */
export type Searchable = Readonly<
  Record<'target' | 'headers' | 'body' | 'comment' | 'note' | 'meaning' | 'facets', string>
>

/** Data that becomes known later. Numbers are ids of terms; null if unknown. */
export type LateTraits = Readonly<Record<TermColumn, number | null>> & {
  /** The amount in minimal units of the asset, at most SQLite's largest integer. */
  readonly amount: bigint | null
  /** Digest of the words that become known later; null if there are none. */
  readonly told: bigint | null
}

export type Traits = LateTraits & {
  readonly receivedAt: number
  readonly isReceived: boolean
  readonly lt: bigint | null
  readonly size: number
  readonly took: number
}

type Progress = { readonly indexedTo: number; readonly deletionsTo: number }

/**
 * Number of index pages that are merged at a time: more than a slice adds at all levels, but done
 * within milliseconds.
 */
const mergePages = 256

export type IndexWriter = ReturnType<typeof createIndexWriter>

/** The caller combines writes into transactions. */
export function createIndexWriter(database: Database) {
  const sql = createSql(database, { told: int64 })

  // Each capture runs these statements, so they are prepared here and bound by position, which
  // takes a third less time.
  const insertFacts = database.prepare(
    `INSERT OR REPLACE INTO facts
       (id, kind, account, lt, tx_hash, summary, event_key, duplicate_of, out_of_order)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertTraits = database.prepare(
    `INSERT OR REPLACE INTO traits (id, received_at, is_received, lt, size, took,
       network, meaning, asset, amount, direction, opcode, exit, success, told)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertText = database.prepare(
    `INSERT INTO search (rowid, target, headers, body, comment, note, meaning, facets)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )

  const { firstLike, isLate } = createSequences(database)

  function addText(id: number, text: Searchable): void {
    const { target, headers, body, comment, note, meaning, facets } = text
    insertText.run(id, target, headers, body, comment, note, meaning, facets)
  }
  const totalChanges = () => sql.value<number>('SELECT total_changes()') ?? 0

  return {
    progress: (): Progress =>
      sql.get<Progress>('SELECT indexed_to, deletions_to FROM progress') ?? {
        indexedTo: 0,
        deletionsTo: 0,
      },
    setProgress: (progress: Partial<Progress>) => void sql.update('progress', progress, { one: 1 }),
    /** Must be called in order of ids, because duplicates and order depend on earlier captures. */
    addFacts(id: number, { streamKey, ...classified }: Classified): Sequence {
      const { lt, eventKey } = classified
      const first = firstLike(lt, eventKey)
      const duplicateOf = first !== null && first < id ? first : null
      const isAfterLater = streamKey !== null && lt !== null && isLate(streamKey, lt)
      // A repeated event is a retry and not out of order.
      const outOfOrder = duplicateOf === null && isAfterLater
      const { kind, account, txHash, summary } = classified
      const late = Number(outOfOrder)
      insertFacts.run(id, kind, account, lt, txHash, summary, eventKey, duplicateOf, late)
      return { isDuplicate: duplicateOf !== null, isOutOfOrder: outOfOrder }
    },
    addTraits(id: number, traits: Traits): void {
      const { receivedAt, isReceived, lt, size, took, network, meaning, asset } = traits
      const { amount, direction, opcode, exit, success, told } = traits
      insertTraits.run(
        ...[id, receivedAt, Number(isReceived), lt, size, took, network, meaning, asset],
        ...[amount, direction, opcode, exit, success, told],
      )
    },
    updateTraits: (id: number, traits: LateTraits) => void sql.update('traits', traits, { id }),
    /** Returns undefined for an unknown capture. */
    told: (id: number): bigint | null | undefined =>
      sql.get<LateTraits>('SELECT told FROM traits WHERE id = ?', id)?.told,
    addText,
    replaceText(id: number, text: Searchable): void {
      sql.remove('search', { rowid: id })
      addText(id, text)
    },
    removeRange(from: number, to: number, existing: ReadonlySet<number>): void {
      const all = sql.column<number>('SELECT id FROM facts WHERE id BETWEEN ? AND ?', from, to)
      const gone = all.filter((id) => !existing.has(id))
      // Words are removed first and together, because any other statement makes FTS5 flush its buffer.
      for (const rowid of gone) sql.remove('search', { rowid })
      for (const id of gone) sql.remove('traits', { id })
      for (const id of gone) sql.remove('facts', { id })
    },
    isEmpty: () => sql.get('SELECT 1 FROM facts LIMIT 1') === null,
    /**
     * Merges some of the added slices and removed rows. Call about once per slice, or searches become
     * slow.
     * @returns false when nothing is left
     */
    tidy(): boolean {
      const before = totalChanges()
      sql.run(`INSERT INTO search (search, rank) VALUES ('merge', ?)`, mergePages)
      // "If the number of changes is less than 2, the merge was a no-op": https://sqlite.org/fts5.html
      return totalChanges() - before >= 2
    },
  }
}

/** Finds earlier deliveries of the same event, and later ones of the same stream. */
function createSequences(database: Database) {
  const firstOfEvent = database.prepare(
    'SELECT id FROM facts WHERE lt = ? AND event_key = ? ORDER BY id LIMIT 1',
  )
  const firstOfBody = database.prepare(
    'SELECT id FROM facts WHERE lt IS NULL AND event_key = ? ORDER BY id LIMIT 1',
  )
  const laterInStream = database.prepare('SELECT 1 FROM lt_heads WHERE stream_key = ? AND lt > ?')
  const raiseHead = database.prepare(
    `INSERT INTO lt_heads (stream_key, lt) VALUES (?, ?)
     ON CONFLICT (stream_key) DO UPDATE SET lt = max(lt, excluded.lt)`,
  )

  function firstLike(lt: bigint | null, eventKey: bigint | null): number | null {
    if (eventKey === null) return null
    const row = lt === null ? firstOfBody.get(eventKey) : firstOfEvent.get(lt, eventKey)
    return row === undefined ? null : Number(row['id'])
  }

  /** Also records this event in its stream. */
  function isLate(streamKey: bigint, lt: bigint): boolean {
    const isLater = laterInStream.get(streamKey, lt) !== undefined
    raiseHead.run(streamKey, lt)
    return isLater
  }

  return { firstLike, isLate }
}
