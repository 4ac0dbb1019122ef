import type { Address, Cell } from '@ton/core'
import type { DecodedBody as ShownBody, DecodedField } from '../../src-preload/contract/chain.ts'
import { readAddress } from '../ton/address.ts'
import { formatCell } from '../ton/boc.ts'
import { type DecodedBody, readOperation } from '../ton/decode-body.ts'
import type { ForwardPayload } from '../ton/payload.ts'
import { operationName, formatOpcode } from '../ton/opcodes.ts'
import type { ReadMessage } from './read-trace.ts'

export function showBody({ body, answer }: ReadMessage): ShownBody | null {
  if (body !== null) return { operation: body.name, fields: fieldsOf(body) }
  const { decoded_op_name: operation, decoded_body: decoded } = answer
  return operation ? { operation, fields: flatten(decoded, maxFields).map(toField) } : null
}

function fieldsOf(body: DecodedBody): DecodedField[] {
  switch (body.name) {
    case 'text_comment':
      return [text('text', body.text)]
    case 'encrypted_text_comment':
      return [bytes('cipher_text', body.cipherText)]
    case 'excess':
      return [number('query_id', body.queryId)]
    case 'bounce':
      return bouncedFields(body.payload)
    case 'jetton_transfer':
      return [
        number('query_id', body.queryId),
        number('amount', body.amount),
        ...address('destination', body.destination),
        ...address('response_destination', body.responseDestination),
        ...cell('custom_payload', body.customPayload),
        ton('forward_ton_amount', body.forwardAmount),
        ...payload(body.forwardPayload),
      ]
    case 'jetton_internal_transfer':
      return [
        number('query_id', body.queryId),
        number('amount', body.amount),
        ...address('from', body.from),
        ...address('response_address', body.responseAddress),
        ton('forward_ton_amount', body.forwardAmount),
        ...payload(body.forwardPayload),
      ]
    case 'jetton_notify':
      return [
        number('query_id', body.queryId),
        number('amount', body.amount),
        ...address('sender', body.sender),
        ...payload(body.forwardPayload),
      ]
    case 'jetton_burn':
      return [
        number('query_id', body.queryId),
        number('amount', body.amount),
        ...address('response_destination', body.responseDestination),
        ...cell('custom_payload', body.customPayload),
      ]
    case 'jetton_burn_notification':
      return [
        number('query_id', body.queryId),
        number('amount', body.amount),
        ...address('sender', body.sender),
        ...address('response_destination', body.responseDestination),
      ]
    case 'jetton_mint':
      return [
        number('query_id', body.queryId),
        ...address('to_address', body.toAddress),
        ton('ton_amount', body.tonAmount),
        ...cell('master_msg', body.masterMessage),
      ]
    case 'nft_transfer':
      return [
        number('query_id', body.queryId),
        ...address('new_owner', body.newOwner),
        ...address('response_destination', body.responseDestination),
        ...cell('custom_payload', body.customPayload),
        ton('forward_amount', body.forwardAmount),
        ...payload(body.forwardPayload),
      ]
    case 'nft_ownership_assigned':
      return [
        number('query_id', body.queryId),
        ...address('prev_owner', body.previousOwner),
        ...payload(body.forwardPayload),
      ]
  }
}

function bouncedFields(sent: Cell): DecodedField[] {
  const opcode = readOperation(sent)
  const name = opcode === null ? null : operationName(opcode)
  return [
    ...(opcode === null ? [] : [text('sent_opcode', formatOpcode(opcode))]),
    ...(name === null ? [] : [text('sent_operation', name)]),
    ...cell('payload', sent),
  ]
}

function payload({ content }: ForwardPayload): DecodedField[] {
  switch (content.kind) {
    case 'empty':
      return []
    case 'comment':
      return [text('forward_payload.text', content.text)]
    case 'encrypted':
      return [bytes('forward_payload.cipher_text', content.cipherText)]
    case 'other':
      return cell('forward_payload', content.cell)
  }
}

const text = (name: string, value: string): DecodedField => ({ name, kind: 'text', value })
const number = (name: string, value: bigint): DecodedField => ({
  name,
  kind: 'number',
  value: value.toString(),
})
/** Nanotons. */
const ton = (name: string, value: bigint): DecodedField => ({
  name,
  kind: 'ton',
  value: value.toString(),
})
const bytes = (name: string, value: Buffer): DecodedField => ({
  name,
  kind: 'bytes',
  value: value.toString('hex'),
})
const address = (name: string, value: Address | null): DecodedField[] =>
  value === null ? [] : [{ name, kind: 'address', value: value.toRawString() }]
const cell = (name: string, value: Cell | null): DecodedField[] =>
  value === null ? [] : [{ name, kind: 'cell', value: formatCell(value) }]

const maxFields = 200

const bocForm = /^b5ee9c72[0-9a-f]*$/i

function toField({ name, value }: Leaf): DecodedField {
  if (typeof value === 'boolean') return { name, kind: 'text', value: String(value) }
  if (typeof value !== 'string') return { name, kind: 'number', value: value.toString() }
  const raw = value.includes(':') ? readAddress(value)?.raw : undefined
  if (raw !== undefined) return { name, kind: 'address', value: raw }
  return { name, kind: bocForm.test(value) ? 'cell' : 'text', value }
}

export type Leaf = {
  /** The path in the JSON: keys and list indexes joined by dots. */
  readonly name: string
  readonly value: string | number | bigint | boolean
}

const maxDepth = 8

export function flatten(json: unknown, max: number): Leaf[] {
  const leaves: Leaf[] = []

  function add(name: string, value: unknown, depth: number): void {
    if (leaves.length >= max) return
    if (typeof value === 'object' && value !== null) {
      if (depth === maxDepth) return
      for (const [key, each] of Object.entries(value)) {
        add(name === '' ? key : `${name}.${key}`, each, depth + 1)
      }
    } else if (isPlain(value)) {
      leaves.push({ name: name === '' ? 'value' : name, value })
    }
  }

  add('', json, 0)
  return leaves
}

function isPlain(value: unknown): value is Leaf['value'] {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
}
