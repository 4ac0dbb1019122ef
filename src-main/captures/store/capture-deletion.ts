import { type Database, pragmaNumber, usedBytes } from '../../database/database.ts'
import { type Sql, createSql } from '../../database/sql.ts'

export type RetentionLimits = {
  /** Captures received before this time are deleted; null to keep captures of any age. */
  readonly oldest: number | null
  readonly maxCount: number
  readonly maxBytes: number
}

/** Maximum number of captures per step, so that a delivery never waits long for a step. */
const stepRows = 400
const stepBodyBytes = 8 * 1024 * 1024
const stepBytes = 2 * 1024 * 1024

export const readFloorKey = 'captures.idFloor'
/** Captures received up to this moment (microseconds) may have been deleted. */
export const keptFromKey = 'captures.keptFrom'

export type Deleted = {
  readonly deleted: number
  readonly others: number
}

/**
 * Ids are never reused, not even after deleting the newest captures and a restart. max() with a HAVING for
 * the empty table would read every capture.
 */
function raiseFloor(sql: Sql): void {
  sql.run(
    `INSERT INTO settings (key, value)
     SELECT '${readFloorKey}', CAST(id AS TEXT) FROM captures WHERE true ORDER BY id DESC LIMIT 1
     ${raiseSetting}`,
  )
}

const raiseSetting = `ON CONFLICT (key) DO UPDATE SET value =
  CAST(max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER)) AS TEXT)`

export function nextCaptureId(database: Database): number {
  const last = createSql(database).value<number>(
    `SELECT max(coalesce((SELECT max(id) FROM captures), 0),
       coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE key = ?), 0))`,
    readFloorKey,
  )
  return (last ?? 0) + 1
}

const learntTables = ['capture_meanings', 'capture_networks', 'capture_checksums'] as const

const noteDeletion = (sql: Sql, fromId: number, toId: number) =>
  sql.insert('capture_deletions', { fromId, toId })

/** Also deletes their marks and explanations. */
export function deleteCaptures(database: Database, ids: readonly number[]): Deleted {
  const sql = createSql(database)
  return sql.transaction(() => {
    raiseFloor(sql)
    let deleted = 0
    let others = 0
    for (const id of ids) {
      deleted += sql.remove('captures', { id })
      others += sql.remove('capture_origins', { captureId: id })
      for (const table of ['capture_marks', ...learntTables]) sql.remove(table, { captureId: id })
      noteDeletion(sql, id, id)
    }
    return { deleted, others }
  })
}

/**
 * One step of deleting the oldest captures up to an id.
 * @param after end of the previous step
 * @returns counts and the start of the next step; `done` when nothing older is left
 */
export function deleteOldestStep(
  database: Database,
  upTo: number,
  after: number,
  keepPinned: boolean,
): Deleted & { reached: number; done: boolean } {
  const sql = createSql(database)
  return sql.transaction(() => {
    const last = endOfStep(sql, after, upTo)
    if (last === null) return { deleted: 0, others: 0, reached: after, done: true }
    raiseFloor(sql)
    const range = (id: string) =>
      `WHERE ${id} > ? AND ${id} <= ?` + (keepPinned ? ` AND ${id} ${notPinned}` : '')
    // Reports on earlier events must consider that their captures may be deleted.
    sql.run(
      `INSERT INTO settings (key, value)
       SELECT '${keptFromKey}', CAST(max(received_at) AS TEXT) FROM captures ${range('id')}
       HAVING count(*) > 0 ${raiseSetting}`,
      ...[after, last],
    )
    const remove = (table: string, where: string) =>
      sql.run(`DELETE FROM ${table} ${where}`, after, last)
    const deleted = remove('captures', range('id'))
    const others = remove('capture_origins', range('capture_id'))
    for (const table of ['capture_marks', ...learntTables]) remove(table, range('capture_id'))
    noteDeletion(sql, after + 1, last)
    return { deleted, others, reached: last, done: false }
  })
}

