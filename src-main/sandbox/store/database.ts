import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { migrations } from './migrations/index.ts'
import { transaction as ownTransaction, pragmaNumber } from '../../database/database.ts'
import { type Codec, createSql } from '../../database/sql.ts'

export type Database = DatabaseSync

export class NewerDatabaseError extends Error {}

/**
 * Opens the file of one network and updates its tables. NORMAL means that a killed process loses
 * nothing that was committed; a power cut may lose the last moments of play money.
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
  const version = pragmaNumber(database, 'user_version')
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

/** Runs all writes or none. Joins a transaction that is already open. */
export const transaction = <T>(database: Database, work: () => T): T =>
  database.isTransaction ? work() : ownTransaction(database, work)

/** Stores integers that may exceed SQLite's 64 bits as decimal text. */
export const decimalCodec: Codec<bigint> = {
  decode: (stored) => BigInt(stored as string),
  encode: String,
}

export type ControlStore = ReturnType<typeof createControlStore>

/** Stores named JSON values. Read them again after a revert. */
export function createControlStore(database: Database) {
  const sql = createSql(database)
  return {
    get(name: string): unknown {
      const text = sql.value<string>('SELECT value FROM control WHERE name = ?', name)
      return text === null ? undefined : JSON.parse(text)
    },
    set: (name: string, value: unknown) =>
      sql.upsert('control', { name }, { value: JSON.stringify(value) }),
  }
}

export function copyInto(database: Database, file: string): void {
  rmSync(file, { force: true })
  database.prepare('VACUUM INTO ?').run(file)
}

/**
 * Replaces all rows, except the call log, by those of a copy in one transaction; prepared statements stay valid.
 * @throws NewerDatabaseError
 */
export function replaceFrom(database: Database, file: string): void {
  openDatabase(file).close()
  database.prepare('ATTACH ? AS copy').run(file)
  try {
    transaction(database, () => {
      database.exec('PRAGMA defer_foreign_keys = ON')
      for (const table of tablesOf(database)) {
        const columns = columnsOf(database, table)
        database.exec(`DELETE FROM main."${table}"`)
        database.exec(
          `INSERT INTO main."${table}" (${columns}) SELECT ${columns} FROM copy."${table}"`,
        )
      }
    })
  } finally {
    database.exec('DETACH copy')
  }
}

const tablesOf = (database: Database): string[] =>
  createSql(database).column(
    `SELECT name FROM main.sqlite_schema
     WHERE type = 'table' AND name <> 'calls' AND (name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR name = 'sqlite_sequence')
     ORDER BY name = 'sqlite_sequence'`,
  )

const columnsOf = (database: Database, table: string): string =>
  createSql(database)
    .column<string>('SELECT name FROM pragma_table_info(?)', table)
    .map((name) => `"${name}"`)
    .join(', ')
