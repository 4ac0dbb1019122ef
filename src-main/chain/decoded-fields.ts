import type { Cell } from '@ton/core'
import type {
  DecodedBody as ShownBody,
  DecodedField,
} from '../../src-preload/contract/chain/transaction.ts'
import { readAddress } from '../ton/address.ts'
import { formatCell } from '../ton/boc.ts'
import { type BodyField, fieldsOf, readOperation } from '../ton/decode-body.ts'
import type { PayloadContent } from '../ton/payload.ts'
import { operationName } from '../ton/opcodes.ts'
import { formatOpcode } from '../../src-preload/domain/opcode.ts'
import type { ReadMessage } from './read-trace.ts'

export function showBody({ body, answer }: ReadMessage): ShownBody | null {
  const { decoded_op_name: operation, decoded_body: decoded } = answer
  if (body !== null) {
    const fields = fieldsOf(body).flatMap((field) => [
      ...showField(field),
      ...(field.kind === 'forwardPayload' && field.value.content.kind === 'other'
        ? showGatewayPayload(field.name, decoded)
        : []),
    ])
    return { operation: body.name, fields }
  }
  return operation ? { operation, fields: showJson(decoded) } : null
}

/** Shows the gateway's decoded fields of a forward payload whose format Tondesk does not know. */
function showGatewayPayload(name: string, decoded: unknown): DecodedField[] {
  const fields = (decoded ?? {}) as Readonly<Record<string, unknown>>
  const payload = Object.hasOwn(fields, name) ? fields[name] : null
  if (typeof payload !== 'object' || payload === null) return []
  return showJson({ [name]: payload })
}

const maxFields = 200
const maxDepth = 8

/** Fields that a gateway decoded. A name is the path in the JSON: keys and list indexes joined by dots. */
export function showJson(decoded: unknown): DecodedField[] {
  const fields: DecodedField[] = []

  function add(name: string, value: unknown, depth: number): void {
    if (fields.length >= maxFields) return
    if (typeof value === 'object' && value !== null) {
      if (depth === maxDepth) return
      for (const [key, each] of Object.entries(value)) {
        add(name === '' ? key : `${name}.${key}`, each, depth + 1)
      }
    } else if (isPlain(value)) fields.push(toField(name || 'value', value))
  }

  add('', decoded, 0)
  return fields
}

function showField({ name, kind, value }: BodyField): DecodedField[] {
  switch (kind) {
    case 'uint64':
    case 'units':
      return [{ name, kind: 'number', value: value.toString() }]
    case 'nanotons':
      return [{ name, kind: 'ton', value: value.toString() }]
    case 'address':
      return value === null ? [] : [{ name, kind: 'address', value: value.toRawString() }]
    case 'cell':
    case 'maybeCell':
      return value === null ? [] : [{ name, kind: 'cell', value: formatCell(value) }]
    case 'text':
      return [{ name, kind: 'text', value }]
    case 'bytes':
      return [{ name, kind: 'bytes', value: value.toString('hex') }]
    case 'forwardPayload':
      return showPayload(name, value.content)
    case 'bouncedBody':
      return [...showSent(value), ...showField({ name, kind: 'cell', value })]
  }
}

function showSent(bounced: Cell): DecodedField[] {
  const opcode = readOperation(bounced)
  if (opcode === null) return []
  const value = operationName(opcode)
  return [
    { name: 'sent_opcode', kind: 'text', value: formatOpcode(opcode) },
    ...(value === null ? [] : [{ name: 'sent_operation', kind: 'text' as const, value }]),
  ]
}

function showPayload(name: string, content: PayloadContent): DecodedField[] {
  switch (content.kind) {
    case 'empty':
      return []
    case 'comment':
      return showField({ name: `${name}.text`, kind: 'text', value: content.text })
    case 'encrypted':
      return showField({ name: `${name}.cipher_text`, kind: 'bytes', value: content.cipherText })
    case 'other':
      return showField({ name, kind: 'cell', value: content.cell })
  }
}

const bocForm = /^b5ee9c72[0-9a-f]*$/i

type Plain = string | number | bigint | boolean

const isPlain = (value: unknown): value is Plain =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value)

function toField(name: string, value: Plain): DecodedField {
  if (typeof value === 'boolean') return { name, kind: 'text', value: String(value) }
  if (typeof value !== 'string') return { name, kind: 'number', value: value.toString() }
  const raw = value.includes(':') ? readAddress(value)?.raw : undefined
  if (raw !== undefined) return { name, kind: 'address', value: raw }
  return { name, kind: bocForm.test(value) ? 'cell' : 'text', value }
}
