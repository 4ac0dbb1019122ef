import { constants } from 'node:fs'
import { access, lstat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '../../src-preload/domain/app-error.ts'

/** @throws AppError where it cannot, or must not, be written */
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
