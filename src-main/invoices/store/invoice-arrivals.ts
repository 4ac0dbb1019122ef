import { splitHeaders } from '../../captures/store/capture-record.ts'
import type { Database } from '../../database/database.ts'

export type InvoiceArrival = {
  readonly receivedAt: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
}

export type InvoiceArrivals = {
  classifiedTo(): number
  /** Some ids in order of arrival. Everything before `to` was scanned, so the next call starts there. */
  slice(after: number, upTo: number): { readonly ids: readonly number[]; readonly to: number }
  /** Null for imported, rebuilt, replayed, refused, incomplete and deleted captures. */
  read(id: number, largestBytes: number): InvoiceArrival | null
}

/** Limits of a slice: facts scanned and deliveries returned. */
const [sliceFacts, sliceIds] = [5000, 25]

export function createInvoiceArrivals(database: Database, index: Database): InvoiceArrivals {
  const newest = index.prepare('SELECT max(id) AS id FROM facts')
  const end = index.prepare(
    `SELECT max(id) AS id FROM
       (SELECT id FROM facts WHERE id > ? AND id <= ? ORDER BY id LIMIT ${sliceFacts})`,
  )
  const ids = index.prepare(
    `SELECT id FROM facts WHERE id > ? AND id <= ? AND kind = 'invoice' ORDER BY id LIMIT ${sliceIds}`,
  )
  const capture = database.prepare(
    `SELECT received_at, headers, body FROM captures
     WHERE id = ? AND status = 200 AND completeness = 'complete' AND body_bytes <= ?
       AND NOT EXISTS (SELECT 1 FROM capture_origins WHERE capture_id = id)`,
  )
  return {
    classifiedTo: () => Number(newest.get()?.['id'] ?? 0),
    slice(after, upTo) {
      const last = (end.get(after, upTo)?.['id'] as number | null | undefined) ?? upTo
      const found = ids.all(after, last).map((row) => row['id'] as number)
      return { ids: found, to: found.length < sliceIds ? last : (found.at(-1) ?? last) }
    },
    read(id, largestBytes) {
      const row = capture.get(id, largestBytes)
      if (row === undefined) return null
      return {
        receivedAt: Math.floor((row['received_at'] as number) / 1000),
        headers: splitHeaders(row['headers'] as string),
        body: row['body'] as Uint8Array,
      }
    },
  }
}

export type TouchedAccounts = {
  newest(): number
  /** Raw addresses after `after`, up to `upTo`; under load only the newest. */
  between(after: number, upTo: number): string[]
}

const maxFacts = 10_000

export function createTouchedAccounts(index: Database): TouchedAccounts {
  const newest = index.prepare('SELECT max(id) AS id FROM facts')
  const between = index.prepare(
    `SELECT DISTINCT account FROM facts
     WHERE id > ? AND id <= ? AND kind = 'account_tx' AND account IS NOT NULL`,
  )
  return {
    newest: () => Number(newest.get()?.['id'] ?? 0),
    between: (after, upTo) =>
      between.all(Math.max(after, upTo - maxFacts), upTo).map((row) => row['account'] as string),
  }
}
