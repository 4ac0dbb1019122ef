import { copyFile, open, rename, rm } from 'node:fs/promises'
import { AppError } from '../../src-preload/domain/app-error.ts'

/** Readable by its owner only, and never seen half written. */
export async function copyWhole(from: string, to: string): Promise<void> {
  const partial = `${to}.${process.pid}.partial`
  try {
    // Created first: a copy would take over the mode of what it copies.
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