function endOfStep(sql: Sql, after: number, upTo: number): number | null {
  const rows = sql.all<{ readonly id: number; readonly bodyBytes: number }>(
    'SELECT id, body_bytes FROM captures WHERE id > ? AND id <= ? ORDER BY id LIMIT ?',
    ...[after, upTo, stepRows],
  )
  let bytes = 0
  for (const { id, bodyBytes } of rows) {
    bytes += bodyBytes
    if (bytes > stepBodyBytes) return id
  }
  return rows.at(-1)?.id ?? null
}

/**
 * Returns the newest id to delete so that the limits hold; null if they already hold. The limit by
 * bytes uses the average size of a capture, so one pass never deletes too much. Other data in the
 * file raises the average, so several passes may be needed.
 */
export function retentionBound(
  database: Database,
  total: number,
  indexBytes: number,
  limits: RetentionLimits,
): number | null {
  const sql = createSql(database)
  const bytes = usedBytes(database) + indexBytes
  const tooMany = Math.max(0, total - limits.maxCount)
  const tooMuch =
    bytes > limits.maxBytes && total > 0
      ? Math.ceil((bytes - limits.maxBytes * 0.98) / ((bytes - emptyBytes(database)) / total))
      : 0
  const pinned = sql.count('capture_marks WHERE pinned = 1')
  const surplus = Math.min(total - pinned, Math.max(tooMany, tooMuch))
  const bySurplus = surplus > 0 ? sql.value<number>(surplusSql(sql), surplus - 1) : null
  const byAge = sql.value<number>(
    `SELECT id FROM captures WHERE received_at < ? AND id ${notPinned}
     AND id NOT IN (SELECT capture_id FROM capture_origins)
     ORDER BY received_at DESC LIMIT 1`,
    limits.oldest,
  )
  return bySurplus === null && byAge === null ? null : Math.max(bySurplus ?? 0, byAge ?? 0)
}

const notPinned = 'NOT IN (SELECT capture_id FROM capture_marks WHERE pinned = 1)'

/**
 * Received captures are in order of ids, so the small index by time can count them. Captures that
 * the user created may have any time and are deleted with adjacent ids.
 */
function surplusSql(sql: Sql): string {
  const hasOthers = sql.exists('capture_origins')
  return `SELECT id FROM captures INDEXED BY captures_by_time WHERE id ${notPinned}
    ORDER BY ${hasOthers ? 'id' : 'received_at'} LIMIT 1 OFFSET ?`
}

/** The bytes of an empty database: a page for each table and index, and their definitions. */
function emptyBytes(database: Database): number {
  const schema = createSql(database).get<{ readonly trees: number; readonly characters: number }>(
    `SELECT count(*) FILTER (WHERE rootpage > 0) AS trees, sum(length(sql)) AS characters
     FROM sqlite_schema`,
  )
  const { trees, characters } = schema ?? { trees: 0, characters: 0 }
  return trees * pragmaNumber(database, 'page_size') + characters
}

export const freeBytes = (database: Database): number =>
  pragmaNumber(database, 'freelist_count') * pragmaNumber(database, 'page_size')

/**
 * Returns some free pages to the disk.
 * @param keepBytes free bytes to keep in the file
 * @param bytes maximum bytes of the step, because pages at the end of the file are moved and the
 * write-ahead log may need the same size
 * @returns false when no more pages are left
 */
export function shrinkStep(database: Database, keepBytes: number, bytes = stepBytes): boolean {
  const free = freeBytes(database)
  if (free <= keepBytes + bytes) {
    // A checkpoint truncates the file; the next one might come long after the last step.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    return false
  }
  database.exec(`PRAGMA incremental_vacuum(${bytes / pragmaNumber(database, 'page_size')})`)
  // A file without auto-vacuum cannot shrink.
  return freeBytes(database) < free
}
