import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { type Database, pragmaNumber, transaction } from './database.ts'
import { migrations } from './migrations/index.ts'

export const applicationId = 0x544f4e44

export const latestVersion = migrations.length

/**
 * Brings a database to the latest version, with one transaction per migration.
 * @param beforeMigration called once with the old version before an existing database changes
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
  const migrateTo = (to: number): void =>
    transaction(database, () => {
      for (const sql of steps.slice(pragmaNumber(database, 'user_version'), to)) database.exec(sql)
      database.exec(`PRAGMA user_version = ${to}; PRAGMA application_id = ${applicationId};`)
    })
  // A new database contains no data to lose, so all its migrations share one transaction and one sync.
  for (let to = version === 0 ? steps.length : version + 1; to <= steps.length; to += 1)
    migrateTo(to)
}

/** Reads everything that the start will read, so that damage is detected where it can be handled. */
export function readAllPages(database: Database): void {
  database
    .prepare(
      `SELECT (SELECT min(id) FROM captures), (SELECT max(id) FROM captures),
         (SELECT count(*) FROM captures INDEXED BY captures_by_time),
         (SELECT count(pinned) FROM capture_marks), (SELECT count(value) FROM settings),
         (SELECT count(label) FROM webhook_tokens), (SELECT max(seq) FROM capture_deletions),
         (SELECT count(origin) FROM capture_origins),
         (SELECT count(name) FROM custom_networks), (SELECT count(hint) FROM network_secrets),
         (SELECT count(snoozed_until) FROM incidents)`,
    )
    .get()
}

function tooNew(version: number): AppError {
  return new AppError(
    appCodes.databaseTooNew,
    `A newer version of Tondesk wrote this data (format ${version}; this version reads up to ${latestVersion}). ` +
      'The data was not changed. Install the newer Tondesk, or choose another data directory.',
  )
}
