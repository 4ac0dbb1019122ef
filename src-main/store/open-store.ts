import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, appCodes } from '../../src-preload/contract/index.ts'
import { backupName, checkBackup, copyDatabase, listBackups, putInPlace } from './backup.ts'
import { removeDatabase } from './capture-index/schema.ts'
import type { Database } from './database.ts'
import { isDamage, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import type { Rescue } from './rescue.ts'
import { rescueDatabase } from './rescue.ts'

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
 * @throws AppError DATABASE_TOO_NEW (the file untouched), DATABASE_UNWRITABLE
 */
export function openStore(paths: StorePaths, now: Date): OpenedStore {
  const restored = restorePending(paths, now)
  const wanted = existsSync(paths.pendingRescue)
  let rescue: Rescue | null = null
  if (wanted) rescue = rescueNow(paths, now)
  try {
    return { database: openAndMigrate(paths, now), rescue, restored }
  } catch (error) {
    if (error instanceof AppError) throw error
    if (!isDamage(error) || rescue !== null) throw unwritable(paths.directory, error)
    rescue = rescueNow(paths, now)
    return { database: openAndMigrate(paths, now), rescue, restored }
  }
}

function openAndMigrate(paths: StorePaths, now: Date): Database {
  const database = openDatabase(paths.database)
  try {
    migrate(database, () => {
      mkdirSync(paths.backups, { recursive: true, mode: 0o700 })
      copyDatabase(paths.database, join(paths.backups, backupName(now, 'migration')))
      const old = listBackups(paths.backups).filter((file) => file.reason === 'migration')
      for (const file of old.slice(keptMigrationBackups)) rmSync(file.path)
    })
    // Reads the schema and both ends of the log: most damage shows here, not in mid-flight.
    database.prepare('SELECT (SELECT min(id) FROM captures), (SELECT max(id) FROM captures)').get()
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function rescueNow(paths: StorePaths, now: Date): Rescue {
  const aside = join(paths.directory, `damaged-${now.toISOString().replaceAll(/[-:.]/g, '')}`)
  const rescue = rescueDatabase(paths.database, aside)
  // The index was made from what is gone now.
  removeDatabase(paths.index)
  rmSync(paths.pendingRescue, { force: true })
  return rescue
}

const pendingRestore = z.object({ name: z.string() })

/** A restore is carried out here, before anything has the database open. */
function restorePending(paths: StorePaths, now: Date): string | null {
  if (!existsSync(paths.pendingRestore)) return null
  try {
    const { name } = pendingRestore.parse(JSON.parse(readFileSync(paths.pendingRestore, 'utf8')))
    const file = listBackups(paths.backups).find((backup) => backup.name === name)
    if (file === undefined) return null
    checkBackup(file.path)
    putInPlace(file.path, paths.database, join(paths.backups, backupName(now, 'restore')))
    removeDatabase(paths.index)
    return name
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
