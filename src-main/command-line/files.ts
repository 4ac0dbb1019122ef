import { constants, createReadStream } from 'node:fs'
import { access, lstat, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ExportFile } from '../../src-preload/contract/lookup.ts'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import { assertUsage } from './command.ts'
import type { Run, Session } from './session.ts'

/**
 * @param output replaced when complete; null for standard output
 * @param mode of the file; the system's default if omitted
 */
export async function saveExport(
  { session, terminal }: Run,
  file: ExportFile,
  output: string | null,
  mode?: number,
): Promise<void> {
  if (output !== null) return saveFiles(session, [{ file, output }], mode)
  for await (const bytes of pieces(session, file)) await terminal.write(bytes)
}

/** Replaces a group of files only when all of them are complete. */
export async function saveFiles(
  session: Session,
  files: readonly { readonly file: ExportFile; readonly output: string }[],
  mode?: number,
): Promise<void> {
  await replaceFiles(
    files.map(({ file, output }) => ({ output, content: pieces(session, file) })),
    'EXPORT_FAILED',
    mode,
  )
}

type NewFile = { readonly output: string; readonly content: AsyncIterable<Uint8Array> }

async function replaceFiles(files: readonly NewFile[], code: string, mode?: number): Promise<void> {
  const partialOf = (output: string) => `${output}.${process.pid}.partial`
  let current = ''
  try {
    for (const { output, content } of files) {
      current = output
      await using target = await open(partialOf(output), 'wx', mode)
      for await (const bytes of content) await target.writeFile(bytes)
      await target.sync()
    }
    for (const { output } of files) {
      current = output
      await rename(partialOf(output), output)
    }
  } catch (error) {
    for (const { output } of files) await rm(partialOf(output), { force: true })
    throw error instanceof AppError ? error : fileError(code, `Cannot write to ${current}`, error)
  }
}

/** @param what the beginning of a sentence that the error's reason ends */
export const fileError = (code: string, what: string, error: unknown): AppError =>
  new AppError(code, `${what}: ${messageOf(error)}`, { cause: error })

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
  const content = createReadStream(from, { highWaterMark: bytesAtOnce })
  await replaceFiles([{ output: to, content }], 'COPY_FAILED', 0o600)
}

export async function checkTarget(path: string, force: boolean): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found !== null && !found.isFile()) {
    throw new AppError('TARGET_NO_FILE', `${path} is not a regular file. Choose another name.`)
  }
  if (found !== null && !force) {
    throw new AppError(
      'TARGET_EXISTS',
      `${path} already exists. Choose another name, or add --force to overwrite it.`,
    )
  }
  try {
    await access(dirname(path), constants.W_OK)
  } catch (error) {
    throw fileError('EXPORT_FAILED', `Cannot write to ${path}`, error)
  }
}

export const exportGone = (): AppError =>
  new AppError('EXPORT_GONE', 'The export was removed to free space. Run the command again.')

const bytesAtOnce = 512 * 1024

/**
 * @param file null for standard input
 * @param name the beginning of an error's sentence: "The list"
 * @throws AppError FILE_UNREADABLE; USAGE if standard input is a terminal
 */
export async function* openInput(file: string | null, name: string): AsyncGenerator<Buffer> {
  const hasInput = file !== null || !process.stdin.isTTY
  assertUsage(hasInput, `Add a FILE, or pass ${name.toLowerCase()} on standard input.`)
  const stream =
    file === null ? process.stdin : createReadStream(file, { highWaterMark: bytesAtOnce })
  try {
    for await (const bytes of stream) yield bytes as Buffer
  } catch (error) {
    throw fileError('FILE_UNREADABLE', `${name} cannot be read`, error)
  }
}
