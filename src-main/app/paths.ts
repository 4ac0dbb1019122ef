import {
  type Stats,
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  statSync,
} from 'node:fs'
import { dirname, join, posix, win32 } from 'node:path'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { lockDirectory } from '../database/directory-lock.ts'
import { explainFailedStart } from '../database/open-store.ts'

type DataDirectoryQuestion = {
  readonly flag?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly homedir: string
}

export function resolveDataDirectory(question: DataDirectoryQuestion): string {
  const { flag, env, platform, homedir } = question
  const path = platform === 'win32' ? win32 : posix
  const requested = flag ?? env['TONDESK_DATA_DIR']
  if (requested !== undefined && requested !== '') return path.resolve(requested)
  if (platform === 'win32') {
    return path.join(env['APPDATA'] ?? path.join(homedir, 'AppData', 'Roaming'), 'Tondesk')
  }
  if (platform === 'darwin') return path.join(homedir, 'Library', 'Application Support', 'Tondesk')
  return path.join(env['XDG_DATA_HOME'] ?? path.join(homedir, '.local', 'share'), 'tondesk')
}

export function dataPaths(dataDirectory: string) {
  return {
    directory: dataDirectory,
    database: join(dataDirectory, 'tondesk.db'),
    /** The index can be rebuilt from the database. */
    index: join(dataDirectory, 'index.db'),
    lock: join(dataDirectory, 'lock.db'),
    /** On a full disk this file is deleted to free space. */
    reserve: join(dataDirectory, 'reserve.bin'),
    backups: join(dataDirectory, 'backups'),
    logs: join(dataDirectory, 'logs'),
    exports: join(dataDirectory, 'exports'),
    /** The picture at the top of PDF reports, if the user chose one. */
    logo: join(dataDirectory, 'report-logo'),
    /** The sandbox's own data directory, which no other part of the app reads. */
    sandbox: join(dataDirectory, 'sandbox'),
    pendingRestore: join(dataDirectory, 'restore.json'),
    /** The file exists after damage at run time; the next start then rescues the readable data. */
    pendingRescue: join(dataDirectory, 'rescue.json'),
  }
}

export function makePrivateDirectory(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return
  if (found !== undefined) throw new Error(`${path} is not a directory.`)
  // `recursive` is not used: on a file system that refuses with ENOENT, such as /proc, Node would
  // loop forever.
  makePrivateDirectory(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

const files = [
  ...['lock.db', 'lock.db-journal', 'index.db', 'index.db-wal', 'index.db-shm', 'tondesk.db-wal'],
  ...['tondesk.db-shm', 'tondesk.db-journal', 'tondesk.db.incoming', 'tondesk.sock'],
  ...['restore.json', 'rescue.json', 'run.json', 'crash-report.json', 'reserve.bin', 'report-logo'],
]
const folders = ['backups', 'logs', 'exports', 'sandbox']

/** Moves foreign entries with one of our names, such as a file named `backups`, into a new folder. */
function moveStrangersAside(dataDirectory: string): void {
  const inTheWay = [
    ...files.filter((name) => isOther(join(dataDirectory, name), (found) => isFile(found))),
    ...folders.filter((name) => isOther(join(dataDirectory, name), (found) => found.isDirectory())),
  ]
  for (const name of inTheWay) {
    const folder = mkdtempSync(join(dataDirectory, `${name}-moved-`))
    renameSync(join(dataDirectory, name), join(folder, name))
  }
}

/** A broken link counts too, because its name cannot be created. */
function isOther(path: string, isOurs: (found: Stats) => boolean): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined) return !isOurs(found)
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

const isFile = (found: Stats) => found.isFile() || found.isSocket()

/** @throws AppError DATA_DIRECTORY_HELD, DATABASE_UNWRITABLE, DISK_FULL */
export function holdDirectory(
  stack: AsyncDisposableStack | DisposableStack,
  paths: { directory: string; lock: string },
): void {
  let release: (() => void) | null
  try {
    makePrivateDirectory(paths.directory)
    // On a read-only disk SQLite still locks, and the first write would fail much later.
    accessSync(paths.directory, constants.W_OK)
    moveStrangersAside(paths.directory)
    release = lockDirectory(paths.lock)
  } catch (error) {
    throw explainFailedStart(error, paths.directory)
  }
  if (release === null) {
    throw new AppError(
      appCodes.dataDirectoryHeld,
      `Tondesk is already running with the data directory ${paths.directory}.`,
    )
  }
  stack.defer(release)
}
