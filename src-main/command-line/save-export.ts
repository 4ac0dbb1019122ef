import { open, rename, rm } from 'node:fs/promises'
import type { ExportFile } from '../../src-preload/contract/lookup.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import type { Session } from './session.ts'
import type { Terminal } from './terminal.ts'

/**
 * @param output replaced when whole; null prints to standard output
 * @param mode of the file; without it as the system makes files
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

/** Files that belong together: each is replaced once all are whole. */
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
