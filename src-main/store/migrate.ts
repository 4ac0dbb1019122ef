import { AppError, appCodes } from '../../src-preload/contract/index.ts'
import type { Database } from './database.ts'
import { pragmaNumber, transaction } from './database.ts'
import { migrations } from './migrations/index.ts'

/** 'TOND': tells our files from any other SQLite database. */
export const applicationId = 0x544f4e44

export const latestVersion = migrations.length

/**
 * Brings a database to the latest version, one transaction a migration.
 * @param beforeMigration called once, with the old version, when an existing database is to change
 * @param steps all there are; others in tests only
 * @throws AppError DATABASE_TOO_NEW, with the file untouched
 */
export function migrate(
  database: Database,
  beforeMigration: (version: number) => void,
  steps = migrations,
): void {
  const version = pragmaNumber(database, 'user_version')
  if (version > steps.length) throw tooNew(version)
  if (version === steps.length) return
  if (version > 0) beforeMigration(version)
  for (const [index, sql] of steps.entries()) {
    if (index < version) continue
    transaction(database, () => {
      database.exec(sql)
      database.exec(`PRAGMA user_version = ${index + 1}; PRAGMA application_id = ${applicationId};`)
    })
  }
}

export function tooNew(version: number): AppError {
  return new AppError(
    appCodes.databaseTooNew,
    `This data was written by a newer Tondesk (format ${version}; this one reads up to ${latestVersion}). ` +
      'It was left untouched. Install the newer Tondesk, or choose another data directory.',
  )
}
