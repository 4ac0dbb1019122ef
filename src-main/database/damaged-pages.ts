/**
 * Pages of a SQLite file that SQLite itself may refuse to open, with those of its write-ahead log. Format:
 * https://sqlite.org/fileformat.html
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

export type Pages = ReturnType<typeof openPages>

const pageSizes = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536] as const

const sampledPages = 400

export const pageKinds = {
  interiorIndex: 2,
  interiorTable: 5,
  leafIndex: 10,
  leafTable: 13,
} as const
const treeKinds: ReadonlySet<number> = new Set(Object.values(pageKinds))

/** Bytes before a page's cell pointers; interior pages also store their rightmost child there. */
export const treeHeaderBytes = (kind: number): number =>
  kind === pageKinds.interiorIndex || kind === pageKinds.interiorTable ? 12 : 8

export const treeOffset = (page: number): number => (page === 1 ? 100 : 0)

export function isTreePage(bytes: Buffer, page: number, pageSize: number): boolean {
  const at = treeOffset(page)
  const kind = bytes[at] ?? 0
  if (!treeKinds.has(kind)) return false
  const cells = bytes.readUInt16BE(at + 3)
  // Zero means 65536, which does not fit into two bytes.
  const contentStart = bytes.readUInt16BE(at + 5) || 65_536
  const pointersEnd = at + treeHeaderBytes(kind) + 2 * cells
  return pointersEnd <= contentStart && contentStart <= pageSize
}

/** Opens the file for reading only. */
export function openPages(path: string) {
  const log = readLog(`${path}-wal`)
  const file = openSync(path, 'r')
  const bytes = fstatSync(file).size
  const pageSize = log?.pageSize ?? findPageSize(file, bytes)
  const count = log?.pageCount ?? Math.floor(bytes / pageSize)
  const cutPage = bytes % pageSize === 0 ? null : Math.floor(bytes / pageSize) + 1
  const logFile = log === null ? null : openSync(`${path}-wal`, 'r')
  return {
    pageSize,
    count,
    /**
     * True when commits follow a damaged frame of the log, where SQLite would ignore them. A power cut can
     * damage only the last, unconfirmed commit, because each commit is on the disk before the next one begins.
     */
    isLogDamaged: (log?.commitsBehindDamage ?? 0) > 1,
    /**
     * True when the file ends within a page, which SQLite fills with zeros and reads as rows. After a
     * checkpoint on a full disk the file can end like this too, but then the log contains the whole page.
     */
    isCutWithinPage: cutPage !== null && log?.frames.has(cutPage) !== true,
    read(page: number): Buffer | null {
      const inLogAt = log?.frames.get(page)
      return inLogAt !== undefined && logFile !== null
        ? readExactly(logFile, inLogAt, pageSize)
        : readExactly(file, (page - 1) * pageSize, pageSize)
    },
    [Symbol.dispose](): void {
      closeSync(file)
      if (logFile !== null) closeSync(logFile)
    },
  }
}

function readExactly(file: number, position: number, length: number): Buffer | null {
  const bytes = Buffer.allocUnsafe(length)
  return readSync(file, bytes, 0, length, position) === length ? bytes : null
}

/**
 * Does not use the header, which may be damaged. The page size is the smallest size at whose
 * multiples nearly as many tree pages begin as for any other size.
 */
function findPageSize(file: number, bytes: number): number {
  const scores = pageSizes.map((pageSize) => {
    const pages = Math.floor(bytes / pageSize)
    const step = Math.max(1, Math.floor(pages / sampledPages))
    let found = 0
    let sampled = 0
    for (let page = 1; page <= pages; page += step) {
      // Page 1 begins with the database header of 100 bytes.
      const head = readExactly(file, (page - 1) * pageSize, 128)
      sampled += 1
      if (head !== null && isTreePage(head, page, pageSize)) found += 1
    }
    return { pageSize, share: sampled === 0 ? 0 : found / sampled }
  })
  const best = Math.max(...scores.map(({ share }) => share))
  const header = readExactly(file, 0, 18)?.readUInt16BE(16)
  const named = scores.find(({ pageSize }) => pageSize === (header === 1 ? 65_536 : header))
  const isGood = ({ share }: { share: number }) => share > best * 0.7
  return (named !== undefined && isGood(named) ? named : scores.find(isGood))?.pageSize ?? 16_384
}

export const maxDepth = 20

export const mapEntries = {
  root: 1,
  free: 2,
  firstOverflow: 3,
  nextOverflow: 4,
  tree: 5,
} as const

