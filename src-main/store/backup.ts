import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupFile } from '../../src-preload/contract/index.ts'
import { AppError, appCodes } from '../../src-preload/contract/index.ts'
import { removeDatabase } from './capture-index/schema.ts'
import { isDamage, openDatabase, pragmaNumber } from './database.ts'
import { applicationId, latestVersion, tooNew } from './migrate.ts'
import { moveAside } from './rescue.ts'

export type BackupReason = BackupFile['reason']

const pattern = /^tondesk-\d{8}T\d{9}Z-(manual|migration|restore)\.db$/

/** `tondesk-20261120T190500123Z-manual.db`: sorts by time and says why it was made. */
export function backupName(now: Date, reason: BackupReason): string {
  return `tondesk-${now.toISOString().replaceAll(/[-:.]/g, '')}-${reason}.db`
}

/** Newest first. */
export function listBackups(directory: string): BackupFile[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .flatMap((name) => {
      const reason = pattern.exec(name)?.[1] as BackupReason | undefined
      if (reason === undefined) return []
      const path = join(directory, name)
      const { size, mtimeMs } = statSync(path)
      return [{ name, path, bytes: size, createdAt: Math.round(mtimeMs), reason }]
    })
    .sort((a, b) => b.name.localeCompare(a.name))
}

/** Copies a database that nobody is writing to, with what its write-ahead log still holds. */
export function copyDatabase(from: string, to: string): void {
  const partial = partialPath(to)
  rmSync(partial, { force: true })
  const database = openDatabase(from, { readOnly: true })
  try {
    database.prepare('VACUUM INTO ?').run(partial)
  } finally {
    database.close()
  }
  renameSync(partial, to)
}

/** Where a backup is written until it is whole: no half of one is ever listed. */
export function partialPath(to: string): string {
  return `${to}.partial`
}

/**
 * Looks a backup over before it may replace anything.
 * @throws AppError BACKUP_INVALID, DATABASE_TOO_NEW
 */
export function checkBackup(path: string): void {
  let problem: string | null
  try {
    const database = openDatabase(path, { readOnly: true })
    try {
      const version = pragmaNumber(database, 'user_version')
      if (pragmaNumber(database, 'application_id') !== applicationId) {
        problem = 'it is not a Tondesk database'
      } else if (version > latestVersion) {
        throw tooNew(version)
      } else {
        const finding = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})[0]
        problem = finding === 'ok' ? null : `it is damaged (${String(finding)})`
      }
    } finally {
      database.close()
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    problem = error instanceof Error ? error.message : String(error)
  }
  if (problem === null) return
  throw new AppError(appCodes.backupInvalid, `This backup cannot be restored: ${problem}.`)
}

/**
 * Puts a checked backup in the place of the database, which nobody may have open. What was there is
 * kept: as a backup of its own, or set aside where it is too damaged for that. A kill at any moment
 * leaves the old database or the new one, as long as it is then called again.
 */
export function putInPlace(
  backup: string,
  database: string,
  keep: { readonly asBackup: string; readonly ifDamaged: string },
): void {
  const incoming = `${database}.incoming`
  rmSync(incoming, { force: true })
  copyFileSync(backup, incoming)
  if (existsSync(database) && !copied(database, keep.asBackup)) {
    moveAside(database, keep.ifDamaged)
  }
  // Also where only its write-ahead log is left: that would be played into the new one.
  removeDatabase(database)
  renameSync(incoming, database)
}

function copied(from: string, to: string): boolean {
  try {
    copyDatabase(from, to)
    return true
  } catch (error) {
    if (!isDamage(error)) throw error
    rmSync(partialPath(to), { force: true })
    return false
  }
}
