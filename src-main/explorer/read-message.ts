import type { Cell } from '@ton/core'
import type { MessageAnswer } from '../gateway/query-answers.ts'
import { parseBoc } from '../ton/boc.ts'
import { type DecodedBody, decodeBody } from '../ton/decode-body.ts'
import type { ForwardPayload } from '../ton/decode-payload.ts'
import { operationName, readOpcode } from '../ton/opcodes.ts'

/** A message of an answer with its body understood: by us where we can, else as the gateway has it. */
export type ReadMessage = {
  readonly answer: MessageAnswer
  readonly body: DecodedBody | null
  /** `0x` and eight digits. */
  readonly opcode: string | null
  readonly operation: string | null
  readonly comment: string | null
}

export function readMessage(answer: MessageAnswer): ReadMessage {
  // Bodies of external messages begin with a signature: what looks like an opcode there is none.
  const isInternal = answer.msg_type === 'int_msg'
  const cell = isInternal ? readCell(answer.raw_body) : null
  const body = cell === null ? null : decodeBody(cell)
  const opcode = isInternal ? (answer.op_code ?? null) : null
  const known = opcode === null ? null : readOpcode(opcode)
  return {
    answer,
    body,
    opcode,
    operation:
      body?.name ?? answer.decoded_op_name ?? (known === null ? null : operationName(known)),
    comment: body === null ? toldComment(answer) : commentOf(body),
  }
}

/**
 * Nanotons that reach the receiver. No network delivers by hypercube routing (IHR), so a fee that was
 * reserved for it is credited with the value; in a message that forbids IHR the field means other things.
 */
export function valueOf({ value, ihr_fee, ihr_disabled }: MessageAnswer): bigint {
  return BigInt(value) + (ihr_disabled ? 0n : BigInt(ihr_fee))
}

function readCell(hex: string | null | undefined): Cell | null {
  if (!hex) return null
  try {
    return parseBoc(Buffer.from(hex, 'hex'))
  } catch {
    // The rest of the answer can be read all the same.
    return null
  }
}

function commentOf(body: DecodedBody): string | null {
  if (body.name === 'text_comment') return body.text
  return 'forwardPayload' in body ? payloadComment(body.forwardPayload) : null
}

function payloadComment({ content }: ForwardPayload): string | null {
  return content.kind === 'comment' ? content.text : null
}

/** A gateway may leave the raw body out. */
function toldComment({ decoded_op_name, decoded_body }: MessageAnswer): string | null {
  if (decoded_op_name !== 'text_comment') return null
  const { text } = (decoded_body ?? {}) as { readonly text?: unknown }
  return typeof text === 'string' ? text : null
}

/** Raw addresses a body names. */
export function addressesIn(body: DecodedBody | null): string[] {
  if (body === null) return []
  return Object.values(body).flatMap((value: unknown) =>
    isAddress(value) ? [value.toRawString()] : [],
  )
}

function isAddress(value: unknown): value is { toRawString(): string } {
  return typeof value === 'object' && value !== null && 'toRawString' in value
}
