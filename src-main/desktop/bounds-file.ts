import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type WindowBounds, windowBounds } from './bounds.ts'

export type BoundsFile = {
  /** Null when there is none, or none that can be understood. */
  read(): WindowBounds | null
  /** Never throws: a forgotten place is no reason to trouble anybody. */
  write(bounds: WindowBounds): void
}

export function createBoundsFile(directory: string): BoundsFile {
  const path = join(directory, 'window.json')
  return {
    read() {
      try {
        return windowBounds.parse(JSON.parse(readFileSync(path, 'utf8')))
      } catch {
        return null
      }
    },
    write(bounds) {
      try {
        const fresh = `${path}.new`
        writeFileSync(fresh, JSON.stringify(bounds), { mode: 0o600 })
        renameSync(fresh, path)
      } catch {
        // Disk full or read-only: next time the window opens in the middle.
      }
    },
  }
}
