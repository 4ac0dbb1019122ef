import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, rm, statfs } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import type { IntegrityReport } from '../../src-preload/contract/app.ts'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { dataPaths, holdDirectory } from '../app/paths.ts'
import { connectLocalSocket } from '../bridge/local-socket-client.ts'
import { localSocketPath } from '../bridge/local-socket.ts'
import { isPortFree } from '../net/server.ts'
import { type CommandBody, type Invocation, exitCodes } from './command.ts'
import { copyWhole } from './files.ts'
import * as read from './options.ts'
import { type Run, type Session, confirm, openSession, withSession } from './session.ts'
import { writeEvent } from './terminal.ts'

export const backupCommand: CommandBody = {
  options: { force: read.flag('replace FILE if it exists') },
  detail: [
    'The backup is written to the backups folder of the data directory and, if FILE is set, also\ncopied to FILE (into it if FILE is a folder). The backup contains no keys; they stay in the system keychain.',
  ],
  async run(invocation) {
    const { options, positionals, terminal } = invocation
    const [wanted] = positionals
    const force = options['force'] === true
    if (wanted !== undefined && !isFolder(wanted)) refuseExisting(wanted, force)
    return withSession(invocation, async ({ session }) => {
      const { name, path } = await session.call('backup.create')
      if (wanted === undefined) await terminal.print(path)
      else {
        const target = resolve(isFolder(wanted) ? join(wanted, name) : wanted)
        refuseExisting(target, force)
        await copyWhole(path, target)
        await terminal.print(target)
      }
      return exitCodes.ok
    })
  },
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function refuseExisting(path: string, force: boolean): void {
  if (force || !existsSync(path)) return
  throw new AppError('FILE_EXISTS', `${path} exists. Use --force to replace it.`)
}

/**
 * A restart may take this many milliseconds, because it checks and copies the database, which may
 * be large and on a slow disk.
 */
const restartMs = 600_000
const pollMs = 100

export const restoreCommand: CommandBody = {
  options: { yes: read.flag('do not ask for confirmation') },
  detail: [
    'The backup is verified first. The current data is saved as another backup. A running app\nrestarts with the restored data. Asks for confirmation unless --yes is set.',
  ],
  async run(invocation) {
    const { dataDirectory, terminal } = invocation
    const file = resolve(invocation.positionals[0] ?? '')
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
      throw new AppError('FILE_MISSING', `File ${file} not found.`)
    }
    const question = `Replace all captures and settings in ${dataDirectory} with those of ${file}?`
    const unasked = 'A restore replaces the current data. Without a terminal, add --yes to confirm.'
    await confirm(question, unasked, invocation)
    await prepare(file, invocation)
    return withSession(invocation, async (run) => {
      const { session } = run
      // The command's own app has restored the backup by now; a running app has only received the request.
      if (session.holder !== null && existsSync(dataPaths(dataDirectory).pendingRestore)) {
        return restartHolder(run)
      }
      await throwIfFailed(run)
      await terminal.print(`Restored from ${file}.`)
      return exitCodes.ok
    })
  },
}

/** Without a running app the present data is not opened, because the data may be what prevents a start. */
async function prepare(file: string, invocation: Invocation): Promise<void> {
  const { dataDirectory } = invocation
  const paths = dataPaths(dataDirectory)
  using locked = new DisposableStack()
  try {
    holdDirectory(locked, paths)
  } catch (error) {
    const isHeld = error instanceof AppError && error.code === appCodes.dataDirectoryHeld
    if (!isHeld) throw error
    await withSession(invocation, ({ session }) =>
      bringIn(file, dataDirectory, (name) => session.call('backup.restore', { name })),
    )
    return
  }
  const { checkBackup } = await import('../database/backup.ts')
  const { requestRestore } = await import('../database/restore.ts')
  await bringIn(file, dataDirectory, (name) => {
    checkBackup(join(paths.backups, name))
    requestRestore(paths, name)
  })
}

