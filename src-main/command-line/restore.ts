import { rm } from 'node:fs/promises'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { connectLocalSocket } from '../bridge/local-socket-client.ts'
import { localSocketPath } from '../bridge/local-socket.ts'
import { dataPaths, holdDirectory } from '../app/paths.ts'
import { backupName, checkBackup } from '../database/backup.ts'
import { requestRestore } from '../database/restore.ts'
import { type Command, type Invocation, exitCodes, usageError } from './command.ts'
import { copyWhole } from './copy-file.ts'
import { type Session, openSession } from './session.ts'
import { inTime } from './stop.ts'

/** A large database is checked and copied meanwhile. */
const restartMs = 60_000
const pollMs = 100

export const restore: Command = {
  name: 'restore',
  arguments: 'FILE',
  summary: 'put a backup in the place of what is there',
  options: {
    yes: { type: 'boolean', description: 'do not ask' },
  },
  detail: [
    'The backup is checked first, and what it replaces is kept as a backup of its own. An app that\nruns starts again with it. Asks before it does so, unless --yes is given.',
  ],
  async run(invocation) {
    const { dataDirectory, terminal } = invocation
    const file = resolve(invocation.positionals[0] ?? '')
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
      throw new AppError('FILE_MISSING', `There is no file ${file}.`)
    }
    if (!(await isConfirmed(file, invocation))) {
      terminal.note('Nothing was changed.')
      return exitCodes.failed
    }
    await prepare(file, dataDirectory)
    const session = await openSession({ dataDirectory, receive: false })
    try {
      // An app of our own has put it in place by now. One that runs has only been asked to.
      if (session.holder !== null && existsSync(dataPaths(dataDirectory).pendingRestore)) {
        return await restartHolder(session, invocation)
      }
      await throwIfFailed(session)
    } finally {
      await session.dispose()
    }
    await terminal.print(`Restored from ${file}.`)
    return exitCodes.ok
  },
}

/**
 * Asks for the restore, through the app that runs. Where none does, the data that is there is not
 * opened: it may be what keeps the app from starting.
 */
async function prepare(file: string, dataDirectory: string): Promise<void> {
  const paths = dataPaths(dataDirectory)
  using held = new DisposableStack()
  try {
    holdDirectory(held, paths)
  } catch (error) {
    const isHeld = error instanceof AppError && error.code === appCodes.dataDirectoryHeld
    if (!isHeld) throw error
    const session = await openSession({ dataDirectory, receive: false })
    try {
      await bringIn(file, dataDirectory, (name) => session.call('backup.restore', { name }))
    } finally {
      await session.dispose()
    }
    return
  }
  await bringIn(file, dataDirectory, (name) => {
    checkBackup(join(paths.backups, name))
    requestRestore(paths, name)
  })
}

/** @throws AppError BACKUP_INVALID when the app went on with the data from before */
async function throwIfFailed(session: Session): Promise<void> {
  const notices = await session.call('notice.list')
  const failed = notices.find(({ id }) => id === 'store.restoreFailed')
  if (failed !== undefined) throw new AppError(appCodes.backupInvalid, failed.detail)
}

/** The app that runs ends and starts again, with the backup in place. */
async function restartHolder(session: Session, { dataDirectory, terminal }: Invocation) {
  const { host } = await session.call('app.info')
  if (host === 'cli') {
    terminal.note(
      `A command (process ${session.holder ?? '?'}) is using the data directory. The backup is put in place when it has ended and Tondesk starts again.`,
    )
    return exitCodes.ok
  }
  const gone = new Promise<void>((resolve, reject) => {
    session.on(() => undefined, resolve).catch(reject)
  })
  await session.call('app.restart')
  const isBack = await inTime(
    gone.then(() => untilBack(dataDirectory)),
    restartMs,
  )
  if (!isBack) {
    throw new AppError(
      'NOT_RESTARTED',
      'The app has been told to start again, but is not back yet.',
    )
  }
  const after = await openSession({ dataDirectory, receive: false })
  try {
    await throwIfFailed(after)
  } finally {
    await after.dispose()
  }
  await terminal.print('Restored, and the app has started again.')
  return exitCodes.ok
}

async function untilBack(dataDirectory: string): Promise<void> {
  const path = localSocketPath(dataDirectory)
  for (;;) {
    const client = await connectLocalSocket(path).catch(() => null)
    client?.dispose()
    if (client) return
    await wait(pollMs)
  }
}

async function isConfirmed(file: string, invocation: Invocation): Promise<boolean> {
  const { dataDirectory, options, terminal } = invocation
  if (options['yes']) return true
  const answer = await terminal.ask(
    `Replace all captures and settings in ${dataDirectory} with those of ${file}?`,
  )
  if (answer === null) {
    throw usageError('Restoring replaces what is there. Give --yes where nobody can be asked.')
  }
  return answer
}

/** Copies it among the backups of this data directory, unless it is one of them, and asks for it. */
async function bringIn(
  file: string,
  dataDirectory: string,
  ask: (name: string) => unknown,
): Promise<void> {
  const { backups } = dataPaths(dataDirectory)
  if (dirname(file) === resolve(backups)) {
    await ask(basename(file))
    return
  }
  mkdirSync(backups, { recursive: true, mode: 0o700 })
  const name = backupName(new Date(), 'manual')
  const copy = join(backups, name)
  await copyWhole(file, copy)
  try {
    await ask(name)
  } catch (error) {
    // What is no backup has no place among them.
    await rm(copy, { force: true })
    throw error
  }
}
