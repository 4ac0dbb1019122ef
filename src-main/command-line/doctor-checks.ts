import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { IntegrityReport } from '../../src-preload/contract/app.ts'
import type { ReceiverState } from '../../src-preload/contract/receiver.ts'
import { type Session, openSession } from './session.ts'
import { isFree } from '../net/server.ts'

export type Finding = {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  /** What was found and, where it is not well, the way out. */
  readonly message: string
}

const neededNode = 24
const MiB = 1024 * 1024
const littleSpace = 512 * MiB

const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })
const warn = (check: string, message: string): Finding => ({ check, status: 'warn', message })
const fail = (check: string, message: string): Finding => ({ check, status: 'fail', message })

export function checkNode(version: string): Finding {
  const isEnough = Number.parseInt(version, 10) >= neededNode
  if (isEnough) return ok('Node', version)
  return fail('Node', `${version} is too old: Tondesk needs ${neededNode} or newer.`)
}

export function checkDirectory(dataDirectory: string): Finding & { exists: boolean } {
  const check = 'Data directory'
  const found = statSync(dataDirectory, { throwIfNoEntry: false })
  if (!found) {
    const parent = nearestExisting(dirname(dataDirectory))
    if (!isWritable(parent)) {
      const message = `${dataDirectory} cannot be made: ${parent} is not writable.`
      return { ...fail(check, message), exists: false }
    }
    return { ...ok(check, `${dataDirectory} (will be made at the first start)`), exists: false }
  }
  if (!found.isDirectory()) {
    return { ...fail(check, `${dataDirectory} is not a folder.`), exists: true }
  }
  if (!isWritable(dataDirectory)) {
    const message = `${dataDirectory} is not writable. Check its owner, or use --data-dir.`
    return { ...fail(check, message), exists: true }
  }
  const mode = found.mode & 0o777
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    const message = `${dataDirectory} is open to others (mode ${mode.toString(8)}). Run: chmod 700 '${dataDirectory}'`
    return { ...warn(check, message), exists: true }
  }
  return { ...ok(check, dataDirectory), exists: true }
}

export async function checkDisk(dataDirectory: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(nearestExisting(dataDirectory))
  const free = bavail * bsize
  const message = `${Math.round(free / MiB)} MiB free`
  return free < littleSpace
    ? warn('Disk', `${message}: captures are refused when it is full.`)
    : ok('Disk', message)
}

/** What only an app can tell: the one that runs, or one of our own for the moment. */
export async function* checkApp(dataDirectory: string): AsyncGenerator<Finding> {
  let session: Session
  try {
    session = await openSession({ dataDirectory, receive: false })
  } catch (error) {
    yield fail('Database', error instanceof Error ? error.message : String(error))
    return
  }
  try {
    yield ok(
      'Held by',
      session.holder === null ? 'nobody' : `process ${session.holder}, which answers`,
    )
    for (const { title, detail, level } of await session.call('notice.list')) {
      if (level !== 'info') yield warn('Notice', `${title}. ${detail}`)
    }
    yield describeIntegrity(await session.call('app.checkIntegrity'))
    const { receiver } = await session.call('settings.get')
    yield await describeReceiver(await session.call('receiver.state'), receiver.port)
    // An app that runs has asked the keychain at its start; one of our own has hardly begun to.
    const { place, problem } = await session.call(
      session.holder === null ? 'secrets.retryKeychain' : 'secrets.state',
    )
    yield place === 'keychain'
      ? ok('Keychain', 'can be used')
      : warn('Keychain', problem ?? 'Secrets are kept for this session only.')
  } finally {
    await session.dispose()
  }
}

function describeIntegrity(report: IntegrityReport): Finding {
  const { captures, databaseBytes, problems } = report
  const size = `${captures} ${captures === 1 ? 'capture' : 'captures'}, ${Math.ceil(databaseBytes / MiB)} MiB`
  if (report.ok) return ok('Database', `whole (${size})`)
  return fail('Database', `damaged (${size}): ${problems.slice(0, 3).join('; ')}`)
}

async function describeReceiver(state: ReceiverState, wantedPort: number): Promise<Finding> {
  const check = 'Receiver'
  if (state.status === 'failed') return fail(check, state.problem ?? 'It cannot listen.')
  if (!state.writable) return fail(check, 'Captures cannot be written: deliveries get a 503.')
  if (state.status === 'listening') {
    if (state.wantedPort === null) return ok(check, `listening on port ${state.port ?? '?'}`)
    return warn(check, `listening on port ${state.port ?? '?'}: ${state.wantedPort} was taken`)
  }
  return (await isFree(wantedPort))
    ? ok(check, `not listening; its port ${wantedPort} is free`)
    : warn(check, `its port ${wantedPort} is taken by another program; the next free one is used`)
}

export function checkElectron(): Finding {
  const check = 'Electron'
  const running = (process.versions as Record<string, string | undefined>)['electron']
  if (running !== undefined) return ok(check, running)
  const none = 'is not here: the app opens in the browser instead.'
  try {
    const manifest = createRequire(import.meta.url).resolve('electron/package.json')
    const folder = dirname(manifest)
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
    const pathFile = join(folder, 'path.txt')
    const isThere =
      existsSync(pathFile) && existsSync(join(folder, 'dist', readFileSync(pathFile, 'utf8')))
    return isThere ? ok(check, version) : warn(check, `Its binary ${none}`)
  } catch {
    return warn(check, `It ${none}`)
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
