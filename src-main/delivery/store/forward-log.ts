import type { CaptureOrigin, TokenVerdict } from '../../../src-preload/domain/capture-words.ts'
import type { Completeness } from '../../../src-preload/contract/capture.ts'
import { type Facts, createFactsReader } from '../../captures/store/index/facts.ts'
import { createProgress } from '../../captures/store/index/progress.ts'
import { splitHeaders } from '../../captures/store/capture-record.ts'
import type { Database } from '../../database/database.ts'

/** A capture as rules look at it, without its body. */
export type LoggedDelivery = {
  readonly id: number
  readonly origin: CaptureOrigin
  readonly receivedAt: number
  readonly durationUs: number
  readonly status: number | null
  readonly method: string
  readonly target: string
  readonly completeness: Completeness
  readonly token: TokenVerdict
  readonly tokenId: string | null
  readonly remoteAddress: string
  readonly headers: [string, string][]
  readonly bodyBytes: number
  /** Undefined where the index does not have it (any more). */
  readonly facts: Facts | undefined
}

export type ForwardedRequest = {
  readonly method: string
  readonly target: string
  readonly headers: [string, string][]
  readonly body: Uint8Array
}

/** Follows classified captures, and reads what is to be sent. */
export type ForwardLog = {
  classifiedTo(): number
  /** Of all captures. */
  newestId(): number
  /** When the first capture after this one arrived; null when there is none. Microseconds. */
  nextArrival(after: number): number | null
  /** In the order of ids. */
  between(after: number, upTo: number, limit: number): LoggedDelivery[]
  body(id: number): Uint8Array
  request(id: number): ForwardedRequest | null
}

/** @param index a connection of its own to the index file */
export function createForwardLog(database: Database, index: Database): ForwardLog {
  const facts = createFactsReader(index)
  const progress = createProgress(index)
  const rows = database.prepare(
    `SELECT id, received_at, duration_us, status, method, target, completeness, token, token_id,
       remote_address, headers, body_bytes,
       (SELECT origin FROM capture_origins o WHERE o.capture_id = captures.id) AS origin
     FROM captures WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
  )
  const arrival = database.prepare(
    'SELECT received_at FROM captures WHERE id > ? ORDER BY id LIMIT 1',
  )
  const newest = database.prepare('SELECT max(id) AS id FROM captures')
  const body = database.prepare('SELECT body FROM captures WHERE id = ?')
  const request = database.prepare(
    'SELECT method, target, headers, body FROM captures WHERE id = ?',
  )
  return {
    classifiedTo: () => progress.get().indexedTo,
    nextArrival: (after) => (arrival.get(after)?.['received_at'] as number | undefined) ?? null,
    newestId: () => Number(newest.get()?.['id'] ?? 0),
    between(after, upTo, limit) {
      const found = rows.all(after, upTo, limit)
      const last = found.at(-1)
      const known =
        last === undefined ? new Map<number, Facts>() : facts.between(after + 1, Number(last['id']))
      return found.map((row) => ({
        id: row['id'] as number,
        origin: (row['origin'] as CaptureOrigin | null) ?? 'received',
        receivedAt: row['received_at'] as number,
        durationUs: row['duration_us'] as number,
        status: row['status'] as number | null,
        method: row['method'] as string,
        target: row['target'] as string,
        completeness: row['completeness'] as Completeness,
        token: row['token'] as TokenVerdict,
        tokenId: row['token_id'] as string | null,
        remoteAddress: row['remote_address'] as string,
        headers: splitHeaders(row['headers'] as string),
        bodyBytes: row['body_bytes'] as number,
        facts: known.get(row['id'] as number),
      }))
    },
    body: (id) => (body.get(id)?.['body'] as Uint8Array | undefined) ?? new Uint8Array(0),
    request(id) {
      const row = request.get(id)
      if (row === undefined) return null
      return {
        method: row['method'] as string,
        target: row['target'] as string,
        headers: splitHeaders(row['headers'] as string),
        body: row['body'] as Uint8Array,
      }
    },
  }
}
