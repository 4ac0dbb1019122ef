import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  statSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { dirname } from 'node:path'

/** How long a statement waits for another connection's short write. */
const busyTimeoutMs = 5_000

/**
 * Of a new file. Where captures come and go, free pages lie all over the file: with SQLite's 4 KiB a
 * checkpoint wrote so many single ones that each commit waited for the disk (docs/benchmarks.md).
 */
const pageBytes = 16 * 1024

/** Of write-ahead log between checkpoints: a page that was written often is written back once. */
const checkpointBytes = 16 * 1024 * 1024

export type Database = DatabaseSync

type OpenOptions = {
  readonly busyTimeoutMs?: number
  readonly readOnly?: boolean
  /** `FULL` where an acknowledged write must survive a power cut; `NORMAL` for what can be rebuilt. */
  readonly synchronous?: 'FULL' | 'NORMAL'
}

/** Opens a SQLite file with the pragmas every connection of ours has. */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  if (options.readOnly !== true) makeFilesPrivate(path)
  const database = new DatabaseSync(path, {
    readOnly: options.readOnly ?? false,
    timeout: options.busyTimeoutMs ?? busyTimeoutMs,
  })
  try {
    if (options.readOnly !== true) {
      // Of an existing file these cannot be changed, yet asking for them would write to it.
      if (pragmaNumber(database, 'page_count') === 0) {
        database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL;`)
      }
      const checkpointPages = Math.round(checkpointBytes / pragmaNumber(database, 'page_size'))
      database.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous ?? 'FULL'};
         PRAGMA wal_autocheckpoint = ${checkpointPages};`,
      )
    }
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;')
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/**
 * Captures hold bearer tokens, and the data directory may be one that others can look into. SQLite
 * gives the write-ahead log the mode of its database; one that is there may be older than this.
 */
function makeFilesPrivate(path: string): void {
  if (process.platform === 'win32' || path === ':memory:') return
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false })
    // Only the owner of a file can change its mode.
    if (found === undefined || found.uid !== process.getuid?.()) continue
    if (found.isFile() && (found.mode & 0o077) !== 0) chmodSync(file, 0o600)
  }
}

/**
 * Runs `work` in one transaction: all of it or none. An immediate one takes the write lock of every
 * attached database at once, a deferred one only of those written.
 */
export function transaction<T>(
  database: Database,
  work: () => T,
  begin: 'IMMEDIATE' | 'DEFERRED' = 'IMMEDIATE',
): T {
  database.exec(`BEGIN ${begin}`)
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // A full disk may have rolled it back already; then this fails and the first error matters.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

export function pragmaNumber(database: Database, pragma: string): number {
  const row = database.prepare(`PRAGMA ${pragma}`).get()
  return Number(Object.values(row ?? { none: 0 })[0])
}

/** Bytes holding data; free pages, which later writes fill again, are not counted. */
export function usedBytes(database: Database): number {
  const pages = pragmaNumber(database, 'page_count') - pragmaNumber(database, 'freelist_count')
  return pages * pragmaNumber(database, 'page_size')
}

// SQLite's primary result codes, https://www.sqlite.org/rescode.html
const corrupt = 11
const diskFull = 13
const constraint = 19
const notADatabase = 26

export class DamageError extends Error {}

/** True when the error says the file itself is damaged, or is no database at all. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamageError) return true
  const code = primaryCode(error)
  return code === corrupt || code === notADatabase
}

export function isConstraint(error: unknown): boolean {
  return primaryCode(error) === constraint
}

/** SQLite's `SQLITE_IOERR_WRITE`: what a disk without space answers in the middle of a write. */
const writeFailed = 778

/** True when there is no space for what was to be written, in the database or beside it. */
export function isDiskFull(error: unknown): boolean {
  if (primaryCode(error) === diskFull || errcodeOf(error) === writeFailed) return true
  if (!(error instanceof Error) || !('code' in error)) return false
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(error.code))
}

/** SQLite's extended result code, for an error that is sent from thread to thread; null for others. */
export function errcodeOf(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : null
}

export function toSqliteError(message: string, errcode: number | null): Error {
  return errcode === null ? new Error(message) : Object.assign(new Error(message), { errcode })
}

function primaryCode(error: unknown): number | null {
  const code = errcodeOf(error)
  // The low byte is the primary code, the rest tells the variety.
  return code === null ? null : code & 0xff
}

/** Enough for the transactions that delete captures, until the space of these can be used again. */
const reserveBytes = 4 * 1024 * 1024
/** With less on the disk nothing is set aside. */
const minFreeBytes = 128 * 1024 * 1024

/** A file of no content: deleted when the disk is full, it makes room for deleting captures. */
export function makeReserve(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === reserveBytes) return
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    if (bavail * bsize < minFreeBytes) return
    writeFileSync(path, Buffer.alloc(reserveBytes, 1), { mode: 0o600 })
  } catch {
    releaseReserve(path)
  }
}

/** @returns false when there was none */
export function releaseReserve(path: string): boolean {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined
  rmSync(path, { force: true })
  return isThere
}
