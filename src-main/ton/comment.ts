import { type Cell, type Slice, beginCell } from '@ton/core'
import { formatCell } from './boc.ts'
import { opcodes } from './opcodes.ts'
import { readSnakeBytes } from './snake.ts'

/** Text of a message body or a jetton's forward payload. @returns null when it carries no text comment */
export function readComment(body: Cell): string | null {
  return readCommentSlice(body.beginParse())
}

/** The same from the middle of a cell; the slice is consumed. */
export function readCommentSlice(slice: Slice): string | null {
  if (slice.remainingBits < 32 || slice.loadUint(32) !== opcodes.textComment) return null
  const bytes = readSnakeBytes(slice)
  // Bytes that are no UTF-8 become replacement characters: a broken comment is still a comment.
  return bytes === null ? null : bytes.toString('utf8')
}

/** Whole bytes that fit into one cell of 1,023 bits. */
const maxCellBytes = 127

/**
 * A message body as the hex of a BOC. The open edition of the service sends the bare bytes of a text
 * comment that fits into one cell: no BOC begins with the four zero bytes of a comment's opcode.
 */
export function bodyAsBoc(hex: string): string {
  const isBare = /^0{8}(?:[0-9a-fA-F]{2})*$/.test(hex) && hex.length <= maxCellBytes * 2
  return isBare ? formatCell(beginCell().storeBuffer(Buffer.from(hex, 'hex')).endCell()) : hex
}
