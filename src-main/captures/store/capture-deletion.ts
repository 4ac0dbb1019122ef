import { type Database, pragmaNumber, transaction, usedBytes } from '../../database/database.ts'

export type RetentionLimits = {
  /** Captures received before this moment are deleted; null keeps any age. */
  readonly oldest: number | null
  readonly maxCount: number
  readonly maxBytes: number
}

/** A step deletes at most these captures or bytes of bodies, so that a delivery never waits for one. */
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
function raiseFloor(database: Database): void {
  database
    .prepare(
      `INSERT INTO settings (key, value)
       SELECT '${readFloorKey}', CAST(id AS TEXT) FROM captures WHERE true ORDER BY id DESC LIMIT 1
       ON CONFLICT (key) DO UPDATE SET value =
         CAST(max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER)) AS TEXT)`,
    )
    .run()
}

export function nextCaptureId(database: Database): number {
  const row = database
    .prepare(
      `SELECT max(coalesce((SELECT max(id) FROM captures), 0),
                  coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE key = ?), 0)) AS last`,
    )
    .get(readFloorKey)
  return Number(row?.['last'] ?? 0) + 1
}

/** Reports on earlier events must consider that their captures may be deleted. */
function raiseKeptFrom(database: Database, where: string, after: number, last: number): void {
  database
    .prepare(
      `INSERT INTO settings (key, value)
       SELECT '${keptFromKey}', CAST(max(received_at) AS TEXT) FROM captures ${where}
       HAVING count(*) > 0
       ON CONFLICT (key) DO UPDATE SET value =
         CAST(max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER)) AS TEXT)`,
    )
    .run(after, last)
}

const learntTables = ['capture_meanings', 'capture_networks'] as const

function noteDeletion(database: Database, from: number, to: number): void {
  database.prepare('INSERT INTO capture_deletions (from_id, to_id) VALUES (?, ?)').run(from, to)
}