/** https://sqlite.org/fileformat.html#pointer_map_or_ptrmap_pages */
export function createPageMap(pages: Pages) {
  const entriesPerPage = Math.floor(pages.pageSize / 5)
  /** SQLite stores no data on this page, because it takes locks on its bytes. */
  const lockPage = Math.floor(0x4000_0000 / pages.pageSize) + 1
  // The first entry describes page 3, which is always a root.
  const first = pages.read(2)
  const header = pages.read(1)
  const isThere =
    (first?.[0] === mapEntries.root && first.readUInt32BE(1) === 0) ||
    (header?.readUInt32BE(52) ?? 0) > 0
  let cached: { page: number; bytes: Buffer | null } = { page: 0, bytes: null }

  function mapPageOf(page: number): number {
    const mapPage = Math.floor((page - 2) / (entriesPerPage + 1)) * (entriesPerPage + 1) + 2
    return mapPage === lockPage ? mapPage + 1 : mapPage
  }

  function entryOf(page: number): { readonly type: number; readonly parent: number } | null {
    if (!isThere || page < 3) return null
    const mapPage = mapPageOf(page)
    if (page <= mapPage) return null
    if (cached.page !== mapPage) cached = { page: mapPage, bytes: pages.read(mapPage) }
    const at = 5 * (page - mapPage - 1)
    const type = cached.bytes?.[at] ?? 0
    if (cached.bytes === null || type < mapEntries.root || type > mapEntries.tree) return null
    return { type, parent: cached.bytes.readUInt32BE(at + 1) }
  }

  return {
    entryOf,
    isMapPage: (page: number) => isThere && page >= 2 && mapPageOf(page) === page,
    topOf(page: number): number {
      let top = page
      for (let depth = 0; depth < maxDepth; depth += 1) {
        const entry = entryOf(top)
        if (entry?.type !== mapEntries.tree) return top
        top = entry.parent
      }
      return top
    },
  }
}

export function findFreePages(pages: Pages): ReadonlySet<number> {
  const free = new Set<number>()
  let trunk = pages.read(1)?.readUInt32BE(32) ?? 0
  while (trunk >= 2 && trunk <= pages.count && !free.has(trunk)) {
    const bytes = pages.read(trunk)
    if (bytes === null) break
    free.add(trunk)
    const leaves = Math.min(bytes.readUInt32BE(4), pages.pageSize / 4 - 2)
    for (let index = 0; index < leaves; index += 1) free.add(bytes.readUInt32BE(8 + 4 * index))
    trunk = bytes.readUInt32BE(0)
  }
  return free
}

const logHeaderBytes = 32
const frameHeaderBytes = 24
const logMagics = [0x377f0682, 0x377f0683]

/**
 * Reads a write-ahead log past damaged frames too, because each frame's checksum continues the one
 * in the frame before. Null without a log or with a damaged header.
 */
function readLog(path: string) {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return null
  }
  try {
    const header = readExactly(file, 0, logHeaderBytes)
    const magic = header?.readUInt32BE(0) ?? 0
    const pageSize = header?.readUInt32BE(8) ?? 0
    if (header === null || !logMagics.includes(magic)) return null
    if (!(pageSizes as readonly number[]).includes(pageSize)) return null
    const isBigEndian = magic === 0x377f0683
    const headerSum = checksum(header.subarray(0, 24), [0, 0], isBigEndian)
    if (!isSum(headerSum, header, 24)) return null
    const salts = header.subarray(16, 24)
    const frames = new Map<number, number>()
    /** Frames count only when the last frame of their transaction has been read. */
    let pending = new Map<number, number>()
    let before = headerSum
    let pageCount: number | null = null
    let isDamaged = false
    /** The number of whole commits behind damaged frames, where SQLite stops reading. */
    let commitsBehindDamage = 0
    for (let at = logHeaderBytes; ; at += frameHeaderBytes + pageSize) {
      const frame = readExactly(file, at, frameHeaderBytes + pageSize)
      if (frame === null) break
      const head = checksum(frame.subarray(0, 8), before, isBigEndian)
      const sum = checksum(frame.subarray(frameHeaderBytes), head, isBigEndian)
      before = [frame.readUInt32BE(16), frame.readUInt32BE(20)]
      if (!isSum(sum, frame, 16) || !frame.subarray(8, 16).equals(salts)) {
        isDamaged = true
        continue
      }
      pending.set(frame.readUInt32BE(0), at + frameHeaderBytes)
      const pagesAfterCommit = frame.readUInt32BE(4)
      if (pagesAfterCommit === 0) continue
      pageCount = pagesAfterCommit
      for (const [page, position] of pending) frames.set(page, position)
      pending = new Map()
      if (isDamaged) commitsBehindDamage += 1
    }
    return { pageSize, pageCount, frames, commitsBehindDamage }
  } finally {
    closeSync(file)
  }
}

type Sum = readonly [number, number]

const isSum = ([first, second]: Sum, bytes: Buffer, at: number): boolean =>
  bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second

/** https://sqlite.org/fileformat.html#checksum_algorithm */
function checksum(bytes: Buffer, [first, second]: Sum, isBigEndian: boolean): Sum {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let [low, high] = [first, second]
  for (let at = 0; at < bytes.byteLength; at += 8) {
    low = (low + words.getUint32(at, !isBigEndian) + high) >>> 0
    high = (high + words.getUint32(at + 4, !isBigEndian) + low) >>> 0
  }
  return [low, high]
}
