import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { z } from 'zod'

/**
 * Stores state outside the database in a small JSON file, because it is read before the database
 * opens or after the app crashed. The state is not essential, so no function here throws.
 */
export function createStateFile<S extends z.ZodType>(path: string, shape: S) {
  return {
    /** Null if the file does not exist or is invalid. */
    read(): z.infer<S> | null {
      try {
        return shape.parse(JSON.parse(readFileSync(path, 'utf8')))
      } catch {
        return null
      }
    },
    /** Replaces the file in one step, so that an interrupted write keeps the previous file. */
    write(state: z.infer<S>): void {
      try {
        const fresh = `${path}.new`
        writeFileSync(fresh, JSON.stringify(state), { mode: 0o600 })
        renameSync(fresh, path)
      } catch {
        // The disk is full or read-only; the next start uses the defaults.
      }
    },
    remove(): void {
      try {
        rmSync(path, { force: true })
      } catch {
        // The next write replaces a file that cannot be removed.
      }
    },
  }
}
