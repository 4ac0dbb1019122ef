/**
 * Repairs the first 100 bytes of a database. One wrong bit can make SQLite refuse the file, but the
 * correct content is known. https://sqlite.org/fileformat.html#the_database_header
 */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { findSchemaDifference } from './backup.ts'
import { type Pages, createPageMap, findFreePages, mapEntries, openPages } from './damaged-pages.ts'
import { type Database, openDatabase, pragmaNumber } from './database.ts'
import { applicationId, latestVersion } from './migrate.ts'

const headerBytes = 100
const magic = Buffer.from('SQLite format 3\0', 'latin1')
const field = {
  pageSize: 16,
  formatVersions: 18,
  changeCounter: 24,
  pageCount: 28,
  freelistTrunk: 32,
  freelistPages: 36,
  schemaFormat: 44,
  largestRoot: 52,
  encoding: 56,
  userVersion: 60,
  incrementalVacuum: 64,
  applicationId: 68,
  reserved: 72,
  validFor: 92,
} as const

/** True for the first bytes of any SQLite database. */
export const isDatabaseStart = (bytes: Buffer): boolean =>
  bytes.subarray(0, magic.length).equals(magic)

/** A new file has its pointer map and its first root, but its header may not state a text encoding yet. */
const emptyPages = 3

/**
 * True for the header of a Tondesk file. The version field is not verified, because the schema
 * shows the version.
 */
export function isSoundHeader(pages: Pages): boolean {
  const header = pages.read(1)?.subarray(0, headerBytes)
  if (header === undefined) return false
  if (pages.count <= emptyPages) return header.subarray(0, magic.length).equals(magic)
  return withConstants(header, pages).equals(header) && isSoundFreelist(header, pages)
}

/** SQLite would overwrite rows if its freelist contained pages in use. */
function isSoundFreelist(header: Buffer, pages: Pages): boolean {
  const first = header.readUInt32BE(field.freelistTrunk)
  const listed = header.readUInt32BE(field.freelistPages)
  if (first === 0) return listed === 0
  const entry = createPageMap(pages).entryOf(first)
  const isFree = entry === null || entry.type === mapEntries.free
  return isFree && findFreePages(pages).size === listed
}

function withConstants(header: Buffer, pages: Pages): Buffer {
  const repaired = Buffer.from(header)
  magic.copy(repaired)
  repaired.writeUInt16BE(pages.pageSize === 65_536 ? 1 : pages.pageSize, field.pageSize)
  // The value 2 means write-ahead log. A backup has 1 until it is first opened.
  const isBackup = header.readUInt16BE(field.formatVersions) === 0x0101
  repaired.set(isBackup ? [1, 1] : [2, 2], field.formatVersions)
  // Tondesk reserves no bytes per page; the payload fractions are constants of the format.
  repaired.set([0, 64, 32, 32], 20)
  repaired.writeUInt32BE(4, field.schemaFormat)
  repaired.writeUInt32BE(1, field.encoding)
  // Files of the first versions have no pointer map and are never vacuumed.
  const hasMap = pages.read(2)?.[0] === 1
  const largestRoot = header.readUInt32BE(field.largestRoot)
  if (!hasMap) repaired.writeUInt32BE(0, field.largestRoot)
  else if (largestRoot === 0) repaired.writeUInt32BE(emptyPages, field.largestRoot)
  repaired.writeUInt32BE(hasMap ? 1 : 0, field.incrementalVacuum)
  repaired.writeUInt32BE(applicationId, field.applicationId)
  repaired.fill(0, field.reserved, field.validFor)
  return repaired
}

/** The format that the file's header names; null when the file is no SQLite database. */
export function versionInHeader(path: string): number | null {
  const header = Buffer.alloc(headerBytes)
  const file = openSync(path, 'r')
  try {
    if (readSync(file, header) < headerBytes || !header.subarray(0, magic.length).equals(magic)) {
      return null
    }
    return header.readUInt32BE(field.userVersion)
  } finally {
    closeSync(file)
  }
}

/**
 * Copies a database whose header alone is damaged, with a repaired header.
 * @returns false when the header is sound or more is damaged; `to` is unusable then
 */
export function copyWithRepairedHeader(from: string, to: string): boolean {
  try {
    using pages = openPages(from)
    const found = pages.read(1)?.subarray(0, headerBytes)
    if (found === undefined) return false
    const header = withConstants(found, pages)
    header.writeUInt32BE(pages.count, field.pageCount)
    header.copy(header, field.validFor, field.changeCounter, field.changeCounter + 4)
    const isSound = header.equals(found) && isSoundFreelist(found, pages)
    if (isSound && agreesWithSchema(found, from)) return false
    copyFileSync(from, to, constants.COPYFILE_FICLONE)
    if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`)
    overwriteHeader(to, header)
    const { version, largestRoot } = inCopy(to, (database) => {
      const facts = readFacts(database)
      // The checkpoint may write page 1, so the header is overwritten again below.
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      return facts
    })
    if (version === null) return false
    header.writeUInt32BE(version, field.userVersion)
    if (header.readUInt32BE(field.largestRoot) > 0) {
      header.writeUInt32BE(largestRoot, field.largestRoot)
    }
    overwriteHeader(to, header)
    return isWhole(to) || isWholeButFreelist(to, header)
  } catch {
    return false
  }
}

function agreesWithSchema(header: Buffer, path: string): boolean {
  using database = openDatabase(path, { readOnly: true })
  const { version, largestRoot } = readFacts(database)
  const named = header.readUInt32BE(field.largestRoot)
  return version === header.readUInt32BE(field.userVersion) && [0, largestRoot].includes(named)
}

function overwriteHeader(path: string, header: Buffer): void {
  const file = openSync(path, 'r+')
  try {
    writeSync(file, header, 0, header.length, 0)
  } finally {
    closeSync(file)
  }
}

function readFacts(database: Database): { version: number | null; largestRoot: number } {
  const root = database.prepare('SELECT max(rootpage) AS root FROM sqlite_schema').get()?.['root']
  return { version: versionBySchema(database), largestRoot: Number(root) }
}

export function versionBySchema(database: Database): number | null {
  const isOf = (version: number) => findSchemaDifference(database, version) === null
  const stored = pragmaNumber(database, 'user_version')
  if (stored >= 1 && stored <= latestVersion && isOf(stored)) return stored
  for (let version = latestVersion; version >= 1; version -= 1) if (isOf(version)) return version
  return null
}

function inCopy<T>(path: string, work: (database: Database) => T): T {
  using database = openDatabase(path)
  return work(database)
}

function integrityOf(path: string): string[] {
  const findings = inCopy(path, (database) => database.prepare('PRAGMA integrity_check').all())
  return findings.flatMap((row) => String(Object.values(row)[0]).split('\n'))
}

const isWhole = (path: string): boolean => integrityOf(path).join() === 'ok'

/** VACUUM drops free pages that the freelist does not name, because it copies only pages in use. */
function isWholeButFreelist(path: string, header: Buffer): boolean {
  header.writeUInt32BE(0, field.freelistTrunk)
  header.writeUInt32BE(0, field.freelistPages)
  overwriteHeader(path, header)
  const aboutFreePages = /^(?:ok|\*\*\* in database main \*\*\*|Page \d+: never used)$/
  if (!integrityOf(path).every((finding) => aboutFreePages.test(finding))) return false
  inCopy(path, (database) => database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM'))
  return isWhole(path)
}
