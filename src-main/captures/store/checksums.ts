import type { Database } from '../../database/database.ts'
import { createSql } from '../../database/sql.ts'
import { type StoredContent, checksumOf } from './capture-record.ts'

/** A step is short, because deliveries wait for it. */
const stepRows = 200
const stepBytes = 2 * 1024 * 1024
const unverifiedToKey = 'captures.unverifiedTo'

/**
 * Computes the checksums of some captures of older versions; a kill loses one step.
 * @returns false if all captures have one
 */
export function addChecksumsStep(database: Database, now: number): boolean {
  const sql = createSql(database)
  const upTo = sql.value<string>('SELECT value FROM settings WHERE key = ?', unverifiedToKey)
  if (upTo === null) return false
  return sql.transaction(() => {
    const after = sql.value<number>('SELECT max(capture_id) FROM capture_checksums') ?? 0
    const found: { captureId: number; checksum: number; computedAt: number }[] = []
    let bytes = 0
    for (const { id, ...content } of sql.iterate<StoredContent & { readonly id: number }>(
      `SELECT id, method, target, headers, body FROM captures
       WHERE id > ? AND id <= CAST(? AS INTEGER) ORDER BY id LIMIT ${stepRows}`,
      ...[after, upTo],
    )) {
      found.push({ captureId: id, checksum: checksumOf(content), computedAt: now })
      bytes += content.body.byteLength
      if (bytes > stepBytes) break
    }
    for (const row of found) sql.insert('capture_checksums', row)
    if (found.length === 0) sql.remove('settings', { key: unverifiedToKey })
    return found.length > 0
  })
}
