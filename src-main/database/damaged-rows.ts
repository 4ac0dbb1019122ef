/**
 * Reads rows from the pages of a damaged database without SQLite, which stops at the first damaged
 * page of a tree or returns rows that do not exist. Each page belongs to at most one tree, so
 * reading always ends. The children of a lost interior page are found by the pointer map of
 * auto-vacuum or, if that is lost too, by the form of their rows.
 */
import {
  type Pages,
  createPageMap,
  findFreePages,
  isTreePage,
  mapEntries,
  maxDepth,
  pageKinds,
  treeHeaderBytes,
  treeOffset,
} from './damaged-pages.ts'

type Value = null | bigint | number | string | Uint8Array

export type TableShape = {
  readonly name: string
  readonly columns: readonly {
    readonly name: string
    readonly type: string
    readonly notNull: boolean
  }[]
  /** Index of the column that is the row id, which records do not contain; -1 for a table without one. */
  readonly idColumn: number
  /** True for a WITHOUT ROWID table: its rows are in a tree like that of an index. */
  readonly isIndexed: boolean
}

export type Row = readonly Value[]

const comparedRows = 50

type Cell = { readonly id: bigint; readonly values: Value[] }

/** @param layouts table names by root page in new databases, for files whose own schema is lost */
export function readDamagedRows(
  pages: Pages,
  shapes: readonly TableShape[],
  layouts: readonly ReadonlyMap<number, string>[],
) {
  const { count } = pages
  const map = createPageMap(pages)
  const free = findFreePages(pages)
  const { readTree, childrenOf, cellsOf } = createCellReader(pages, map)
  const taken = new Uint8Array(count + 1)
  let lostPages = 0

  function takeTree(root: number): { found: number[]; isWhole: boolean } {
    const found: number[] = []
    let isWhole = true
    const waiting = [{ page: root, depth: 0 }]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { page, depth } = next
      const bytes = isFree(page) ? null : readTree(page)
      if (bytes === null || depth > maxDepth) {
        isWhole = false
        lostPages += 1
        continue
      }
      taken[page] = 1
      found.push(page)
      const children = childrenOf(bytes, page)
      for (const child of children.reverse()) waiting.push({ page: child, depth: depth + 1 })
    }
    return { found, isWhole }
  }

  const isFree = (page: number): boolean => page < 1 || page > count || taken[page] === 1

  const byName = new Map(shapes.map((shape) => [shape.name, shape]))
  const pagesOf = new Map<string, number[]>(shapes.map(({ name }) => [name, []]))

  const roots = readRoots()
  const broken = new Set(pagesOf.keys())
  for (const { name, root } of roots) {
    broken.add(name)
    if (isFree(root)) continue
    const tree = takeTree(root)
    if (tree.isWhole) broken.delete(name)
    pagesOf.get(name)?.push(...tree.found)
  }
  // If all trees are whole, pages outside of them are free pages.
  if (broken.size > 0) takeStrays()

  function readRoots() {
    const { found, isWhole: isWholeSchema } = takeTree(1)
    const roots = found.flatMap((page) => [...cellsOf(page)].flatMap(rootOf))
    if (isWholeSchema) return roots
    for (let page = 2; page <= count; page += 1) {
      if (isFree(page) || !canBeStray(page)) continue
      const bytes = readTree(page)
      if (bytes?.[0] !== pageKinds.leafTable) continue
      const named = [...cellsOf(page)].flatMap(rootOf)
      if (named.length === 0) continue
      taken[page] = 1
      roots.push(...named)
    }
    return roots
  }

  function rootOf({ values }: Cell): { name: string; root: number }[] {
    const [type, name, table, root, sql] = values
    if (type !== 'table' && type !== 'index') return []
    if (typeof name !== 'string' || typeof table !== 'string' || typeof root !== 'bigint') return []
    if (values.length !== 5 || (sql !== null && typeof sql !== 'string')) return []
    return [{ name: type === 'table' ? name : `index ${name}`, root: Number(root) }]
  }

  function canBeStray(page: number): boolean {
    if (free.has(page) || map.isMapPage(page)) return false
    const entry = map.entryOf(page)
    return entry === null || entry.type === mapEntries.tree || entry.type === mapEntries.root
  }

  function takeStrays(): void {
    const groups = new Map<number, number[]>()
    const ownerOf = new Map(roots.map(({ name, root }) => [root, name]))
    for (let page = 2; page <= count; page += 1) {
      if (isFree(page) || !canBeStray(page)) continue
      const kind = readTree(page)?.[0]
      if (kind === undefined || kind === pageKinds.interiorTable) continue
      const top = map.topOf(page)
      groups.set(top, [...(groups.get(top) ?? []), page])
    }
    const nameless: { top: number; found: number[]; names: string[] }[] = []
    for (const [top, found] of groups) {
      const owner = ownerOf.get(top)
      if (owner === undefined) nameless.push({ top, found, names: namesFor(found) })
      else pagesOf.get(owner)?.push(...found)
    }
    const agreeing = (layout: ReadonlyMap<number, string>) =>
      nameless.filter(({ top, names }) => names.includes(layout.get(top) ?? '')).length
    const layout = [...layouts].sort((a, b) => agreeing(b) - agreeing(a))[0]
    for (const { top, found, names } of nameless) {
      const expected = layout?.get(top) ?? ''
      const name = names.includes(expected) ? expected : names.length === 1 ? names[0] : undefined
      pagesOf.get(name ?? '')?.push(...found)
    }
  }

  function namesFor(found: readonly number[]): string[] {
    const rows: Cell[] = []
    let isIndexed = false
    for (const page of found) {
      isIndexed = readTree(page)?.[0] !== pageKinds.leafTable
      for (const cell of cellsOf(page)) if (rows.push(cell) >= comparedRows) break
      if (rows.length >= comparedRows) break
    }
    if (rows.length === 0) return []
    return shapes
      .filter((shape) => broken.has(shape.name) && shape.isIndexed === isIndexed)
      .filter((shape) => rows.every((row) => fits(shape, row)))
      .map(({ name }) => name)
  }

  return {
    get lostPages() {
      return lostPages
    },
    /** Yields rows in no particular order. A row may occur more than once, its newest version first. */
    *rowsOf(table: string): Generator<Row> {
      const shape = byName.get(table)
      if (shape === undefined) return
      for (const page of pagesOf.get(table) ?? []) {
        for (const cell of cellsOf(page)) {
          if (cell.values.length > shape.columns.length) continue
          const row = [...cell.values]
          if (shape.idColumn >= 0) row[shape.idColumn] = cell.id
          yield row
        }
      }
    },
  }
}

