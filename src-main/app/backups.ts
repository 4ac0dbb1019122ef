import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupFile } from '../../src-preload/contract/app.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import {
  backupName,
  checkBackup,
  invalidBackup,
  listBackups,
  partialPath,
} from '../database/backup.ts'
import { freeOnDisk, makeFilesPrivate, usedBytes } from '../database/database.ts'
import { removeDatabase } from '../captures/store/index/schema.ts'
import { isDatabaseStart } from '../database/file-header.ts'
import { requestRestore } from '../database/restore.ts'
import type { Host, StartWork } from '../threads/rpc.ts'
import type { TaskCalls } from '../threads/task-process.ts'
import { taskEntry } from '../threads/threads.ts'
import type { BaseContext } from './context.ts'

/** Keys are not part of backups; they stay in the keychain. */
export function createBackups(
  context: BaseContext,
  copyDatabase: (to: string) => Promise<unknown>,
): Pick<Handlers, Extract<keyof Handlers, `backup.${string}`>> {
  const { database, now, paths } = context
  function find(name: string): BackupFile {
    const file = listBackups(paths.backups).find((backup) => backup.name === name)
    if (file !== undefined) return file
    throw new AppError(
      appCodes.backupInvalid,
      `The backup ${name} was not found. It may have been deleted.`,
    )
  }
  let newest = 0
  /** Each backup gets a distinct time, because the time is part of its file name. */
  function newPath() {
    newest = Math.max(newest + 1, now())
    const name = backupName(new Date(newest), 'manual')
    return { name, path: join(paths.backups, name) }
  }

  return {
    ...createUploads(context, (uploaded) => {
      const { name, path } = newPath()
      renameSync(uploaded, path)
      requestRestore(paths, name)
    }),
    'backup.list': () => listBackups(paths.backups),
    async 'backup.create'() {
      mkdirSync(paths.backups, { recursive: true, mode: 0o700 })
      checkSpace(paths.backups, usedBytes(database))
      const { name, path } = newPath()
      rmSync(partialPath(path), { force: true })
      makeFilesPrivate(partialPath(path))
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

/**
 * A copy that fills the disk would also stop the receiver until the copy fails, so the free space
 * is checked first.
 */
function checkSpace(directory: string, bytes: number): void {
  const free = freeOnDisk(directory)
  if (free >= bytes) return
  const megabytes = (some: number) => (some / 1_000_000).toFixed(1)
  throw new AppError(
    appCodes.diskFull,
    `The backup needs ${megabytes(bytes)} MB, but the disk with ${directory} has ${megabytes(free)} MB free. Free some space, or delete captures, and try again.`,
  )
}

type Upload = { readonly id: string; readonly bytes: number; written: number; isChecked: boolean }

/**
 * Receives a backup file from the window in pieces, one file at a time. The copy becomes a backup
 * only after it has been checked and the user restores it.
 */
function createUploads(context: BaseContext, restore: (path: string) => void) {
  const { paths, resources } = context
  const path = partialPath(join(paths.backups, 'uploaded.db'))
  let current: { readonly upload: Upload; readonly file: FileHandle } | null = null
  const checker = createBackupChecker(context.startWork(taskEntry, 1024))

  async function discard(): Promise<void> {
    const file = current?.file
    current = null
    // The checking process has the copy open, and some systems cannot delete an open file.
    await checker.stop()
    await file?.close()
    removeDatabase(path)
  }
  // A killed process leaves its copy behind.
  removeDatabase(path)
  resources.defer(discard)

  function find(id: string) {
    if (current?.upload.id === id) return current
    throw new AppError(
      appCodes.backupInvalid,
      'Another backup file has been opened since. To continue with this one, open it again.',
    )
  }

  /** Deletes the copy of a file that cannot be restored, because it takes up space. */
  async function refuse(error: unknown): Promise<never> {
    await discard()
    throw error
  }

  return {
    async 'backup.uploadStart'({ bytes }) {
      await discard()
      mkdirSync(paths.backups, { recursive: true, mode: 0o700 })
      const upload = { id: randomUUID(), bytes, written: 0, isChecked: false }
      current = { upload, file: await open(path, 'wx', 0o600) }
      return { id: upload.id }
    },
    async 'backup.uploadPiece'({ id, offset, base64 }) {
      const { upload, file } = find(id)
      const piece = Buffer.from(base64, 'base64')
      // A checked copy must not change any more.
      if (upload.isChecked || offset !== upload.written) {
        return refuse(invalidBackup('the parts of the file arrived in the wrong order'))
      }
      if (offset === 0 && !isDatabaseStart(piece)) return refuse(invalidBackup(notTondesk))
      upload.written += piece.length
      try {
        await file.write(piece, 0, piece.length, offset)
      } catch (error) {
        return refuse(error)
      }
      return { written: upload.written }
    },
    async 'backup.uploadEnd'({ id }) {
      const { upload, file } = find(id)
      try {
        await file.sync()
        if (upload.written !== upload.bytes) {
          throw invalidBackup('the file changed while it was read, or is incomplete')
        }
        const facts = await checker.check(path)
        upload.isChecked = true
        return facts
      } catch (error) {
        find(id)
        return refuse(error)
      }
    },
    async 'backup.restoreUpload'({ id }) {
      const { upload, file } = find(id)
      if (!upload.isChecked) throw invalidBackup('the file has not been read completely')
      await file.close()
      current = null
      restore(path)
      return { restartNeeded: true }
    },
    async 'backup.uploadCancel'({ id }) {
      if (current?.upload.id === id) await discard()
      return {}
    },
  } satisfies Partial<Handlers>
}

/** Checks a whole backup in a separate process, because reading it may take long. */
function createBackupChecker(startWork: StartWork) {
  let current: Host<TaskCalls> | null = null
  return {
    async check(path: string) {
      const worker = startWork<TaskCalls>({})
      current = worker
      try {
        return await worker.call('checkBackup', path)
      } finally {
        await worker.stop()
        if (current === worker) current = null
      }
    },
    stop: async () => current?.stop(),
  }
}

const notTondesk = 'it is not a Tondesk backup'
