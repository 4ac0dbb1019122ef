/** Checks files that the system or the user opens with the app; the window reads them in pieces. */
import { randomUUID } from 'node:crypto'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { constants, type Stats } from 'node:fs'
import { basename, extname } from 'node:path'
import type { OpenedFile } from '../../src-preload/contract/file.ts'
import type { Output } from '../../src-preload/contract/routes.ts'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import { fileCodes } from '../../src-preload/domain/error-codes.ts'
import { openableExtensions } from '../../src-preload/domain/opened-files.ts'
import type { AppEvents } from './app-events.ts'

type Known = { readonly path: string; readonly name: string; readonly stats: Stats }

type Waiting = Output<'file.takeOpened'>

/** Beyond this number, the oldest files are forgotten. */
const maxKnown = 16
/** The window takes files at once, so files wait only while there is no window. */
const maxWaiting = 10

export type OpenedFiles = ReturnType<typeof createOpenedFiles>

export function createOpenedFiles(events: Pick<AppEvents, 'emit'>) {
  const known = new Map<string, Known>()
  let waiting: Waiting = { files: [], problems: [] }

  /** @throws AppError if the path is not a readable file */
  async function add(path: string): Promise<OpenedFile> {
    const name = shownName(path)
    const stats = await inspect(path, name)
    const id = randomUUID()
    known.set(id, { path, name, stats })
    const [oldest] = known.keys()
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest)
    return { id, name, bytes: stats.size }
  }

  function hand({ files = [], problems = [] }: Partial<Waiting>): void {
    waiting = {
      files: [...waiting.files, ...files].slice(-maxWaiting),
      problems: [...waiting.problems, ...problems].slice(-maxWaiting),
    }
    events.emit('file.opened', {})
  }

  return {
    add,
    /** Call this for a file from the system: the window shows the file, or why it cannot be opened. */
    open: async (path: string): Promise<void> => {
      const title = `“${shownName(path)}” could not be opened`
      try {
        if (!openableExtensions.includes(extname(path).toLowerCase())) {
          throw invalid(`Tondesk opens files that end in ${openableExtensions.join(', ')}.`)
        }
        hand({ files: [await add(path)] })
      } catch (error) {
        hand({ problems: [{ title, detail: messageOf(error) }] })
      }
    },
    refuseLink(): void {
      const detail =
        'The link does not lead to a page of this version of Tondesk. Nothing was opened or changed.'
      hand({ problems: [{ title: 'This link could not be opened', detail }] })
    },
    handlers: {
      'file.takeOpened'(): Waiting {
        const taken = waiting
        waiting = { files: [], problems: [] }
        return taken
      },
      /** @throws AppError if the file was changed or replaced since it was opened */
      async 'file.read'({ id, offset, bytes }: { id: string; offset: number; bytes: number }) {
        const file = known.get(id)
        if (file === undefined) throw changed('The file')
        await using handle = await openFile(file)
        const now = await handle.stat()
        if (!isSame(file.stats, now)) throw changed(`“${file.name}”`)
        const wanted = Math.max(0, Math.min(bytes, now.size - offset))
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted), 0, wanted, offset)
        return { base64: buffer.subarray(0, bytesRead).toString('base64') }
      },
    },
  }
}

/**
 * Returns a file name without characters that could disguise it, such as line breaks or changes of
 * the text direction.
 */
const shownName = (path: string): string =>
  basename(path).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd')

async function inspect(path: string, name: string): Promise<Stats> {
  let stats: Stats
  try {
    stats = await lstat(path)
    if (stats.isFile()) await (await openFile({ path, name })).close()
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw invalid(explainFailure(cause, name), cause)
  }
  if (stats.isFile()) return stats
  if (stats.isSymbolicLink()) {
    throw invalid(`“${name}” is a link to another file. Open the file that it leads to.`)
  }
  throw invalid(
    stats.isDirectory()
      ? `“${name}” is a folder. Open a file.`
      : `“${name}” is a device or a connection between programs. Open a file.`,
  )
}

/** Opens a file without following a link or waiting for a pipe, which may have replaced the file. */
async function openFile({ path, name }: Pick<Known, 'path' | 'name'>): Promise<FileHandle> {
  // Windows has no such files and lacks the last two flags, which then count as 0.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (cause) {
    throw invalid(explainFailure(cause, name), cause)
  }
}

function explainFailure(cause: unknown, name: string): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return `“${name}” does not exist. It may have been moved or deleted.`
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return `Your system does not allow Tondesk to read “${name}”. Check its permissions.`
  }
  return `“${name}” cannot be read: ${messageOf(cause)}`
}

const isSame = (before: Stats, now: Stats): boolean =>
  now.isFile() &&
  before.ino === now.ino &&
  before.size === now.size &&
  before.mtimeMs === now.mtimeMs

const invalid = (message: string, cause?: unknown): AppError =>
  new AppError(fileCodes.unreadable, message, { cause })

const changed = (what: string): AppError =>
  new AppError(
    fileCodes.unreadable,
    `${what} was moved, changed or deleted since it was opened. Open it again.`,
  )