/** Parses the cells of single pages, with the overflow pages of their payload. */
function createCellReader(pages: Pages, map: ReturnType<typeof createPageMap>) {
  const { pageSize, count } = pages

  function readTree(page: number): Buffer | null {
    const bytes = pages.read(page)
    return bytes !== null && isTreePage(bytes, page, pageSize) ? bytes : null
  }

  function childrenOf(bytes: Buffer, page: number): number[] {
    const at = treeOffset(page)
    const kind = bytes[at]
    if (kind !== pageKinds.interiorTable && kind !== pageKinds.interiorIndex) return []
    const children = cellOffsets(bytes, page).flatMap((offset) =>
      offset + 4 <= pageSize ? [bytes.readUInt32BE(offset)] : [],
    )
    return [...children, bytes.readUInt32BE(at + 8)]
  }

  function* cellsOf(page: number): Generator<Cell> {
    const bytes = readTree(page)
    if (bytes === null) return
    const kind = bytes[treeOffset(page)] ?? 0
    // Interior pages hold ids and children only; a table's rows are in its leaves.
    if (kind === pageKinds.interiorTable) return
    for (const offset of cellOffsets(bytes, page)) {
      const cell = readCell(bytes, page, kind, offset)
      if (cell !== null) yield cell
    }
  }

  function readCell(bytes: Buffer, page: number, kind: number, offset: number): Cell | null {
    let at = offset + (kind === pageKinds.interiorIndex ? 4 : 0)
    const size = readVarint(bytes, at)
    if (size === null) return null
    at = size.end
    let id = 0n
    if (kind === pageKinds.leafTable) {
      const rowid = readVarint(bytes, at)
      if (rowid === null) return null
      id = BigInt.asIntN(64, rowid.value)
      at = rowid.end
    }
    const payload = readPayload(bytes, page, kind, at, Number(size.value))
    const values = payload === null ? null : readRecord(payload)
    return values === null ? null : { id, values }
  }

  /** The size of the part on the page: https://sqlite.org/fileformat.html#b_tree_pages */
  function readPayload(
    bytes: Buffer,
    page: number,
    kind: number,
    at: number,
    size: number,
  ): Buffer | null {
    const max =
      kind === pageKinds.leafTable ? pageSize - 35 : Math.floor(((pageSize - 12) * 64) / 255) - 23
    const least = Math.floor(((pageSize - 12) * 32) / 255) - 23
    if (size > count * pageSize) return null
    if (size <= max) return at + size <= pageSize ? bytes.subarray(at, at + size) : null
    const middle = least + ((size - least) % (pageSize - 4))
    const local = middle <= max ? middle : least
    if (at + local + 4 > pageSize) return null
    const parts = [bytes.subarray(at, at + local)]
    let [left, before, next] = [size - local, page, bytes.readUInt32BE(at + local)]
    while (left > 0) {
      const part = readOverflow(next, before, parts.length === 1)
      if (part === null) return null
      const length = Math.min(left, pageSize - 4)
      parts.push(part.subarray(4, 4 + length))
      left -= length
      before = next
      next = part.readUInt32BE(0)
    }
    return next === 0 ? Buffer.concat(parts) : null
  }

  /** A page of zeros was never written, or its content is lost. */
  function readOverflow(page: number, before: number, isFirst: boolean): Buffer | null {
    if (page < 2 || page > count) return null
    const entry = map.entryOf(page)
    const type = isFirst ? mapEntries.firstOverflow : mapEntries.nextOverflow
    if (entry !== null && (entry.type !== type || entry.parent !== before)) return null
    const bytes = pages.read(page)
    return bytes === null || bytes.every((byte) => byte === 0) ? null : bytes
  }

  return { readTree, childrenOf, cellsOf }
}

