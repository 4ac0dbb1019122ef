import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Enough for the transactions that delete captures, until the space of these can be used again. */
const reserveBytes = 4 * 1024 * 1024
/** With less on the disk nothing is set aside. */
const minFreeBytes = 128 * 1024 * 1024

/** A file of no content: deleted when the disk is full, it makes room for deleting captures. */
export function makeReserve(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === reserveBytes) return
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    if (bavail * bsize < minFreeBytes) return
    writeFileSync(path, Buffer.alloc(reserveBytes, 1), { mode: 0o600 })
  } catch {
    releaseReserve(path)
  }
}

/** @returns false when there was none */
export function releaseReserve(path: string): boolean {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined
  rmSync(path, { force: true })
  return isThere
}
