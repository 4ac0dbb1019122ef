/** What a jetton or NFT transfer carries on to its receiver. */
import type { Cell, Slice } from '@ton/core'
import { opcodes } from './opcodes.ts'
import { readSnakeBytes } from './snake.ts'

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
