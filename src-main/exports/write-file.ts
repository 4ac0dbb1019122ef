import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, messageOf } from '../../src-preload/domain/app-error.ts'
import type { Chunks, Rows } from './table.ts'
import { lookupTable } from '../../src-preload/domain/lookup-table.ts'

export type WrittenFile = { readonly bytes: number; readonly sha256: string }

export type Progress = { readonly rows: number; readonly bytes: number }

const reportEveryMs = 250

/** Creates a file; the path must not exist. @throws AppError with `code` when the disk refuses */
export async function writeFile(
  path: string,
  chunks: Chunks | Iterable<string>,
  code: string,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<WrittenFile> {
  const orUnwritable = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (cause) {
      throw unwritableError(code, dirname(path), cause)
    }
  }
  await using file = await orUnwritable(open(path, 'wx', 0o600))
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    const part = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    hash.update(part)
    await orUnwritable(file.writeFile(part))
    bytes += part.length
    onBytes(bytes)
  }
  // Without the sync, a file that is renamed afterwards would be empty after a power cut.
  await orUnwritable(file.sync())
  await orUnwritable(file.close())
  return { bytes, sha256: hash.digest('hex') }
}

/** Reports progress at most four times per second. @throws as `writeFile` */
export async function writeRows<R>(
  target: { readonly path: string; readonly code: string },
  rows: Rows<R>,
  format: (rows: Rows<R>) => Chunks,
  onProgress: (progress: Progress) => void,
): Promise<WrittenFile & Progress> {
  let count = 0
  let bytes = 0
  let reportedAt = performance.now()
  function report(): void {
    if (performance.now() - reportedAt < reportEveryMs) return
    reportedAt = performance.now()
    onProgress({ rows: count, bytes })
  }
  async function* counted(): AsyncGenerator<readonly R[]> {
    for await (const batch of rows) {
      count += batch.length
      report()
      yield batch
    }
  }
  const file = await writeFile(target.path, format(counted()), target.code, (written) => {
    bytes = written
    report()
  })
  return { rows: count, ...file }
}

const reasons: Readonly<Record<string, string>> = lookupTable({
  ENOSPC: 'its disk is full',
  EDQUOT: 'your quota on its disk is used up',
  EROFS: 'its disk is read-only',
  EACCES: 'your user account has no permission to write there',
  EPERM: 'your user account has no permission to write there',
  EFBIG: 'the file would be larger than its disk allows',
})

export const unwritableError = (code: string, directory: string, cause: unknown): AppError =>
  new AppError(
    code,
    `The export could not be written to ${directory}: ${whyUnwritable(cause)}. No partial file remains. Free some space, change the permissions or choose another folder, and export again.`,
    { cause },
  )

/** The reason as the continuation of a sentence: "its disk is full". */
export function whyUnwritable(cause: unknown): string {
  const number = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return reasons[number] ?? messageOf(cause)
}
