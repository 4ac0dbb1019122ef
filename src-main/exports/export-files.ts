/** Files made for a person to save: written here whole, read piece by piece, then removed. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportFile } from '../../src-preload/contract/lookup.ts'
import { lookupCodes } from '../../src-preload/domain/error-codes.ts'
import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'

export type ExportFiles = {
  readonly handlers: Pick<Handlers, 'export.read'>
  /** @param name what it is to be saved as */
  make(name: string, chunks: AsyncIterable<Uint8Array | string>): Promise<ExportFile>
  /** A place for a file that somebody else, such as a thread, writes; nothing is there yet. */
  begin(name: string): Promise<BegunFile>
  /** False once it was read to its end, or made room for others. */
  has(id: string): boolean
  /** Removes all there are. */
  clear(): Promise<void>
}

export type BegunFile = {
  readonly path: string
  /** It is whole, and can be read from now on. */
  keep(): Promise<ExportFile>
  /** Removes what was written. */
  discard(): Promise<void>
}

const bytesAtOnce = 512 * 1024
/** Windows that were closed leave theirs behind; the oldest go first. */
const maxKept = 8

/** @param directory made when needed, for its owner only */
export function createExportFiles(directory: string): ExportFiles {
  const made = new Map<string, { readonly path: string; readonly bytes: number }>()
  // What a kill has left behind.
  const cleared = rm(directory, { recursive: true, force: true }).catch(() => undefined)

  async function remove(id: string): Promise<void> {
    const path = made.get(id)?.path
    made.delete(id)
    if (path !== undefined) await rm(path, { force: true })
  }

  async function begin(name: string): Promise<BegunFile> {
    await cleared
    const id = randomUUID()
    const path = join(directory, id)
    await mkdir(directory, { recursive: true, mode: 0o700 })
    return {
      path,
      async keep() {
        const { size: bytes } = await stat(path)
        made.set(id, { path, bytes })
        const [oldest] = made.keys()
        if (made.size > maxKept && oldest !== undefined) await remove(oldest)
        return { id, name, bytes }
      },
      discard: () => rm(path, { force: true, maxRetries: 5 }),
    }
  }

  return {
    begin,
    has: (id) => made.has(id),
    async make(name, chunks) {
      const begun = await begin(name)
      try {
        {
          await using file = await open(begun.path, 'wx', 0o600)
          for await (const chunk of chunks) await file.writeFile(chunk)
        }
        return await begun.keep()
      } catch (error) {
        await begun.discard()
        throw error
      }
    },
    async clear() {
      made.clear()
      await rm(directory, { recursive: true, force: true })
    },
    handlers: {
      async 'export.read'({ id, offset }) {
        const found = made.get(id)
        if (found === undefined) {
          throw new AppError(
            lookupCodes.exportUnknown,
            'This export is gone: it was read to its end, or made too long ago. Export once more.',
          )
        }
        const bytes = Buffer.alloc(Math.max(0, Math.min(bytesAtOnce, found.bytes - offset)))
        const next = offset + bytes.length
        {
          await using file = await open(found.path, 'r')
          await file.read(bytes, 0, bytes.length, offset)
        }
        const isEnd = next >= found.bytes
        if (isEnd) await remove(id)
        return { base64: bytes.toString('base64'), next: isEnd ? null : next }
      },
    },
  }
}
