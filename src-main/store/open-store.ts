import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, appCodes } from '../../src-preload/contract/index.ts'
import { backupName, copyDatabase, listBackups } from './backup.ts'
import { removeDatabase } from './capture-index/schema.ts'
import type { Database } from './database.ts'
import { isDamage, openDatabase } from './database.ts'
import { migrate, readThrough } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import type { Rescue } from './rescue.ts'
import { finishRescue, rescueDatabase } from './rescue.ts'
import type { RestoreOutcome } from './restore.ts'
import { carryOutRestore, noteFailedStart } from './restore.ts'

export type StorePaths = {
  readonly directory: string
  readonly database: string
  readonly index: string
  readonly backups: string
  readonly pendingRestore: string
  readonly pendingRescue: string
}

export type OpenedStore = {
  readonly database: Database
  /** Set when the database was found damaged and was made anew. */
  readonly rescue: Rescue | null
  /** What became of a restore, when one had been asked for. */
  readonly restore: RestoreOutcome | null
}

/** Backups made by migrations pile up slowly; these many are kept. */
const keptMigrationBackups = 3

/**
 * Opens the database of a data directory this process holds: puts a backup in place that was asked
 * for (and the data from before, when the first start with it failed), rescues a damaged file, migrates after a backup.
 * @param steps the migrations; others in tests only
 * @throws AppError DATABASE_TOO_NEW (the file untouched), DATABASE_UNWRITABLE
 */
export function openStore(paths: StorePaths, now: Date, steps = migrations): OpenedStore {
  try {
    const aside = asideDirectory(paths, now)
    finishRescue(paths.database, aside)
    const restore = carryOutRestore(paths, now, aside)
    try {
      return { ...open(paths, now, steps), restore }
    } catch (error) {
      if (!noteFailedStart(paths, error)) throw error
      const failed = carryOutRestore(paths, now, aside)
      return { ...open(paths, now, steps), restore: failed }
    }
  } catch (error) {
    throw error instanceof AppError ? error : unwritable(paths.directory, error)
  }
}

function open(paths: StorePaths, now: Date, steps: typeof migrations) {
  const mustRescue = existsSync(paths.pendingRescue) || wasEmptied(paths)
  if (mustRescue) return rescueAndOpen(paths, now, steps)
  try {
    return { database: openAndMigrate(paths, now, steps), rescue: null }
  } catch (error) {
    if (!isDamage(error)) throw error
    return rescueAndOpen(paths, now, steps)
  }
}

/** True for a file of no length where there has been more: the index is only made after it. */
function wasEmptied({ database, index }: StorePaths): boolean {
  return statSync(database, { throwIfNoEntry: false })?.size === 0 && existsSync(index)
}

function asideDirectory({ directory }: StorePaths, now: Date): string {
  return join(directory, `damaged-${now.toISOString().replaceAll(/[-:.]/g, '')}`)
}

function rescueAndOpen(
  paths: StorePaths,
  now: Date,
  steps: typeof migrations,
): Omit<OpenedStore, 'restore'> {
  const rescue = rescueDatabase(paths.database, asideDirectory(paths, now))
  // The index was made from what is gone now.
  removeDatabase(paths.index)
  rmSync(paths.pendingRescue, { force: true })
  return { database: openAndMigrate(paths, now, steps), rescue }
}

function openAndMigrate(paths: StorePaths, now: Date, steps: typeof migrations): Database {
  const database = openDatabase(paths.database)
  try {
    migrate(
      database,
      () => {
        mkdirSync(paths.backups, { recursive: true, mode: 0o700 })
        copyDatabase(paths.database, join(paths.backups, backupName(now, 'migration')))
        const old = listBackups(paths.backups).filter((file) => file.reason === 'migration')
        for (const file of old.slice(keptMigrationBackups)) rmSync(file.path)
      },
      steps,
    )
    readThrough(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function unwritable(directory: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new AppError(
    appCodes.databaseUnwritable,
    `The data directory ${directory} cannot be used (${reason}). ` +
      'Check its permissions and the free space of its disk, or name another one with --data-dir.',
    { cause },
  )
}
