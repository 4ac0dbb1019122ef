import type { CaptureKind } from '../../../../src-preload/domain/capture-words.ts'
import type { Database } from '../../../database/database.ts'

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

/** What is known of a capture beyond its bytes. */
export type Facts = {
  readonly id: number
  readonly kind: CaptureKind
  readonly account: string | null
  /** Decimal string: logical times outgrow JS numbers. */
  readonly lt: string | null
  readonly txHash: string | null
  readonly summary: string
  readonly duplicateOf: number | null
  readonly outOfOrder: boolean
}

/** How a capture stands to those before it. */
type Sequence = { readonly isDuplicate: boolean; readonly isOutOfOrder: boolean }

export type FactsWriter = {
  /** Must be called in the order of ids: duplicates and order are told from what came before. */
  add(id: number, classified: Classified): Sequence
  /** Removes these but the ones kept. */
  removeRange(from: number, to: number, kept: ReadonlySet<number>): void
  isEmpty(): boolean
}

export function createFactsWriter(database: Database): FactsWriter {
  const firstOfEvent = database.prepare(
    'SELECT id FROM facts WHERE lt = ? AND event_key = ? ORDER BY id LIMIT 1',
  )
  const firstOfBody = database.prepare(
    'SELECT id FROM facts WHERE lt IS NULL AND event_key = ? ORDER BY id LIMIT 1',
  )
  const head = database.prepare('SELECT 1 AS later FROM lt_heads WHERE stream_key = ? AND lt > ?')
  const raiseHead = database.prepare(
    `INSERT INTO lt_heads (stream_key, lt) VALUES (?, ?)
     ON CONFLICT (stream_key) DO UPDATE SET lt = max(lt, excluded.lt)`,
  )
  const insert = database.prepare(
    `INSERT OR REPLACE INTO facts
       (id, kind, account, lt, tx_hash, summary, event_key, duplicate_of, out_of_order)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const ids = database.prepare('SELECT id FROM facts WHERE id BETWEEN ? AND ?')
  const remove = database.prepare('DELETE FROM facts WHERE id = ?')
  const any = database.prepare('SELECT 1 FROM facts LIMIT 1')

  function firstLike(lt: bigint | null, eventKey: bigint | null): number | null {
    if (eventKey === null) return null
    const row = lt === null ? firstOfBody.get(eventKey) : firstOfEvent.get(lt, eventKey)
    return typeof row?.['id'] === 'number' ? row['id'] : null
  }

  return {
    add(id, { kind, account, lt, txHash, summary, eventKey, streamKey }) {
      const first = firstLike(lt, eventKey)
      const duplicateOf = first !== null && first < id ? first : null
      let outOfOrder = false
      if (streamKey !== null && lt !== null) {
        // A repeat of an event seen is a retry, not a disorder.
        outOfOrder = duplicateOf === null && head.get(streamKey, lt) !== undefined
        raiseHead.run(streamKey, lt)
      }
      const order = Number(outOfOrder)
      insert.run(id, kind, account, lt, txHash, summary, eventKey, duplicateOf, order)
      return { isDuplicate: duplicateOf !== null, isOutOfOrder: outOfOrder }
    },
    removeRange(from, to, kept) {
      for (const { id } of ids.all(from, to)) if (!kept.has(Number(id))) remove.run(id ?? null)
    },
    isEmpty: () => any.get() === undefined,
  }
}

export type FactsReader = {
  /** By id; those not classified yet are missing. */
  between(from: number, to: number): Map<number, Facts>
  byIds(ids: readonly number[]): Map<number, Facts>
}

/** Reads facts through a connection of its own to the index file. */
export function createFactsReader(database: Database): FactsReader {
  const columns = `id, kind, account, CAST(lt AS TEXT) AS lt, tx_hash, summary, duplicate_of, out_of_order`
  const range = database.prepare(`SELECT ${columns} FROM facts WHERE id BETWEEN ? AND ?`)
  const one = database.prepare(`SELECT ${columns} FROM facts WHERE id = ?`)

  function toFacts(row: Record<string, unknown>): [number, Facts] {
    const id = row['id'] as number
    return [
      id,
      {
        id,
        kind: row['kind'] as CaptureKind,
        account: row['account'] as string | null,
        lt: row['lt'] as string | null,
        txHash: row['tx_hash'] as string | null,
        summary: row['summary'] as string,
        duplicateOf: row['duplicate_of'] as number | null,
        outOfOrder: row['out_of_order'] === 1,
      },
    ]
  }
  return {
    between: (from, to) => new Map(range.all(from, to).map(toFacts)),
    byIds(ids) {
      const rows = ids.map((id) => one.get(id)).filter((row) => row !== undefined)
      return new Map(rows.map(toFacts))
    },
  }
}
