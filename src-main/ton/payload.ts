/** Parses comments in message bodies, and the payloads that jetton and NFT transfers forward. */
import { type Cell, type Slice, Address, beginCell } from '@ton/core'
import { formatOpcode } from '../../src-preload/domain/opcode.ts'
import { opcodes } from './opcodes.ts'
import { formatCell } from './boc.ts'

export type PayloadContent =
  | { readonly kind: 'empty' }
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'encrypted'; readonly cipherText: Buffer }
  | { readonly kind: 'other'; readonly operation: number | null; readonly cell: Cell }

export type ForwardPayload = {
  /** True if the payload is in a separate cell. */
  readonly isRight: boolean
  readonly content: PayloadContent
}

/** Parses `Either Cell ^Cell` at the end of a body; without it the payload is empty. */
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
  if (operation === opcodes.textComment || operation === opcodes.encryptedTextComment) {
    const bytes = readBytesOf(slice)
    if (bytes !== null) {
      return operation === opcodes.textComment
        ? { kind: 'comment', text: formatComment(bytes) }
        : { kind: 'encrypted', cipherText: bytes }
    }
  }
  return { kind: 'other', operation, cell }
}

function readBytesOf(slice: Slice): Buffer | null {
  try {
    return readSnakeBytes(slice)
  } catch {
    // An exotic cell contains no text.
    return null
  }
}

/** Formats the comment as the service's actions do; they describe an unknown operation as a call. */
export function commentOf(content: PayloadContent): string | null {
  if (content.kind === 'comment') return content.text
  if (content.kind !== 'other' || content.operation === null) return null
  return `Call: ${formatOpcode(content.operation)}`
}

/** Stores a text comment in a cell; null for an empty text. */
export function commentCell(text: string): Cell | null {
  if (text === '') return null
  return beginCell().storeUint(opcodes.textComment, 32).storeStringTail(text).endCell()
}

/** Without a forward amount the recipient's wallet would not get the comment. */
const forwardNanotons = 1n

/**
 * Builds the order to a jetton wallet (TEP-74). The rest of the attached coins returns to the
 * sender. Both addresses are raw.
 */
export function jettonTransfer(amount: bigint, from: string, to: string, comment: string): Cell {
  return (
    beginCell()
      .storeUint(opcodes.jettonTransfer, 32)
      // The query id only distinguishes transfers in the wallets' own history.
      .storeUint(0, 64)
      .storeCoins(amount)
      .storeAddress(Address.parseRaw(to))
      .storeAddress(Address.parseRaw(from))
      .storeMaybeRef(null)
      .storeCoins(forwardNanotons)
      .storeMaybeRef(commentCell(comment))
      .endCell()
  )
}

/** @param body the body of a message or a forward payload @returns null if there is no text comment */
export const readComment = (body: Cell): string | null => readCommentSlice(body.beginParse())

export function readCommentSlice(slice: Slice): string | null {
  if (slice.remainingBits < 32 || slice.loadUint(32) !== opcodes.textComment) return null
  const bytes = readSnakeBytes(slice)
  return bytes === null ? null : formatComment(bytes)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Formats a comment as text, or as hex if it is not UTF-8. By TON’s guidelines for internal
 * messages a comment that begins with 0xff is binary, and no UTF-8 text begins so.
 */
export function formatComment(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return `0x${bytes.toString('hex')}`
  }
}

/** Number of whole bytes that fit into one cell of 1,023 bits. */
const maxCellBytes = 127

/**
 * Returns a message body as the hex of a BOC. The open edition of the service sends a short text
 * comment as bare bytes, recognized by the four zero bytes of its opcode, with which no BOC begins.
 */
export function bodyAsBoc(hex: string): string {
  const isBare = /^0{8}(?:[0-9a-fA-F]{2})*$/.test(hex) && hex.length <= maxCellBytes * 2
  return isBare ? formatCell(beginCell().storeBuffer(Buffer.from(hex, 'hex')).endCell()) : hex
}

/** The limit is higher than the number of cells in any accepted message. */
const maxCells = 1024

/**
 * Reads bytes to the end of a cell and of the chain of its first references. @returns null for
 * incomplete bytes
 */
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
