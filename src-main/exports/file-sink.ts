/** A file being written by the thread, with its digest and what to say when the disk refuses. */
import { createHash } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../src-preload/domain/app-error.ts'

export type FileSink = {
  text(text: string): void
  bytes(bytes: Uint8Array): void
  /** Written, and waiting to be. */
  size(): number
  /** All is on its way to the disk. @returns the digest of the whole file */
  end(): { readonly bytes: number; readonly sha256: string }
}

/** Characters that are gathered before they are written: few calls, and little memory. */
const gathered = 256 * 1024

/**
 * @param path must not exist
 * @param code of the error, here and from every call
 * @throws AppError of that code
 */
export function createFileSink(path: string, code: string): FileSink {
  const orRefuse = <T>(work: () => T): T => orUnwritable(path, code, work)
  const file = orRefuse(() => openSync(path, 'wx', 0o600))
  const hash = createHash('sha256')
  // A character takes three bytes at most.
  const buffer = Buffer.allocUnsafe(4 * gathered)
  let waiting = ''
  let size = 0

  function put(bytes: Uint8Array): void {
    hash.update(bytes)
    size += bytes.length
    let from = 0
    while (from < bytes.length) {
      from += orRefuse(() => writeSync(file, bytes, from))
    }
  }

  function flush(): void {
    if (waiting === '') return
    if (waiting.length * 3 > buffer.length) put(Buffer.from(waiting))
    else put(buffer.subarray(0, buffer.write(waiting)))
    waiting = ''
  }

  return {
    text(text) {
      waiting += text
      if (waiting.length >= gathered) flush()
    },
    bytes(bytes) {
      flush()
      put(bytes)
    },
    size: () => size + waiting.length,
    end() {
      flush()
      orRefuse(() => closeSync(file))
      return { bytes: size, sha256: hash.digest('hex') }
    },
  }
}

function orUnwritable<T>(path: string, code: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw unwritable(code, dirname(path), error)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'the quota of its disk is used up',
  EROFS: 'its disk is read-only',
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EFBIG: 'the file would be larger than its disk allows',
}

/** @param cause of the operating system */
export function unwritable(code: string, directory: string, cause: unknown): AppError {
  return new AppError(
    code,
    `The export cannot be written to ${directory}: ${whyUnwritable(cause)}. Nothing was left there; make room or mend it, and export again.`,
    { cause },
  )
}

/** As a sentence goes on: "its disk is full". */
export function whyUnwritable(cause: unknown): string {
  const number = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return reasons[number] ?? (cause instanceof Error ? cause.message : String(cause))
}
