import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupFile } from '../../src-preload/contract/app.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { backupName, checkBackup, listBackups, partialPath } from '../database/backup.ts'
import { requestRestore } from '../database/restore.ts'

type BackupDeps = {
  readonly paths: { readonly backups: string; readonly pendingRestore: string }
  /** Writes a consistent copy of the database while it is in use. */
  readonly copyDatabase: (to: string) => Promise<unknown>
  readonly now: () => Date
}

type BackupHandlers = Pick<Handlers, Extract<keyof Handlers, `backup.${string}`>>

/** Backups of everything but keys, which stay in the keychain. */
export function createBackups({ paths, copyDatabase, now }: BackupDeps): BackupHandlers {
  function find(name: string): BackupFile {
    const file = listBackups(paths.backups).find((backup) => backup.name === name)
    if (file !== undefined) return file
    throw new AppError(appCodes.backupInvalid, `There is no backup named ${name}.`)
  }
  let newest = 0
  return {
    'backup.list': () => listBackups(paths.backups),
    async 'backup.create'() {
      mkdirSync(paths.backups, { recursive: true, mode: 0o700 })
      // Never the same moment twice, or two at once would be one file.
      newest = Math.max(newest + 1, now().getTime())
      const name = backupName(new Date(newest), 'manual')
      const path = join(paths.backups, name)
      rmSync(partialPath(path), { force: true })
      try {
        await copyDatabase(partialPath(path))
      } catch (error) {
        // Half a copy would only take up space, of which there may be too little.
        rmSync(partialPath(path), { force: true })
        throw error
      }
      renameSync(partialPath(path), path)
      const { size, mtimeMs } = statSync(path)
      const createdAt = Math.round(mtimeMs)
      return { name, path, bytes: size, createdAt, reason: 'manual' }
    },
    'backup.restore'({ name }) {
      checkBackup(find(name).path)
      requestRestore(paths, name)
      return { restartNeeded: true }
    },
  }
}
