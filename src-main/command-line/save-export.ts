import { open, rename, rm } from 'node:fs/promises'
import type { ExportFile } from '../../src-preload/contract/index.ts'
import { AppError } from '../../src-preload/contract/index.ts'
import type { Session } from './session.ts'
import type { Terminal } from './terminal.ts'

/** @param output replaced when whole; null prints to standard output */
export async function saveExport(
  session: Session,
  file: ExportFile,
  output: string | null,
  terminal: Terminal,
): Promise<void> {
  if (output === null) {
    for await (const bytes of pieces(session, file)) await terminal.write(bytes)
    return
  }
  const partial = `${output}.${process.pid}.partial`
  try {
    {
      await using target = await open(partial, 'wx')
      for await (const bytes of pieces(session, file)) await target.writeFile(bytes)
      await target.sync()
    }
    await rename(partial, output)
  } catch (error) {
    await rm(partial, { force: true })
    if (error instanceof AppError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError('EXPORT_FAILED', `Cannot write to ${output}: ${why}`, { cause: error })
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
