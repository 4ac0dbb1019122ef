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

const busyTimeoutMs = 5_000

/**
 * The page size of new files. With SQLite's default of 4 KiB, a checkpoint wrote so many scattered
 * pages that each commit waited for the disk (docs/benchmarks.md).
 */
const pageBytes = 16 * 1024

/**
 * A checkpoint writes a page back once, however often the page has changed since the last
 * checkpoint. On a disk with little space the write-ahead log stays small, because emptying it
 * needs as much space again in the database.
 */
const checkpointBytes = { default: 16 * 1024 * 1024, tight: 1024 * 1024 }
const tightDiskBytes = 256 * 1024 * 1024

export type Database = DatabaseSync

type OpenOptions = {
  readonly busyTimeoutMs?: number
  readonly readOnly?: boolean
  /** `FULL` if an acknowledged write must survive a power cut; `NORMAL` for data that can be rebuilt. */
  readonly synchronous?: 'FULL' | 'NORMAL'
}

/** Directories of the databases that this thread has opened. */
const opened = new Set<string>()

export function openDatabase(path: string, options: OpenOptions = {}): Database {
  if (path !== ':memory:') opened.add(dirname(path))
  if (options.readOnly !== true) makeFilesPrivate(path)
  const database = new DatabaseSync(path, {
    readOnly: options.readOnly ?? false,
    timeout: options.busyTimeoutMs ?? busyTimeoutMs,
  })
  try {
    if (options.readOnly !== true) {
      // These pragmas cannot change an existing file, but would still write to it.
      if (pragmaNumber(database, 'page_count') === 0) {
        database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL;`)
      }
      database.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous ?? 'FULL'};`,
      )
      fitCheckpoints(database, path)
    }
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;')
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/**
 * Only the owner may read the file, because captures contain bearer tokens and others may be able
 * to read the data directory. A new write-ahead log gets the mode of its database; an existing one
 * may be older than that mode.
 */
export function makeFilesPrivate(path: string): void {
  if (process.platform === 'win32' || path === ':memory:') return
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined || found.uid !== process.getuid?.()) continue
    if (found.isFile() && (found.mode & 0o077) !== 0) chmodSync(file, 0o600)
  }
}

/** An immediate transaction locks every attached database at once, a deferred one only those it writes. */
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
    // A full disk may have rolled the transaction back already.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

export function pragmaNumber(database: Database, pragma: string): number {
  const row = database.prepare(`PRAGMA ${pragma}`).get()
  return Number(Object.values(row ?? { none: 0 })[0])
}

/** Free pages are not counted, because later writes fill them again. */
export function usedBytes(database: Database): number {
  const pages = pragmaNumber(database, 'page_count') - pragmaNumber(database, 'freelist_count')
  return pages * pragmaNumber(database, 'page_size')
}

// SQLite's primary result codes, https://www.sqlite.org/rescode.html
const ioError = 10
const corrupt = 11
const diskFull = 13
const cannotOpen = 14
const constraint = 19
const notADatabase = 26
/** `SQLITE_IOERR_SHORT_READ`, `_CORRUPTFS` and `_READ`: the file is shorter, or the disk cannot read it. */
const damagedReads: readonly (number | null)[] = [522, 8458, 266]

export class DamageError extends Error {}

export function isDamage(error: unknown): boolean {
  if (error instanceof DamageError || isOutOfRange(error)) return true
  const code = primaryCode(error)
  return code === corrupt || code === notADatabase || damagedReads.includes(errcodeOf(error))
}

/** Thrown by `node:sqlite` for a stored number above 2^53 where Tondesk stores smaller ones only. */
function isOutOfRange(error: unknown): boolean {
  const isRange = error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'
  return isRange && error.message.includes('JavaScript number')
}

export const isConstraint = (error: unknown): boolean => primaryCode(error) === constraint

/** @param directories on the disks where the error may have occurred */
export function isDiskFull(error: unknown, directories: Iterable<string> = opened): boolean {
  const code = primaryCode(error)
  if (code === diskFull) return true
  // SQLite reports that a sync failed or a file could not grow, but not why.
  if (code === cannotOpen || (code === ioError && !isDamage(error)))
    return [...directories].some(isNearlyFull)
  if (!(error instanceof Error) || !('code' in error)) return false
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(error.code))
}

/** The disk refused a read, a write or a sync, but has free space. */
export const isDiskError = (error: unknown) => primaryCode(error) === ioError

/** SQLite's extended result code, for errors that pass between threads; null for other errors. */
export const errcodeOf = (error: unknown): number | null =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) : null

export const toSqliteError = (message: string, errcode: number | null): Error =>
  errcode === null ? new Error(message) : Object.assign(new Error(message), { errcode })

function primaryCode(error: unknown): number | null {
  const code = errcodeOf(error)
  return code === null ? null : code & 0xff
}

/** The size is enough for transactions that delete captures, until SQLite can reuse the deleted space. */
export const reserveBytes = 4 * 1024 * 1024
/** On a smaller disk, the reserve itself would fill it. */
const minFreeBytes = 3 * reserveBytes

function isNearlyFull(directory: string): boolean {
  try {
    return freeOnDisk(directory) < minFreeBytes
  } catch {
    return false
  }
}

export function freeOnDisk(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

/** @returns whether the disk has little space left */
export function fitCheckpoints(database: Database, path: string): boolean {
  const isTight = freeOnDisk(dirname(path)) < tightDiskBytes
  const bytes = isTight ? checkpointBytes.tight : checkpointBytes.default
  const pages = Math.round(bytes / pragmaNumber(database, 'page_size'))
  database.exec(`PRAGMA wal_autocheckpoint = ${pages}; PRAGMA journal_size_limit = ${bytes};`)
  return isTight
}

/**
 * On a full disk, this file is deleted to make room for deleting captures.
 * @param isFull the reserve was just used: it takes whatever is free, before captures do
 */
export function makeReserve(path: string, isFull = false): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === reserveBytes) return
  try {
    const free = freeOnDisk(dirname(path))
    if (!isFull && free < minFreeBytes) return
    writeFileSync(path, Buffer.alloc(Math.min(reserveBytes, free), 1), { mode: 0o600 })
  } catch {
    releaseReserve(path)
  }
}

export function releaseReserve(path: string): boolean {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined
  rmSync(path, { force: true })
  return isThere
}
