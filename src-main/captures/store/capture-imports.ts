import type { Database } from '../../database/database.ts'

/** Finds what an import has put into the log, by what its captures were made from. */
export function createCaptureImports(database: Database) {
  const made = database.prepare(
    `SELECT capture_id FROM capture_origins
     WHERE capture_id > ? AND origin = 'imported' AND made_from = ? ORDER BY capture_id LIMIT ?`,
  )
  return {
    /** Ids newer than `after`, ascending. */
    madeFrom: (from: string, after: number, limit: number): number[] =>
      made.all(after, from, limit).map((row) => Number(row['capture_id'])),
  }
}
