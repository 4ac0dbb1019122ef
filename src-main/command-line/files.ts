import { constants, createReadStream } from 'node:fs'
import { access, copyFile, lstat, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ExportFile } from '../../src-preload/contract/lookup.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { type Terminal, usageError } from './command.ts'
import type { Session } from './session.ts'

/**
 * @param output replaced when complete; null for standard output
 * @param mode of the file; the system's default if omitted
 */
export async function saveExport(
  session: Session,
  file: ExportFile,
  output: string | null,
  terminal: Terminal,
  mode?: number,
): Promise<void> {
  if (output !== null) return saveTogether(session, [{ file, output }], mode)
  for await (const bytes of pieces(session, file)) await terminal.write(bytes)
}

/** Replaces files that belong together only when all are complete. */
export async function saveTogether(
  session: Session,
  files: readonly { readonly file: ExportFile; readonly output: string }[],
  mode?: number,
): Promise<void> {
  const partials = files.map(({ output }) => `${output}.${process.pid}.partial`)
  let at = 0
  try {
    for (const [index, { file }] of files.entries()) {
      at = index
      await using target = await open(partials[index] ?? '', 'wx', mode)
      for await (const bytes of pieces(session, file)) await target.writeFile(bytes)
      await target.sync()
    }
    for (const [index, { output }] of files.entries()) {
      at = index
      await rename(partials[index] ?? '', output)
    }
  } catch (error) {
    for (const partial of partials) await rm(partial, { force: true })
    if (error instanceof AppError) throw error
    const why = error instanceof Error ? error.message : String(error)
    const message = `Cannot write to ${files[at]?.output ?? ''}: ${why}`
    throw new AppError('EXPORT_FAILED', message, { cause: error })
  }
}

async function* pieces(session: Session, { id }: ExportFile): AsyncGenerator<Buffer> {
  let offset: number | null = 0
  while (offset !== null) {
    const { base64, next }: { base64: string; next: number | null } = await session.call(
      'export.read',
      { id, offset },
    )
    yield Buffer.from(base64, 'base64')
    offset = next
  }
}

/** The copy is readable by its owner only and appears only when complete. */
export async function copyWhole(from: string, to: string): Promise<void> {
  const partial = `${to}.${process.pid}.partial`
  try {
    // Created first, since a copy would take over the mode of its source.
    await (await open(partial, 'wx', 0o600)).close()
    await copyFile(from, partial)
    const file = await open(partial, 'r+')
    await file.chmod(0o600)
    await file.sync()
    await file.close()
    await rename(partial, to)
  } catch (error) {
    await rm(partial, { force: true })
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError('COPY_FAILED', `Cannot copy to ${to}: ${why}`, { cause: error })
  }
}

export async function checkTarget(path: string, force: boolean): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found !== null && !found.isFile()) {
    throw new AppError('TARGET_NO_FILE', `${path} is no file to write over. Name another one.`)
  }
  if (found !== null && !force) {
    throw new AppError(
      'TARGET_EXISTS',
      `${path} is there already. Name another file, or add --force to write over it.`,
    )
  }
  try {
    await access(dirname(path), constants.W_OK)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError('EXPORT_FAILED', `Cannot write to ${path}: ${why}`, { cause: error })
  }
}

export function exportGone(): AppError {
  return new AppError('EXPORT_GONE', 'The export made room for later ones: run it again.')
}

const bytesAtOnce = 512 * 1024

/**
 * @param file null for standard input
 * @param name begins an error's sentence: "The list"
 * @throws AppError FILE_UNREADABLE; USAGE if standard input is a terminal
 */
export async function* openInput(file: string | null, name: string): AsyncGenerator<Buffer> {
  if (file === null && process.stdin.isTTY) {
    throw usageError(`Name a FILE, or give ${name.toLowerCase()} on standard input.`)
  }
  const stream =
    file === null ? process.stdin : createReadStream(file, { highWaterMark: bytesAtOnce })
  try {
    for await (const bytes of stream) yield bytes as Buffer
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError('FILE_UNREADABLE', `${name} cannot be read: ${why}`, { cause: error })
  }
}
