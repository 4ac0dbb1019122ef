import { DatabaseSync } from 'node:sqlite'

/**
 * Holds the sandbox's data directory for this process: the system's own file lock, taken through
 * SQLite, so that it ends with the process however that ends.
 * @returns the way to let go, or null when another process holds it
 */
export function lockDirectory(lockFile: string): (() => void) | null {
  const database = new DatabaseSync(lockFile, { timeout: 0 })
  try {
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;')
  } catch (error) {
    database.close()
    if (error instanceof Error && /locked|busy/i.test(error.message)) return null
    throw error
  }
  return () => {
    database.close()
  }
}
