/**
 * Manages files for the user to save: each is written completely, read by the window in chunks, and
 * removed.
 */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ExportFile } from '../../src-preload/contract/lookup.ts'
import { AppError, lookupCodes } from '../../src-preload/domain/app-error.ts'
import type { Chunks } from './table.ts'
import { unwritableError, writeFile } from './write-file.ts'

export type ExportFiles = ReturnType<typeof createExportFiles>

export type BegunFile = Awaited<ReturnType<ExportFiles['begin']>>

type StoredFile = { readonly path: string; readonly name: string; readonly bytes: number }

const bytesAtOnce = 512 * 1024
/** Closed windows leave their files behind; beyond this number the oldest files are dropped. */
const maxKept = 8

/** @param directory created on demand, readable only by its owner */
export function createExportFiles(directory: string) {
  const files = new Map<string, StoredFile>()
  const cleared = rm(directory, { recursive: true, force: true }).catch(() => undefined)

  async function remove(id: string): Promise<void> {
    const path = files.get(id)?.path
    files.delete(id)
    if (path !== undefined) await rm(path, { force: true })
  }

  function find(id: string): StoredFile {
    const found = files.get(id)
    if (found !== undefined) return found
    throw new AppError(
      lookupCodes.exportUnknown,
      'This export no longer exists: it was already downloaded, or has expired. Export again.',
    )
  }

  async function begin(name: string, code: string = lookupCodes.exportUnwritable) {
    await cleared
    const id = randomUUID()
    const path = join(directory, id)
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 })
    } catch (cause) {
      throw unwritableError(code, 'the folder for exports', cause)
    }
    return {
      path,
      async keep(): Promise<ExportFile> {
        const { size: bytes } = await stat(path)
        files.set(id, { path, name, bytes })
        const [oldest] = files.keys()
        if (files.size > maxKept && oldest !== undefined) await remove(oldest)
        return { id, name, bytes }
      },
      discard: () => rm(path, { force: true, maxRetries: 5 }),
    }
  }

  return {
    begin,
    /** Returns the file, or null if it was read to its end or dropped for newer files. */
    stillThere: (file: ExportFile | null | undefined) =>
      file !== null && file !== undefined && files.has(file.id) ? file : null,
    async make(name: string, chunks: Chunks): Promise<ExportFile> {
      const begun = await begin(name)
      try {
        await writeFile(begun.path, chunks, lookupCodes.exportUnwritable)
        return await begun.keep()
      } catch (error) {
        await begun.discard()
        throw error
      }
    },
    /** @throws AppError EXPORT_UNKNOWN */
    nameOf: (id: string) => find(id).name,
    /** Copies a file to a path that the user chose. @throws AppError EXPORT_UNKNOWN; if the disk refuses */
    save: async (id: string, target: string) => copyWhole(find(id).path, target),
    /** Returns a path of the same file under its own name, for the program that the file is dragged to. */
    named: async (id: string) => linkUnderName(find(id)),
    async clear(): Promise<void> {
      files.clear()
      await rm(directory, { recursive: true, force: true })
    },
    handlers: {
      async 'export.read'({ id, offset }: { readonly id: string; readonly offset: number }) {
        const found = find(id)
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

async function copyWhole(path: string, target: string): Promise<void> {
  const part = `${target}.part`
  try {
    await copyFile(path, part)
    await rename(part, target)
  } catch (cause) {
    await rm(part, { force: true }).catch(() => undefined)
    throw unwritableError(lookupCodes.exportUnwritable, dirname(target), cause)
  }
}

async function linkUnderName({ path, name }: StoredFile): Promise<string> {
  const folder = `${path}-named`
  const named = join(folder, name)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await rm(named, { force: true })
    // Some file systems have no hard links.
    await link(path, named).catch(() => copyFile(path, named, constants.COPYFILE_EXCL))
  } catch (cause) {
    throw unwritableError(lookupCodes.exportUnwritable, 'the folder for exports', cause)
  }
  return named
}
