import { rmSync } from 'node:fs'
import { type Database, openDatabase, transaction } from './database.ts'

export function copyInto(database: Database, file: string): void {
  rmSync(file, { force: true })
  database.prepare('VACUUM INTO ?').run(file)
}

/**
 * Replaces all rows with those of a copy in one transaction; prepared statements stay valid.
 * @throws NewerDatabaseError
 */
export function replaceFrom(database: Database, file: string): void {
  // Migrates a copy of an older version first.
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

/** Includes the counters of AUTOINCREMENT. */
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
