/** Parses metadata of jettons and NFTs, which TEP-64 stores in a cell. */
import { type Cell, type Slice, Dictionary } from '@ton/core'
import { readSnakeBytes } from './payload.ts'

/** The SHA-256 hash of each key. */
const keys = {
  uri: '70e5d7b6a29b392f85076fe15ca2f2053c56c2338728c4e33c9e8ddb1ee827cc',
  name: '82a3537ff0dbce7eec35d69edc3a189ee6f17d82f353a553f9aa96cb0be3ce89',
  description: 'c9046f7a37ad0ea7cee73355984fa5428982f8b37c8f7bcec91f7ac71a7cd104',
  image: '6105d6cc76af400325e94d588ce511be5bfdbb73b437dc51eca43917d7a43e3d',
  image_data: 'd9a88ccec79eef59c84b671136a20ece4cd00caaad5bc47e2c208829154ee9e4',
  symbol: 'b76a7ca153c24671658335bbd08946350ffc621fa1c516e7123095d4ffd5c581',
  decimals: 'ee80fd2f1e03480e2282363596ee752d7bb27f50776b95086a0279189675923e',
} as const
type Key = keyof typeof keys

const offChain = 0x01
const onChain = 0x00

/** @returns null if the cell is no token content */
export function decodeTokenContent(cell: Cell) {
  try {
    return decode(cell.beginParse())
  } catch {
    return null
  }
}

/** @returns uri: the address of the remaining metadata; null if the contract contains everything */
function decode(slice: Slice) {
  const fields: Partial<Record<Key, string>> = {}
  const layout = slice.loadUint(8)
  if (layout === offChain) {
    const uri = readSnakeBytes(slice)?.toString('utf8') ?? null
    return uri === null ? null : { uri, fields }
  }
  if (layout !== onChain) return null
  const dictionary = slice.loadDict(Dictionary.Keys.Buffer(32), Dictionary.Values.Cell())
  for (const [key, hash] of Object.entries(keys) as [Key, string][]) {
    const value = dictionary.get(Buffer.from(hash, 'hex'))
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
