import type { Cell, Slice } from '@ton/core'
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
