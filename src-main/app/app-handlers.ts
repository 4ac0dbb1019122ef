import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import type { CaptureLog } from '../captures/capture-log.ts'
import { usedBytes } from '../database/database.ts'
import type { BaseContext } from './context.ts'
import type { BackupFile } from '../../src-preload/contract/app.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { backupName, checkBackup, listBackups, partialPath } from '../database/backup.ts'
import { requestRestore } from '../database/restore.ts'

type Domain = 'app' | 'notice' | 'settings' | 'backup' | 'export'

export function createAppHandlers(
  context: BaseContext,
  { index, indexDatabase, writer }: CaptureLog,
): Pick<Handlers, Extract<keyof Handlers, `${Domain}.${string}`>> {
  const { config, database, events, files, notices, paths, settings } = context
  return {
    ...files.handlers,
    ...createBackups(context, (to) => index.ask('copyDatabase', { to })),
    'app.info': () => ({
      version: config.version,
      host: config.host,
      dataDirectory: paths.directory,
      platform: `${process.platform} ${process.arch}`,
      node: process.versions.node,
      ...electronVersion(),
      sqlite: process.versions['sqlite'] ?? '',
      processId: process.pid,
    }),
    async 'app.checkIntegrity'() {
      const problems = await index.ask('checkIntegrity')
      const [message] = problems
      if (message !== undefined) events.emit('database.damaged', { message })
      return {
        ok: problems.length === 0,
        problems,
        captures: writer.state().total,
        databaseBytes: usedBytes(database),
        indexBytes: usedBytes(indexDatabase),
      }
    },
    'app.restart'() {
      config.restart?.()
      return {}
    },
    'notice.list': () => notices.list(),
    'notice.dismiss'({ id }) {
      notices.dismiss(id)
      return {}
    },
    'settings.get': () => settings.get(),
    'settings.change': (patch) => settings.change(patch),
  }
}

function electronVersion(): { electron?: string } {
  // Node's types lack the `electron` entry, which exists only in Electron.
  const versions: Readonly<Record<string, string | undefined>> = process.versions
  return versions['electron'] === undefined ? {} : { electron: versions['electron'] }
}

/** Keys are not part of backups; they stay in the keychain. */
function createBackups(
  { now, paths }: BaseContext,
  copyDatabase: (to: string) => Promise<unknown>,
): Pick<Handlers, Extract<keyof Handlers, `backup.${string}`>> {
  function find(name: string): BackupFile {
    const file = listBackups(paths.backups).find((backup) => backup.name === name)
    if (file !== undefined) return file
    throw new AppError(
      appCodes.backupInvalid,
      `Backup ${name} not found. It may have been deleted.`,
    )
  }
  let newest = 0
  return {
    'backup.list': () => listBackups(paths.backups),
    async 'backup.create'() {
      mkdirSync(paths.backups, { recursive: true, mode: 0o700 })
      // Each backup gets a distinct time, since the time is its file name.
      newest = Math.max(newest + 1, now())
      const name = backupName(new Date(newest), 'manual')
      const path = join(paths.backups, name)
      rmSync(partialPath(path), { force: true })
      try {
        await copyDatabase(partialPath(path))
      } catch (error) {
        // A partial copy would take up space, which may be short.
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