async function throwIfFailed({ session }: Run): Promise<void> {
  const notices = await session.call('notice.list')
  const failed = notices.find(({ id }) => id === 'store.restoreFailed')
  if (failed !== undefined) throw new AppError(appCodes.backupInvalid, failed.detail)
}

async function restartHolder(run: Run): Promise<number> {
  const { session, dataDirectory, terminal } = run
  const { host } = await session.call('app.info')
  if (host === 'cli') {
    terminal.note(
      `A command (process ${session.holder ?? '?'}) is using the data directory. Tondesk restores the backup at its next start after that command has ended.`,
    )
    return exitCodes.ok
  }
  const gone = new Promise<void>((resolve, reject) => {
    session.on(() => undefined, resolve).catch(reject)
  })
  await session.call('app.restart')
  const isBack = await Promise.race([
    gone.then(() => untilBack(dataDirectory)),
    wait(restartMs, false, { ref: false }),
  ])
  if (!isBack) {
    throw new AppError('NOT_RESTARTED', 'The app is restarting, but does not respond yet.')
  }
  await withSession(run, throwIfFailed)
  await terminal.print('Restored. The app has restarted.')
  return exitCodes.ok
}

async function untilBack(dataDirectory: string): Promise<true> {
  const path = localSocketPath(dataDirectory)
  for (;;) {
    const client = await connectLocalSocket(path).catch(() => null)
    client?.dispose()
    if (client) return true
    await wait(pollMs)
  }
}

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
  const { backupName } = await import('../database/backup.ts')
  const name = backupName(new Date(), 'manual')
  const copy = join(backups, name)
  await copyWhole(file, copy)
  await chmod(copy, 0o600)
  try {
    await ask(name)
  } catch (error) {
    // An invalid backup must not stay among the backups.
    await rm(copy, { force: true })
    throw error
  }
}

export const doctorCommand: CommandBody = {
  options: { json: read.jsonOption },
  detail: [
    'Checks Node, the data directory and which process uses it, the database, the receiver, the\nkeychain and Electron. Exits with 1 if a check fails; warnings do not change the exit code.',
  ],
  async run(invocation) {
    const { dataDirectory } = invocation
    await writeEvent(invocation, { event: 'ready', dataDirectory })
    let failures = 0
    const report = async (finding: Finding) => {
      if (finding.status === 'fail') failures += 1
      const line = `${finding.status.padEnd(4)}  ${finding.check.padEnd(14)}  ${finding.message}`
      await writeEvent(invocation, { event: 'check', ...finding }, line)
    }

    await report(checkNode(process.versions.node))
    const directory = checkDirectory(dataDirectory)
    await report(directory)
    if (directory.status !== 'fail') await report(await checkDisk(dataDirectory))
    // A missing directory is not created just to be checked.
    if (existsSync(dataDirectory) && directory.status !== 'fail') {
      for await (const finding of checkApp(dataDirectory)) await report(finding)
    }
    await report(checkElectron())

    await writeEvent(invocation, { event: 'done', failures })
    return failures === 0 ? exitCodes.ok : exitCodes.failed
  },
}

type Finding = {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
}

const neededNode = 24
const MiB = 1024 * 1024
const littleSpace = 512 * MiB

const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })
const warn = (check: string, message: string): Finding => ({ check, status: 'warn', message })
const fail = (check: string, message: string): Finding => ({ check, status: 'fail', message })

function checkNode(version: string): Finding {
  const isEnough = Number.parseInt(version, 10) >= neededNode
  if (isEnough) return ok('Node', version)
  return fail('Node', `${version} is too old: Tondesk needs ${neededNode} or newer.`)
}