/** Also deletes their marks and explanations. */
export function deleteCaptures(database: Database, ids: readonly number[]): Deleted {
  return transaction(database, () => {
    raiseFloor(database)
    const one = database.prepare('DELETE FROM captures WHERE id = ?')
    const mark = database.prepare('DELETE FROM capture_marks WHERE capture_id = ?')
    const origin = database.prepare('DELETE FROM capture_origins WHERE capture_id = ?')
    const learnt = learntTables.map((table) =>
      database.prepare(`DELETE FROM ${table} WHERE capture_id = ?`),
    )
    let deleted = 0
    let others = 0
    for (const id of ids) {
      deleted += Number(one.run(id).changes)
      others += Number(origin.run(id).changes)
      mark.run(id)
      for (const statement of learnt) statement.run(id)
      noteDeletion(database, id, id)
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
  return transaction(database, () => {
    const last = endOfStep(database, after, upTo)
    if (last === null) return { deleted: 0, others: 0, reached: after, done: true }
    raiseFloor(database)
    const range = (id: string) =>
      `WHERE ${id} > ? AND ${id} <= ?` +
      (keepPinned
        ? ` AND ${id} NOT IN (SELECT capture_id FROM capture_marks WHERE pinned = 1)`
        : '')
    raiseKeptFrom(database, range('id'), after, last)
    const { changes } = database.prepare(`DELETE FROM captures ${range('id')}`).run(after, last)
    const others = database
      .prepare(`DELETE FROM capture_origins ${range('capture_id')}`)
      .run(after, last).changes
    database
      .prepare(
        `DELETE FROM capture_marks WHERE capture_id > ? AND capture_id <= ?
         ${keepPinned ? 'AND pinned = 0' : ''}`,
      )
      .run(after, last)
    for (const table of learntTables) {
      database.prepare(`DELETE FROM ${table} ${range('capture_id')}`).run(after, last)
    }
    noteDeletion(database, after + 1, last)
    return { deleted: Number(changes), others: Number(others), reached: last, done: false }
  })
}

function endOfStep(database: Database, after: number, upTo: number): number | null {
  const rows = database
    .prepare('SELECT id, body_bytes FROM captures WHERE id > ? AND id <= ? ORDER BY id LIMIT ?')
    .iterate(after, upTo, stepRows)
  let last: number | null = null
  let bytes = 0
  for (const row of rows) {
    last = Number(row['id'])
    bytes += Number(row['body_bytes'])
    if (bytes > stepBodyBytes) break
  }
  return last
}

/**
 * The newest id to delete so that the limits hold; null when they hold. The limit by bytes uses the
 * average capture, so one pass never deletes too much. Other data in the file raises the average, so
 * several passes may be needed.
 */
export function retentionBound(
  database: Database,
  total: number,
  indexBytes: number,
  limits: RetentionLimits,
): number | null {
  const bytes = usedBytes(database) + indexBytes
  const tooMany = Math.max(0, total - limits.maxCount)
  const tooMuch =
    bytes > limits.maxBytes && total > 0
      ? Math.ceil((bytes - limits.maxBytes * 0.98) / ((bytes - emptyBytes(database)) / total))
      : 0
  const pinned = database.prepare('SELECT count(*) AS n FROM capture_marks WHERE pinned = 1').get()
  const surplus = Math.min(total - Number(pinned?.['n']), Math.max(tooMany, tooMuch))
  const bounds: number[] = []
  if (surplus > 0) {
    const row = database.prepare(surplusSql(database)).get(surplus - 1)
    if (typeof row?.['id'] === 'number') bounds.push(row['id'])
  }
  if (limits.oldest !== null) {
    const row = database
      .prepare(
        `SELECT id FROM captures WHERE received_at < ?
         AND id NOT IN (SELECT capture_id FROM capture_marks WHERE pinned = 1)
         AND id NOT IN (SELECT capture_id FROM capture_origins)
         ORDER BY received_at DESC LIMIT 1`,
      )
      .get(limits.oldest)
    if (typeof row?.['id'] === 'number') bounds.push(row['id'])
  }
  return bounds.length > 0 ? Math.max(...bounds) : null
}

/**
 * Received captures are in order of ids, so the light index by time counts them. Captures that the user
 * created may have any time and are deleted with their neighbours.
 */
function surplusSql(database: Database): string {
  const pinned = 'NOT IN (SELECT capture_id FROM capture_marks WHERE pinned = 1)'
  const others = database.prepare('SELECT 1 FROM capture_origins LIMIT 1').get()
  if (others === undefined) {
    return `SELECT id FROM captures INDEXED BY captures_by_time WHERE id ${pinned}
      ORDER BY received_at LIMIT 1 OFFSET ?`
  }
  return `SELECT id FROM captures INDEXED BY captures_by_time WHERE id ${pinned}
    ORDER BY id LIMIT 1 OFFSET ?`
}

/** A page for each table and index, and their definitions. */
function emptyBytes(database: Database): number {
  const schema = database
    .prepare(
      `SELECT count(*) FILTER (WHERE rootpage > 0) AS trees, sum(length(sql)) AS characters
       FROM sqlite_schema`,
    )
    .get()
  const pages = Number(schema?.['trees']) * pragmaNumber(database, 'page_size')
  return pages + Number(schema?.['characters'])
}

export function freeBytes(database: Database): number {
  return pragmaNumber(database, 'freelist_count') * pragmaNumber(database, 'page_size')
}

/**
 * Returns some free pages to the disk.
 * @param keepBytes free bytes to keep in the file
 * @returns false when none are left
 */
export function shrinkStep(database: Database, keepBytes: number): boolean {
  const free = freeBytes(database)
  if (free <= keepBytes + stepBytes) {
    // A checkpoint truncates the file; the next one might come long after the last step.
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    return false
  }
  database.exec(`PRAGMA incremental_vacuum(${stepBytes / pragmaNumber(database, 'page_size')})`)
  // A file without auto-vacuum cannot shrink.
  return freeBytes(database) < free
}
