import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupFile } from '../../src-preload/contract/app.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import { nextCaptureId } from '../captures/store/capture-deletion.ts'
import { type Database, makeFilesPrivate, openDatabase, pragmaNumber } from './database.ts'
import { applicationId, latestVersion, migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'

type BackupReason = BackupFile['reason']

const pattern = /^tondesk-\d{8}T\d{9}Z-(manual|migration|restore)\.db$/

/** Example: `tondesk-20261120T190500123Z-manual.db`. The name sorts by time. */
export const backupName = (now: Date, reason: BackupReason): string =>
  `tondesk-${now.toISOString().replaceAll(/[-:.]/g, '')}-${reason}.db`

export function listBackups(directory: string): BackupFile[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .flatMap((name) => {
      const reason = pattern.exec(name)?.[1] as BackupReason | undefined
      if (reason === undefined) return []
      const path = join(directory, name)
      const found = statSync(path, { throwIfNoEntry: false })
      if (found?.isFile() !== true) return []
      const { size, mtimeMs } = found
      return [{ name, path, bytes: size, createdAt: Math.round(mtimeMs), reason }]
    })
    .sort((a, b) => (a.name < b.name ? 1 : -1))
}

export function copyDatabase(from: string, to: string): void {
  const partial = partialPath(to)
  rmSync(partial, { force: true })
  // SQLite would create the file with the default mode, so an empty private file is created first.
  makeFilesPrivate(partial)
  using database = openDatabase(from, { readOnly: true })
  database.prepare('VACUUM INTO ?').run(partial)
  renameSync(partial, to)
}

/** An unfinished backup has this name, so that it is never listed. */
export const partialPath = (to: string): string => `${to}.partial`

/**
 * Checks a file before it may replace the data. The schema is compared before any row is read, so that no
 * foreign trigger, view or expression runs.
 * @throws AppError BACKUP_INVALID, DATABASE_TOO_NEW
 */
export function checkBackup(path: string): void {
  let problem: string | null
  try {
    using database = openDatabase(path, { readOnly: true })
    problem = findProblem(database)
  } catch (error) {
    if (error instanceof AppError) throw error
    const message = messageOf(error)
    problem = /not a database/.test(message)
      ? 'it is not a Tondesk database, or its beginning is damaged'
      : `it is damaged (${message})`
  }
  if (problem !== null) throw invalidBackup(problem)
}

/** The contents of a checked backup, so that the user can recognize it. */
export function readBackupFacts(path: string): { captures: number; newestAt: number | null } {
  using database = openDatabase(path, { readOnly: true })
  const row = database
    .prepare('SELECT count(*) AS captures, max(received_at) AS newest FROM captures')
    .get()
  const newest = row?.['newest'] ?? null
  return { captures: Number(row?.['captures']), newestAt: newest === null ? null : Number(newest) }
}

export const invalidBackup = (problem: string): AppError =>
  new AppError(appCodes.backupInvalid, `This backup cannot be used: ${problem}.`)

function findProblem(database: Database): string | null {
  if (pragmaNumber(database, 'application_id') !== applicationId) {
    return 'it is not a Tondesk database'
  }
  const version = pragmaNumber(database, 'user_version')
  if (version > latestVersion) {
    throw new AppError(
      appCodes.databaseTooNew,
      `A newer version of Tondesk made this backup (format ${version}; this version reads up to ${latestVersion}). ` +
        'Nothing was changed. To restore the backup, install the newer Tondesk.',
    )
  }
  const difference = findSchemaDifference(database, version)
  if (difference !== null) return difference
  const finding = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})[0]
  if (finding !== 'ok') return `it is damaged (${String(finding)})`
  return findOutOfBounds(database)
}

/**
 * @returns the first difference from a new database of the same version, as the rest of a sentence after
 * "because"; null when the schemas are equal
 */
export function findSchemaDifference(database: Database, version: number): string | null {
  using fresh = openDatabase(':memory:')
  migrate(fresh, () => undefined, migrations.slice(0, version))
  const expected = new Map(schemaOf(fresh))
  for (const [name, sql] of schemaOf(database)) {
    const own = expected.get(name)
    if (own === undefined) return `its ${name} is not part of a Tondesk database of this version`
    if (own !== sql) return `its ${name} differs from Tondesk’s own`
    // A second object with this name then counts as foreign.
    expected.delete(name)
  }
  const [missing] = expected.keys()
  return missing === undefined ? null : `its ${missing} is missing`
}

const schemaOf = (database: Database): [name: string, sql: string][] =>
  database
    .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name')
    .all()
    .map(({ type, name, tbl_name: table, sql }) => [
      `${String(type)} ${String(name)}`,
      `${String(table)} ${String(sql).replaceAll(/\s+/g, ' ')}`,
    ])

/** JavaScript numbers are exact up to this id and leave room for new rows. */
const maxId = BigInt(Number.MAX_SAFE_INTEGER) - 2n ** 40n

/** An id that JavaScript cannot represent, or that leaves no id for the next row, would crash the app. */
function findOutOfBounds(database: Database): string | null {
  const outside = ({ low, high }: Record<string, unknown>, least: bigint) =>
    (typeof low === 'bigint' && low < least) || (typeof high === 'bigint' && high > maxId)
  const bounds = (table: string, column: string) => {
    const found = database.prepare(
      `SELECT min(${column}) AS low, max(${column}) AS high FROM ${table}`,
    )
    found.setReadBigInts(true)
    return found.get() ?? {}
  }
  const keys = database.prepare(
    `SELECT m.name AS "table", max(c.name) AS "column" FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
     WHERE m.type = 'table' AND c.pk > 0 GROUP BY m.name
     HAVING count(*) = 1 AND max(upper(c.type)) = 'INTEGER'`,
  )
  const columns = [
    ...keys.all().map((row) => [String(row['table']), String(row['column'])] as const),
    ['sqlite_sequence', 'seq'],
    ['captures', 'received_at'],
    ['captures', 'duration_us'],
    ['captures', 'body_bytes'],
  ] as const
  for (const [table, column] of columns) {
    // A duration of -1 means unknown.
    if (outside(bounds(table, column), column === 'duration_us' ? -1n : 0n))
      return `a value of ${table}.${column} is out of bounds`
  }
  if (BigInt(nextCaptureId(database)) > maxId)
    return 'the id of its newest capture is out of bounds'
  return null
}
