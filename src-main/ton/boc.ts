/** Parses and formats bags of cells. The service accepts hex and base64 and responds with hex. */
import { Cell, type Message, loadMessage } from '@ton/core'
import { messageOf } from '../../src-preload/domain/app-error.ts'

export class BocError extends Error {}

const hexForm = /^(?:[0-9a-fA-F]{2})+$/
const base64Form =
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/

/** Decodes hex, else standard base64, as the service does. @returns null for other text */
export function readBytes(text: string): Buffer | null {
  if (hexForm.test(text)) return Buffer.from(text, 'hex')
  return base64Form.test(text) ? Buffer.from(text, 'base64') : null
}

/** The networks' own limit, which also protects recursive functions. */
const maxDepth = 1024

/** @throws BocError if the bytes are no BOC, or if the BOC has several roots or is too deep */
export function parseBoc(bytes: Buffer): Cell {
  const cells = deserialize(bytes)
  const [root] = cells
  if (root === undefined || cells.length !== 1) {
    throw new BocError(`the BOC has ${cells.length} roots, one is expected`)
  }
  if (root.depth() > maxDepth) {
    throw new BocError(
      `the BOC is ${root.depth()} cells deep, more than ${maxDepth} is not allowed`,
    )
  }
  return root
}

/** @returns null for a missing text, and for a text that is no BOC */
export function readBoc(text: string | null | undefined): Cell | null {
  try {
    const bytes = readBytes(text ?? '')
    return bytes === null ? null : parseBoc(bytes)
  } catch {
    return null
  }
}

function deserialize(bytes: Buffer): Cell[] {
  try {
    return Cell.fromBoc(bytes)
  } catch (error) {
    throw new BocError(`the bytes are not a valid BOC: ${messageOf(error)}`)
  }
}

/** Formats hex without a checksum, as the service does. */
export const formatCell = (cell: Cell): string =>
  cell.toBoc({ idx: false, crc32: false }).toString('hex')

/** @throws BocError if the cell is no message */
export function parseMessage(cell: Cell): Message {
  try {
    return loadMessage(cell.beginParse())
  } catch (error) {
    throw new BocError(`the BOC contains no message: ${messageOf(error)}`)
  }
}
