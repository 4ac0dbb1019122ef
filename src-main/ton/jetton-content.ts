/** Metadata of jettons and NFTs as TEP-64 keeps it in a cell. */
import { createHash } from 'node:crypto'
import { type Cell, type Slice, Dictionary } from '@ton/core'
import { readSnakeBytes } from './payload.ts'

const keys = ['uri', 'name', 'description', 'image', 'image_data', 'symbol', 'decimals'] as const

const offChain = 0x01
const onChain = 0x00

/** @returns null when the cell is no token content */
export function decodeTokenContent(cell: Cell) {
  try {
    return decode(cell.beginParse())
  } catch {
    return null
  }
}

/** @returns uri: where the rest is; null when all of it is in the contract */
function decode(slice: Slice) {
  const fields: Partial<Record<(typeof keys)[number], string>> = {}
  const layout = slice.loadUint(8)
  if (layout === offChain) {
    const uri = readSnakeBytes(slice)?.toString('utf8') ?? null
    return uri === null ? null : { uri, fields }
  }
  if (layout !== onChain) return null
  const dictionary = slice.loadDict(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell())
  for (const key of keys) {
    const value = dictionary.get(createHash('sha256').update(key).digest())
    const text = value === undefined ? null : decodeValue(value.beginParse())
    if (text !== null) fields[key] = text
  }
  return { uri: fields.uri ?? null, fields }
}

function decodeValue(slice: Slice): string | null {
  const layout = slice.remainingBits < 8 ? null : slice.loadUint(8)
  if (layout === 0) return readSnakeBytes(slice)?.toString('utf8') ?? null
  return layout === 1 ? decodeChunks(slice) : null
}

function decodeChunks(slice: Slice): string | null {
  const chunks = slice.loadDict(Dictionary.Keys.Uint(32), Dictionary.Values.Cell())
  const parts: Buffer[] = []
  for (let index = 0; index < chunks.size; index += 1) {
    const bytes = chunks.get(index)
    const part = bytes === undefined ? null : readSnakeBytes(bytes.beginParse())
    if (part === null) return null
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
