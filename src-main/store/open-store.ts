import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, appCodes } from '../../src-preload/contract/index.ts'
import { backupName, checkBackup, copyDatabase, listBackups, putInPlace } from './backup.ts'
import { removeDatabase } from './capture-index/schema.ts'
import type { Database } from './database.ts'
import { isDamage, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import type { Rescue } from './rescue.ts'
import { finishRescue, rescueDatabase } from './rescue.ts'

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
  /** Name of the backup that was put in place, when one had been asked for. */
  readonly restored: string | null
}

/** Backups made by migrations pile up slowly; these many are kept. */
const keptMigrationBackups = 3

/**
 * Opens the database of a data directory this process holds: puts a backup in place that was asked
 * for, rescues a damaged file, migrates after a backup.
 * @param steps the migrations; others in tests only
 * @throws AppError DATABASE_TOO_NEW (the file untouched), DATABASE_UNWRITABLE, BACKUP_INVALID
 */
export function openStore(paths: StorePaths, now: Date, steps = migrations): OpenedStore {
  try {
    finishRescue(paths.database, asideDirectory(paths, now))
    const restored = restorePending(paths, now)
    const mustRescue = existsSync(paths.pendingRescue) || wasEmptied(paths)
    if (mustRescue) return rescueAndOpen(paths, now, restored, steps)
    try {
      return { database: openAndMigrate(paths, now, steps), rescue: null, restored }
    } catch (error) {
      if (!isDamage(error)) throw error
      return rescueAndOpen(paths, now, restored, steps)
    }
  } catch (error) {
    throw error instanceof AppError ? error : unwritable(paths.directory, error)
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
  restored: string | null,
  steps: typeof migrations,
): OpenedStore {
  const rescue = rescueDatabase(paths.database, asideDirectory(paths, now))
  // The index was made from what is gone now.
  removeDatabase(paths.index)
  rmSync(paths.pendingRescue, { force: true })
  return { database: openAndMigrate(paths, now, steps), rescue, restored }
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

/** Reads all that the start is going to: damage there shows here, where it can be dealt with. */
function readThrough(database: Database): void {
  database
    .prepare(
      `SELECT (SELECT min(id) FROM captures), (SELECT max(id) FROM captures),
         (SELECT count(*) FROM captures INDEXED BY captures_by_time),
         (SELECT count(pinned) FROM capture_marks), (SELECT count(value) FROM settings),
         (SELECT count(label) FROM webhook_tokens), (SELECT max(seq) FROM capture_deletions),
         (SELECT count(origin) FROM capture_origins),
         (SELECT count(name) FROM custom_networks), (SELECT count(hint) FROM network_secrets)`,
    )
    .get()
}

const pendingRestore = z.object({ name: z.string() })

function readPendingRestore(file: string): string | null {
  try {
    return pendingRestore.parse(JSON.parse(readFileSync(file, 'utf8'))).name
  } catch {
    // Cut short while it was written: nothing was promised yet.
    return null
  }
}

/** A restore is carried out here, before anything has the database open. */
function restorePending(paths: StorePaths, now: Date): string | null {
  if (!existsSync(paths.pendingRestore)) return null
  try {
    const name = readPendingRestore(paths.pendingRestore)
    const file = listBackups(paths.backups).find((backup) => backup.name === name)
    if (file === undefined) return null
    checkBackup(file.path)
    putInPlace(file.path, paths.database, {
      asBackup: join(paths.backups, backupName(now, 'restore')),
      ifDamaged: asideDirectory(paths, now),
    })
    // What was damaged is no longer there to be rescued.
    rmSync(paths.pendingRescue, { force: true })
    removeDatabase(paths.index)
    return file.name
  } finally {
    rmSync(paths.pendingRestore, { force: true })
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