function checkDirectory(dataDirectory: string): Finding {
  const check = 'Data directory'
  const found = statSync(dataDirectory, { throwIfNoEntry: false })
  if (!found) {
    const parent = nearestExisting(dirname(dataDirectory))
    return isWritable(parent)
      ? ok(check, `${dataDirectory} (created at the first start)`)
      : fail(check, `${dataDirectory} cannot be created: ${parent} is not writable.`)
  }
  if (!found.isDirectory()) return fail(check, `${dataDirectory} is not a folder.`)
  if (!isWritable(dataDirectory)) {
    return fail(check, `${dataDirectory} is not writable. Check its owner, or use --data-dir.`)
  }
  const mode = found.mode & 0o777
  if (process.platform === 'win32' || (mode & 0o077) === 0) return ok(check, dataDirectory)
  const message = `${dataDirectory} can be read by other users (mode ${mode.toString(8)}). Run: chmod 700 '${dataDirectory}'`
  return warn(check, message)
}

async function checkDisk(dataDirectory: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestExisting(dataDirectory))
  const free = bavail * bsize
  const message = `${Math.round(free / MiB)} MiB free`
  return free < littleSpace
    ? warn('Disk', `${message}: the receiver rejects deliveries when the disk is full.`)
    : ok('Disk', message)
}

async function* checkApp(dataDirectory: string): AsyncGenerator<Finding> {
  let session: Session
  try {
    session = await openSession({ dataDirectory, receive: false })
  } catch (error) {
    yield fail('Database', messageOf(error))
    return
  }
  try {
    yield ok(
      // Scripts may depend on this name.
      'Held by',
      session.holder === null ? 'no process' : `process ${session.holder}, which responds`,
    )
    for (const { title, detail, level } of await session.call('notice.list')) {
      if (level !== 'info') yield warn('Notice', `${title}. ${detail}`)
    }
    yield describeIntegrity(await session.call('app.checkIntegrity'))
    const { receiver } = await session.call('settings.get')
    yield await describeReceiver(await session.call('receiver.state'), receiver.port)
    // A running app has read the keychain at its start; the command's own app has not finished that yet.
    const { place, problem } = await session.call(
      session.holder === null ? 'secrets.retryKeychain' : 'secrets.state',
    )
    yield place === 'keychain'
      ? ok('Keychain', 'works')
      : warn('Keychain', problem ?? 'Secrets are stored for this session only.')
  } finally {
    await session.dispose()
  }
}

function describeIntegrity(report: IntegrityReport): Finding {
  const { captures, databaseBytes, problems } = report
  const size = `${captures} ${captures === 1 ? 'capture' : 'captures'}, ${Math.ceil(databaseBytes / MiB)} MiB`
  if (report.ok) return ok('Database', `intact (${size})`)
  return fail('Database', `damaged (${size}): ${problems.slice(0, 3).join('; ')}`)
}

async function describeReceiver(state: ReceiverState, wantedPort: number): Promise<Finding> {
  const check = 'Receiver'
  if (state.status === 'failed') return fail(check, state.problem ?? 'The receiver did not start.')
  if (!state.writable)
    return fail(check, 'Captures cannot be written, so the receiver responds with 503.')
  if (state.status === 'listening') {
    if (state.wantedPort === null) return ok(check, `listening on port ${state.port ?? '?'}`)
    return warn(check, `listening on port ${state.port ?? '?'}: port ${state.wantedPort} is taken`)
  }
  return (await isPortFree(wantedPort))
    ? ok(check, `not listening; its port ${wantedPort} is free`)
    : warn(check, `its port ${wantedPort} is taken by another program; the next free one is used`)
}

function checkElectron(): Finding {
  const check = 'Electron'
  const running = (process.versions as Record<string, string | undefined>)['electron']
  if (running !== undefined) return ok(check, running)
  const none = 'is not installed: the app opens in the browser instead.'
  try {
    const manifest = createRequire(import.meta.url).resolve('electron/package.json')
    const folder = dirname(manifest)
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
    const pathFile = join(folder, 'path.txt')
    const isThere =
      existsSync(pathFile) && existsSync(join(folder, 'dist', readFileSync(pathFile, 'utf8')))
    return isThere ? ok(check, version) : warn(check, `The Electron binary ${none}`)
  } catch {
    return warn(check, `Electron ${none}`)
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}
