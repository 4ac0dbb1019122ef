import { DatabaseSync } from 'node:sqlite'
import { migrations } from './migrations/index.ts'
import { transaction as ownTransaction } from '../../database/database.ts'

export type Database = DatabaseSync

/** The sandbox was given a file that a newer Tondesk has written. */
export class NewerDatabaseError extends Error {}

/**
 * Opens one network's file and brings its tables up to date. NORMAL: a killed process loses nothing
 * that was committed; a power cut may lose the last moments of play money.
 * @throws NewerDatabaseError
 */
export function openDatabase(path: string): Database {
  const database = new DatabaseSync(path, { timeout: 5_000 })
  try {
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
       PRAGMA trusted_schema = OFF;`,
    )
    migrate(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function migrate(database: Database): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  if (version > migrations.length) {
    throw new NewerDatabaseError('The sandbox data was written by a newer Tondesk.')
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue
    transaction(database, () => {
      database.exec(sql)
      database.exec(`PRAGMA user_version = ${index + 1}`)
    })
  }
}

/** All of it or none. Joins the transaction that is open already, if one is. */
export function transaction<T>(database: Database, work: () => T): T {
  return database.isTransaction ? work() : ownTransaction(database, work)
}
