/** What a jetton or NFT transfer carries on to its receiver. */
import { type Cell, type Slice, beginCell } from '@ton/core'
import { opcodes } from './opcodes.ts'
import { formatCell } from './boc.ts'

export type PayloadContent =
  | { readonly kind: 'empty' }
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'encrypted'; readonly cipherText: Buffer }
  | { readonly kind: 'other'; readonly operation: number | null; readonly cell: Cell }

export type ForwardPayload = {
  /** It stood in a cell of its own. */
  readonly isRight: boolean
  readonly content: PayloadContent
}

/** Reads `Either Cell ^Cell` to the end of the body. A body that ends before it has none. */
export function decodeForwardPayload(slice: Slice): ForwardPayload {
  if (slice.remainingBits === 0) return { isRight: false, content: { kind: 'empty' } }
  const isRight = slice.loadBit()
  const cell = isRight ? slice.loadRef() : slice.asCell()
  return { isRight, content: decodePayload(cell) }
}

export function decodePayload(cell: Cell): PayloadContent {
  const slice = cell.beginParse(true)
  if (slice.remainingBits === 0 && slice.remainingRefs === 0) return { kind: 'empty' }
  if (slice.remainingBits < 32) return { kind: 'other', operation: null, cell }
  const operation = slice.loadUint(32)
  if (operation === opcodes.textComment || operation === opcodes.encryptedComment) {
    const bytes = readBytesOf(slice)
    if (bytes !== null) {
      return operation === opcodes.textComment
        ? { kind: 'comment', text: bytes.toString('utf8') }
        : { kind: 'encrypted', cipherText: bytes }
    }
  }
  return { kind: 'other', operation, cell }
}

function readBytesOf(slice: Slice): Buffer | null {
  try {
    return readSnakeBytes(slice)
  } catch {
    // A reference to an exotic cell: no text goes on there.
    return null
  }
}

/** Text of a payload, as the service's actions have it: an unknown operation is told as a call. */
export function commentOf(content: PayloadContent): string | null {
  if (content.kind === 'comment') return content.text
  if (content.kind !== 'other' || content.operation === null) return null
  return `Call: 0x${content.operation.toString(16).padStart(8, '0')}`
}

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

/** Long enough for any message a network accepts. */
const maxCells = 1024

/** Bytes from here to the end, going on in the last reference of each cell. @returns null when bits are left over */
export function readSnakeBytes(slice: Slice): Buffer | null {
  const parts: Buffer[] = []
  let current = slice
  for (let cells = 0; cells < maxCells; cells += 1) {
    if (current.remainingBits % 8 !== 0) return null
    parts.push(current.loadBuffer(current.remainingBits / 8))
    if (current.remainingRefs === 0) return Buffer.concat(parts)
    current = current.loadRef().beginParse()
  }
  return null
}
