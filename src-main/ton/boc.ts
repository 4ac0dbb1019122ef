/** Bags of cells as text. The service takes hex and base64, and answers hex. */
import { Cell } from '@ton/core'

/** One sentence on what is wrong with it. */
export class BocError extends Error {}

const hexForm = /^(?:[0-9a-fA-F]{2})+$/
const base64Form = /^[A-Za-z0-9+/]*={0,2}$/
const base64UrlForm = /^[A-Za-z0-9_-]*={0,2}$/

/**
 * Bytes of hex, else of base64; hex is tried first, as the service does.
 * @returns null when it is neither
 */
export function readBytes(text: string, allow?: { readonly base64Url?: boolean }): Buffer | null {
  if (hexForm.test(text)) return Buffer.from(text, 'hex')
  const isBase64 = base64Form.test(text) || (allow?.base64Url === true && base64UrlForm.test(text))
  const bytes = text.replaceAll('=', '').length
  if (!isBase64 || bytes === 0 || bytes % 4 === 1) return null
  return Buffer.from(text, 'base64url')
}

/** @throws BocError when the bytes hold no bag, or one of several roots */
export function parseBoc(bytes: Buffer): Cell {
  const cells = deserialize(bytes)
  const [root] = cells
  if (root === undefined || cells.length !== 1) {
    throw new BocError(`the BOC holds ${cells.length} roots, one is expected`)
  }
  return root
}

function deserialize(bytes: Buffer): Cell[] {
  try {
    return Cell.fromBoc(bytes)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new BocError(`the bytes are not a valid BOC: ${why}`)
  }
}

/** Hex, without checksum: as the service prints cells. */
export function printCell(cell: Cell): string {
  return cell.toBoc({ idx: false, crc32: false }).toString('hex')
}
