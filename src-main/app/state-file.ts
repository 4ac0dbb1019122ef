import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { z } from 'zod'

/**
 * A small JSON file for what is remembered outside the database, because it is read before the database opens
 * or after the app crashed. Losing it costs comfort only, so nothing here throws.
 */
export function createStateFile<S extends z.ZodType>(path: string, shape: S) {
  return {
    /** Null when the file does not exist or is invalid. */
    read(): z.infer<S> | null {
      try {
        return shape.parse(JSON.parse(readFileSync(path, 'utf8')))
      } catch {
        return null
      }
    },
    /** Replaces the file in one step, so that an interrupted write leaves the old one. */
    write(state: z.infer<S>): void {
      try {
        const fresh = `${path}.new`
        writeFileSync(fresh, JSON.stringify(state), { mode: 0o600 })
        renameSync(fresh, path)
      } catch {
        // The disk is full or read-only: next time the defaults apply.
      }
    },
    remove(): void {
      try {
        rmSync(path, { force: true })
      } catch {
        // A file that cannot be removed is replaced by the next write.
      }
    },
  }
}
