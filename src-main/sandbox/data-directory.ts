import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SandboxError, sandboxCodes } from './errors.ts'
import { lockDirectory } from '../database/directory-lock.ts'

export type DataDirectory = {
  readonly path: string
  readonly isEphemeral: boolean
  /** Releases the lock; an ephemeral directory is removed. */
  release(): void
}

const prefix = 'tondesk-sandbox-'
/** A younger directory may not have its lock yet. */
const settledMs = 60_000

/** @throws SandboxError when another sandbox holds it or it cannot be used */
export function holdDirectory(path: string): DataDirectory {
  let release: (() => void) | null
  try {
    makePrivate(path)
    release = lockDirectory(join(path, 'lock.db'))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new SandboxError(
      sandboxCodes.unreadable,
      `The sandbox data in ${path} cannot be used (${why.replace(/\.$/, '')}).`,
      { cause: error },
    )
  }
  if (release === null) {
    throw new SandboxError(
      sandboxCodes.held,
      `Another sandbox uses ${path}. Stop it, or choose another directory with --data-dir or --ephemeral.`,
    )
  }
  return { path, isEphemeral: false, release }
}

/** A directory for one run. Directories of killed sandboxes are removed first. */
export function holdEphemeralDirectory(parent: string = tmpdir()): DataDirectory {
  sweep(parent)
  const held = holdDirectory(mkdtempSync(join(parent, prefix)))
  return {
    path: held.path,
    isEphemeral: true,
    release() {
      held.release()
      remove(held.path)
    },
  }
}

function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue
    const path = join(parent, name)
    try {
      const { mtimeMs, uid } = statSync(path)
      if (Date.now() - mtimeMs < settledMs || uid !== (process.getuid?.() ?? uid)) continue
      const release = lockDirectory(join(path, 'lock.db'))
      if (release === null) continue
      release()
      remove(path)
    } catch {
      // Another process owns this directory or removes it.
    }
  }
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

function makePrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  // The directory holds keys, so the permissions of an existing one are tightened.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700)
}
