import type { InvoiceEvent, InvoiceSource } from '../../../src-preload/contract/invoice.ts'
import type { Database } from '../../database/database.ts'

export type EventDetail = Readonly<Record<string, string | number | null>>

/** One line of what became of an invoice. Moments are milliseconds. */
export type StoredEvent = {
  readonly at: number
  readonly seenAt: number
  readonly source: InvoiceSource
  readonly kind: InvoiceEvent['kind']
  readonly detail: EventDetail
  readonly capture: number | null
  readonly transaction: string | null
}

type InvoiceEvents = {
  add(key: number, event: StoredEvent): void
  /** Oldest first, at most so many of the newest. */
  list(key: number, limit: number): StoredEvent[]
}

export function createInvoiceEvents(database: Database): InvoiceEvents {
  const add = database.prepare(
    `INSERT INTO invoice_events (invoice_key, at, seen_at, source, kind, detail, capture_id, tx_hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const list = database.prepare(
    `SELECT at, seen_at, source, kind, detail, capture_id, tx_hash FROM invoice_events
     WHERE invoice_key = ? ORDER BY id DESC LIMIT ?`,
  )
  return {
    add: (key, { at, seenAt, source, kind, detail, capture, transaction }) =>
      void add.run(key, at, seenAt, source, kind, JSON.stringify(detail), capture, transaction),
    list: (key, limit) =>
      list
        .all(key, limit)
        .map((row) => ({
          at: row['at'] as number,
          seenAt: row['seen_at'] as number,
          source: row['source'] as InvoiceSource,
          kind: row['kind'] as InvoiceEvent['kind'],
          detail: JSON.parse(row['detail'] as string) as EventDetail,
          capture: row['capture_id'] as number | null,
          transaction: row['tx_hash'] as string | null,
        }))
        .reverse(),
  }
}
