import {
  checksumColumn,
  describeChange,
  splitHeaders,
} from '../../captures/store/capture-record.ts'
import { type Database, createSql } from '../../database/sql.ts'

export type InvoiceArrivals = ReturnType<typeof createInvoiceArrivals>

/** Limits of a slice: the number of scanned facts and of returned deliveries. */
const [sliceFacts, sliceIds] = [5000, 25]
const newestFact = 'SELECT max(id) FROM facts'

export function createInvoiceArrivals(database: Database, index: Database) {
  const sql = createSql(database)
  const facts = createSql(index)
  return {
    classifiedTo: () => facts.value<number>(newestFact) ?? 0,
    /**
     * Returns some ids in order of arrival. Everything before `to` was scanned, so the next call
     * starts there.
     */
    slice(after: number, upTo: number): { readonly ids: readonly number[]; readonly to: number } {
      const last = facts.value<number>(
        `SELECT max(id) FROM
           (SELECT id FROM facts WHERE id > ? AND id <= ? ORDER BY id LIMIT ${sliceFacts})`,
        ...[after, upTo],
      )
      const ids = facts.column<number>(
        `SELECT id FROM facts WHERE id > ? AND id <= ? AND kind = 'invoice'
         ORDER BY id LIMIT ${sliceIds}`,
        ...[after, last ?? upTo],
      )
      return { ids, to: (ids.length < sliceIds ? last : ids.at(-1)) ?? upTo }
    },
    /**
     * Null for captures that are imported, rebuilt, replayed, refused, incomplete, deleted or
     * changed on disk.
     */
    read(id: number, largestBytes: number) {
      const row = sql.get<{ receivedAt: number } & Parameters<typeof describeChange>[1]>(
        `SELECT received_at / 1000 AS received_at, method, target, headers, body, ${checksumColumn} FROM captures
         WHERE id = ? AND status = 200 AND completeness = 'complete' AND body_bytes <= ?
           AND NOT EXISTS (SELECT 1 FROM capture_origins WHERE capture_id = id)`,
        ...[id, largestBytes],
      )
      if (row === null || describeChange(id, row) !== null) return null
      return { ...row, headers: splitHeaders(row.headers) }
    },
  }
}

export type TouchedAccounts = ReturnType<typeof createTouchedAccounts>

const maxFacts = 10_000

export function createTouchedAccounts(index: Database) {
  const facts = createSql(index)
  return {
    newest: () => facts.value<number>(newestFact) ?? 0,
    /** Returns raw addresses after `after`, up to `upTo`; under load only the newest. */
    between: (after: number, upTo: number) =>
      facts.column<string>(
        `SELECT DISTINCT account FROM facts
         WHERE id > ? AND id <= ? AND kind = 'account_tx' AND account IS NOT NULL`,
        ...[Math.max(after, upTo - maxFacts), upTo],
      ),
  }
}
