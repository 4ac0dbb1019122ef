import type { InvoiceEvent, InvoiceSource } from '../../../src-preload/contract/invoice.ts'
import type { Database } from '../../database/database.ts'
import { createSql, json } from '../../database/sql.ts'

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

export function createInvoiceEvents(database: Database) {
  const sql = createSql(database, { detail: json })
  return {
    add(key: number, { capture, transaction, ...event }: StoredEvent): void {
      const { at, seenAt, source, kind, detail } = event
      const fields = { at, seenAt, source, kind, detail, captureId: capture, txHash: transaction }
      sql.insert('invoice_events', { invoiceKey: key, ...fields })
    },
    /** Oldest first, at most so many of the newest. */
    list: (key: number, limit: number) =>
      sql
        .all<StoredEvent>(
          `SELECT at, seen_at, source, kind, detail, capture_id AS capture,
             tx_hash AS "transaction" FROM invoice_events
           WHERE invoice_key = ? ORDER BY id DESC LIMIT ?`,
          ...[key, limit],
        )
        .reverse(),
  }
}
