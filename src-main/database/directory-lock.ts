import { truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isDamage } from './database.ts'

/**
 * Locks a data directory for this process. SQLite takes the operating system's file lock, which ends with
 * the process and works on every platform.
 * @returns a function that unlocks it; null when another process holds the lock
 */
export function lockDirectory(lockFile: string): (() => void) | null {
  try {
    return lock(lockFile)
  } catch (error) {
    if (!isDamage(error)) throw error
    // The lock file stays empty. It is not deleted, because another process may hold this very file.
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
