/** The logo of PDF reports is a file in the data directory, so that the database and its backups stay small. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError, messageOf, reportCodes } from '../../src-preload/domain/app-error.ts'
import { readPicture } from './picture.ts'
import { whyUnwritable } from './write-file.ts'

type Routes = Pick<Handlers, 'report.logo' | 'report.setLogo' | 'report.removeLogo'>

export function createLogoRoutes(path: string): Routes {
  const view = (bytes: Buffer) => ({ ...readPicture(bytes), base64: bytes.toString('base64') })
  return {
    'report.logo'() {
      const bytes = readLogo(path)
      return bytes === null ? null : view(bytes)
    },
    'report.setLogo'({ base64 }) {
      const bytes = Buffer.from(base64, 'base64')
      const logo = view(bytes)
      const partial = `${path}.part`
      try {
        writeFileSync(partial, bytes, { mode: 0o600 })
        renameSync(partial, path)
      } catch (cause) {
        rmSync(partial, { force: true })
        throw new AppError(
          reportCodes.logoInvalid,
          `The logo cannot be stored in the data directory: ${whyUnwritable(cause)}.`,
          { cause },
        )
      }
      return logo
    },
    'report.removeLogo'() {
      rmSync(path, { force: true })
      return {}
    },
  }
}

/** @returns null without a logo. @throws AppError REPORT_LOGO_INVALID when the file was changed or damaged */
export function readLogo(path: string): Buffer | null {
  try {
    const bytes = readFileSync(path)
    readPicture(bytes)
    return bytes
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new AppError(
      reportCodes.logoInvalid,
      `The stored logo cannot be used: ${messageOf(error)} Choose it again, or remove it.`,
      { cause: error },
    )
  }
}
