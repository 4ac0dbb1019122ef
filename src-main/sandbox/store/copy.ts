import { rmSync } from 'node:fs'
import { type Database, openDatabase, transaction } from './database.ts'

/** Writes the database, as it is now, into a new file. */
export function copyInto(database: Database, file: string): void {
  rmSync(file, { force: true })
  database.prepare('VACUUM INTO ?').run(file)
}

/**
 * Puts the contents of a copy in the place of what every table holds, in one transaction: the
 * connection and its prepared statements stay as they are.
 * @throws NewerDatabaseError
 */
export function replaceFrom(database: Database, file: string): void {
  // A copy an older Tondesk has made is brought up to date first.
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

/** All that hold something, the counters of AUTOINCREMENT included. */
function tablesOf(database: Database): string[] {
  return database
    .prepare(
      `SELECT name FROM main.sqlite_schema
       WHERE type = 'table' AND (name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR name = 'sqlite_sequence')`,
    )
    .all()
    .map((row) => String(row['name']))
    .sort((one, other) => Number(one === 'sqlite_sequence') - Number(other === 'sqlite_sequence'))
}

function columnsOf(database: Database, table: string): string {
  return database
    .prepare(`SELECT name FROM pragma_table_info(?)`)
    .all(table)
    .map((row) => `"${String(row['name'])}"`)
    .join(', ')
}
