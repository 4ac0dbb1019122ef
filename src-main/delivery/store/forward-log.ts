import type { CaptureOrigin } from '../../../src-preload/domain/capture-values.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { type Facts, createFactsReader } from '../../captures/store/index/facts.ts'
import {
  type CaptureRecord,
  checksumColumn,
  describeChange,
  describeMissing,
  durationColumn,
  headerCodecs,
  joinHeaders,
} from '../../captures/store/capture-record.ts'
import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'

export type LoggedDelivery = Omit<
  CaptureRecord,
  'rawHeaders' | 'body' | 'httpVersion' | 'incident'
> & {
  readonly id: number
  readonly origin: CaptureOrigin
  /** True for a capture that was made from a watched account and is set to be forwarded. */
  readonly isForwarded: boolean
  /** The network of a watched account, or the network that the user chose. */
  readonly chosenNetwork: NetworkId | null
  readonly durationUs: number | null
  readonly headers: [string, string][]
  readonly facts: Facts | undefined
}

export type ForwardedRequest = Pick<LoggedDelivery, 'method' | 'target' | 'headers'> &
  Pick<CaptureRecord, 'body'> & {
    /** Sentences about a body that was changed on disk or is missing; such a capture is not sent. */
    readonly change: string | null
    readonly missing: string | null
  }

export type StoredRequest = Omit<ForwardedRequest, 'change' | 'missing'> &
  Pick<CaptureRecord, 'completeness'> & {
    readonly id: number
    readonly checksum: number | null
  }

export const requestColumns = `id, method, target, headers, body, completeness, ${checksumColumn}`

export function toForwarded<R extends StoredRequest>({ checksum, completeness, ...row }: R) {
  const headers = joinHeaders(row.headers.flat())
  const change = describeChange(row.id, { ...row, headers, checksum })
  return { ...row, change, missing: describeMissing(row.id, completeness) }
}

export type ForwardLog = ReturnType<typeof createForwardLog>

/** @param index a second connection, to the index file */
export function createForwardLog(database: Database, index: Database) {
  const facts = createFactsReader(index)
  const sql = createSql(database, headerCodecs)
  return {
    classifiedTo: () => facts.indexedTo(),
    nextArrival: (after: number) =>
      sql.value<number>('SELECT received_at FROM captures WHERE id > ? ORDER BY id LIMIT 1', after),
    newestId: () => sql.value<number>('SELECT max(id) FROM captures') ?? 0,
    between(after: number, upTo: number, limit: number): LoggedDelivery[] {
      const found = sql.all<Omit<LoggedDelivery, 'facts'>>(
        `SELECT id, received_at, ${durationColumn}, status, method, target, completeness, token, token_id,
           remote_address, headers, body_bytes,
           coalesce((SELECT origin FROM capture_origins o WHERE o.capture_id = captures.id),
             'received') AS origin,
           EXISTS (SELECT 1 FROM capture_origins WHERE capture_id = captures.id AND is_forwarded)
             AS is_forwarded,
           (SELECT network FROM capture_networks WHERE capture_id = captures.id) AS chosen_network
         FROM captures WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
        ...[after, upTo, limit],
      )
      const last = found.at(-1)
      const known = last === undefined ? null : facts.between(after + 1, last.id)
      return found.map((row) => ({ ...row, facts: known?.get(row.id) }))
    },
    body: (id: number) =>
      sql.value<Uint8Array>('SELECT body FROM captures WHERE id = ?', id) ?? new Uint8Array(0),
    request(id: number): ForwardedRequest | null {
      const row = sql.get<StoredRequest>(`SELECT ${requestColumns} FROM captures WHERE id = ?`, id)
      return row && toForwarded(row)
    },
  }
}
