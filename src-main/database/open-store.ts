import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { backupName, copyDatabase, listBackups } from './backup.ts'
import { nextCaptureId } from '../captures/store/capture-deletion.ts'
import { readIndexedTo, removeDatabase } from '../captures/store/index/schema.ts'
import {
  type Database,
  DamageError,
  isDamage,
  isDiskFull,
  makeFilesPrivate,
  openDatabase,
  pragmaNumber,
} from './database.ts'
import { openPages } from './damaged-pages.ts'
import { isSoundHeader, versionBySchema, versionInHeader } from './file-header.ts'
import { migrate, readAllPages } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { type Rescue, type RescueOptions, finishRescue, rescueDatabase } from './rescue.ts'
import {
  type RestoreOutcome,
  type RestorePaths,
  carryOutRestore,
  noteFailedStart,
} from './restore.ts'

type StorePaths = RestorePaths & { readonly directory: string }

type OpenStoreOptions = RescueOptions & {
  readonly steps?: typeof migrations
}

export type OpenedStore = {
  readonly database: Database
  readonly rescue: Rescue | null
  /**
   * Number of newest captures that may be missing although no damage is visible: the database or its
   * write-ahead log was deleted, cut or replaced by an older file.
   */
  readonly missing: number
  readonly newestBackup: string | null
  readonly restore: RestoreOutcome | null
}

const keptMigrationBackups = 3

/**
 * The last format that Tondesk 0.1 wrote. A backup in this format is never deleted, because 0.1 can open
 * no newer one.
 */
const formatOfFirstRelease = 21

/**
 * Opens the database of a locked data directory: carries out a requested restore or reverts one whose
 * first start failed, rescues a damaged file, and backs up before migrating.
 * @throws AppError DATABASE_TOO_NEW (the file untouched), DATABASE_UNWRITABLE, DISK_FULL, START_STOPPED
 */
export async function openStore(
  paths: StorePaths,
  now: Date,
  { steps = migrations, ...options }: OpenStoreOptions = {},
): Promise<OpenedStore> {
  try {
    const aside = asideDirectory(paths, now)
    finishRescue(paths.database, aside)
    const restore = carryOutRestore(paths, now, aside)
    const backups = listBackups(paths.backups)
    // Earlier versions created backups that other users could read.
    for (const { path } of backups) makeFilesPrivate(path)
    const newestBackup = backups[0]?.name ?? null
    try {
      return { ...(await open(paths, now, steps, options)), restore, newestBackup }
    } catch (error) {
      if (!noteFailedStart(paths, error)) throw error
      const failed = carryOutRestore(paths, now, aside)
      return { ...(await open(paths, now, steps, options)), restore: failed, newestBackup }
    }
  } catch (error) {
    throw error instanceof AppError ? error : explainFailedStart(error, paths.directory)
  }
}

async function open(
  paths: StorePaths,
  now: Date,
  steps: typeof migrations,
  options: RescueOptions,
): Promise<Pick<OpenedStore, 'database' | 'rescue' | 'missing'>> {
  const indexedTo = readIndexedTo(paths.index)
  if (!existsSync(paths.pendingRescue) && !isDamaged(paths)) {
    try {
      const database = openAndMigrate(paths, now, steps)
      return { database, rescue: null, missing: noteMissing(database, indexedTo, paths.index) }
    } catch (error) {
      if (!isDamage(error)) throw error
    }
  }
  const rescue = await rescueDatabase(paths.database, asideDirectory(paths, now), options)
  removeDatabase(paths.index)
  rmSync(paths.pendingRescue, { force: true })
  const database = openAndMigrate(paths, now, steps)
  return { database, rescue, missing: noteMissing(database, indexedTo, paths.index) }
}

/**
 * @returns number of captures that the index has read and the database does not know
 * @throws DamageError when the captures' last page is damaged, where the newest id is unreadable
 */
function noteMissing(database: Database, indexedTo: number | null, index: string): number {
  const missing = (indexedTo ?? 0) - (nextCaptureId(database) - 1)
  if (missing <= 0) return 0
  const found = database.prepare(`PRAGMA quick_check('captures')`).get()?.['quick_check']
  if (found !== 'ok') {
    database.close()
    throw new DamageError(String(found))
  }
  removeDatabase(index)
  return missing
}

/**
 * True for files that SQLite would open silently or refuse for a misleading reason: a damaged header, a
 * write-ahead log readable in part only, a page cut off, an emptied file.
 */
function isDamaged(paths: StorePaths): boolean {
  const found = statSync(paths.database, { throwIfNoEntry: false })
  // Before the first start no file exists. An empty file without an index was never written.
  if (found === undefined || !found.isFile()) return false
  if (found.size === 0) return existsSync(paths.index)
  using pages = openPages(paths.database)
  return pages.isLogDamaged || pages.isCutWithinPage || !isSoundHeader(pages)
}

const asideDirectory = ({ directory }: StorePaths, now: Date): string =>
  join(directory, `damaged-${now.toISOString().replaceAll(/[-:.]/g, '')}`)

function openAndMigrate(paths: StorePaths, now: Date, steps: typeof migrations): Database {
  const database = openDatabase(paths.database)
  try {
    checkVersion(database, steps)
    migrate(
      database,
      () => {
        mkdirSync(paths.backups, { recursive: true, mode: 0o700 })
        copyDatabase(paths.database, join(paths.backups, backupName(now, 'migration')))
        pruneMigrationBackups(paths.backups)
      },
      steps,
    )
    readAllPages(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function pruneMigrationBackups(directory: string): void {
  const made = listBackups(directory).filter((file) => file.reason === 'migration')
  for (const { path } of made.slice(keptMigrationBackups)) {
    if (versionInHeader(path) !== formatOfFirstRelease) rmSync(path)
  }
}

/**
 * Each migration changes the schema, so a version that does not fit the schema is damage.
 * @throws DamageError
 */
function checkVersion(database: Database, steps: typeof migrations): void {
  const version = pragmaNumber(database, 'user_version')
  if (version === steps.length || isEmpty(database)) return
  const bySchema = versionBySchema(database)
  if (bySchema === null || bySchema === version) return
  throw new DamageError(`The version of the database is damaged: ${version} instead of ${bySchema}`)
}

const isEmpty = (database: Database): boolean =>
  database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined

/** @param cause why the app cannot start with this data directory */
export function explainFailedStart(cause: unknown, directory: string): AppError {
  if (isDiskFull(cause, [directory])) {
    return new AppError(
      appCodes.diskFull,
      `The disk with ${directory} is full. Free some space, then start Tondesk again.`,
      { cause },
    )
  }
  return new AppError(
    appCodes.databaseUnwritable,
    `The data directory ${directory} cannot be used (${messageOf(cause)}). ` +
      'Check its permissions and its disk, or choose another directory with --data-dir.',
    { cause },
  )
}