function cellOffsets(bytes: Buffer, page: number): number[] {
  const at = treeOffset(page)
  const first = at + treeHeaderBytes(bytes[at] ?? 0)
  const cells = bytes.readUInt16BE(at + 3)
  return Array.from({ length: cells }, (_, index) => bytes.readUInt16BE(first + 2 * index))
}

/** All tables are STRICT, so each value has the type of its column. */
function fits({ columns, idColumn }: TableShape, { values }: Cell): boolean {
  if (values.length !== columns.length) return false
  return columns.every(({ type, notNull }, index) => {
    const value = values[index]
    if (index === idColumn) return value === null
    if (value === null || value === undefined) return !notNull
    const isBlob = value instanceof Uint8Array
    if (type === 'INTEGER' || type === 'INT') return typeof value === 'bigint'
    if (type === 'TEXT') return typeof value === 'string'
    if (type === 'REAL') return typeof value !== 'string' && !isBlob
    return type !== 'BLOB' || isBlob
  })
}

/** https://sqlite.org/fileformat.html#varint */
function readVarint(bytes: Buffer, at: number): { value: bigint; end: number } | null {
  let small = 0
  for (let index = 0; index < 4; index += 1) {
    const byte = bytes[at + index]
    if (byte === undefined) return null
    small = small * 128 + (byte & 0x7f)
    if (byte < 0x80) return { value: BigInt(small), end: at + index + 1 }
  }
  let value = BigInt(small)
  for (let index = 4; index < 9; index += 1) {
    const byte = bytes[at + index]
    if (byte === undefined) return null
    if (index === 8) return { value: (value << 8n) | BigInt(byte), end: at + 9 }
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) return { value, end: at + index + 1 }
  }
  return null
}

function readRecord(payload: Buffer): Value[] | null {
  const header = readVarint(payload, 0)
  if (header === null || header.value > BigInt(payload.length)) return null
  const headerEnd = Number(header.value)
  const values: Value[] = []
  let typeAt = header.end
  let valueAt = headerEnd
  while (typeAt < headerEnd) {
    const type = readVarint(payload, typeAt)
    if (type === null) return null
    typeAt = type.end
    const read = readValue(payload, valueAt, Number(type.value))
    if (read === null) return null
    values.push(read.value)
    valueAt = read.end
  }
  return typeAt === headerEnd && valueAt === payload.length ? values : null
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8]

function readValue(
  payload: Buffer,
  at: number,
  type: number,
): { value: Value; end: number } | null {
  if (type === 0) return { value: null, end: at }
  if (type === 8 || type === 9) return { value: BigInt(type - 8), end: at }
  if (type === 10 || type === 11) return null
  const length = type === 7 ? 8 : (integerBytes[type] ?? Math.floor((type - 12) / 2))
  const end = at + length
  if (end > payload.length) return null
  if (type === 7) return { value: payload.readDoubleBE(at), end }
  if (type === 6) return { value: payload.readBigInt64BE(at), end }
  if (type < 6) return { value: BigInt(payload.readIntBE(at, length)), end }
  const bytes = payload.subarray(at, end)
  return { value: type % 2 === 0 ? bytes : bytes.toString('utf8'), end }
}
