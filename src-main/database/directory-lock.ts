import { truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isDamage } from './database.ts'

/**
 * Holds a data directory for this process. The operating system's own file lock, taken through
 * SQLite, so that it ends with the process however that ends and works on every platform.
 * @returns the way to let go, or null when another process holds it
 */
export function lockDirectory(lockFile: string): (() => void) | null {
  try {
    return lock(lockFile)
  } catch (error) {
    if (!isDamage(error)) throw error
    // Nothing is kept in it. Emptied and not deleted, since another process may hold this very file.
    truncateSync(lockFile)
    return lock(lockFile)
  }
}

function lock(lockFile: string): (() => void) | null {
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
