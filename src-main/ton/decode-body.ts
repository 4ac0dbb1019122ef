/** Decodes message bodies by their opcode, with the field names of the service. */
import type { Address, Cell, Slice, Message } from '@ton/core'
import { formatCell } from './boc.ts'
import { opcodes, operationName, toSnakeCase } from './opcodes.ts'
import {
  type PayloadContent,
  decodeForwardPayload,
  formatComment,
  readSnakeBytes,
} from './payload.ts'

const loaders = {
  uint64: (slice: Slice) => slice.loadUintBig(64),
  units: (slice: Slice) => slice.loadCoins(),
  nanotons: (slice: Slice) => slice.loadCoins(),
  address: (slice: Slice): Address | null => slice.loadMaybeAddress(),
  cell: (slice: Slice) => slice.loadRef(),
  // Older wallets burn without the bit that says whether a payload follows.
  maybeCell: (slice: Slice) => (slice.remainingBits === 0 ? null : slice.loadMaybeRef()),
  text: (slice: Slice) => formatComment(loadBytes(slice)),
  bytes: loadBytes,
  forwardPayload: decodeForwardPayload,
  bouncedBody: (slice: Slice) => slice.asCell(),
}

type Kind = keyof typeof loaders

/** A field of this kind contains the rest of the body. */
const openEnded: readonly Kind[] = ['text', 'bytes', 'forwardPayload', 'bouncedBody']

const [queryId, amount, address] = ['uint64', 'units', 'address'] as const
const [customPayload, forwardPayload] = ['maybeCell', 'forwardPayload'] as const
const forwarded = { forwardTonAmount: 'nanotons', forwardPayload } as const

/** The fields of each body, in their order after the opcode. */
const layouts = {
  text_comment: { text: 'text' },
  encrypted_text_comment: { cipherText: 'bytes' },
  excess: { queryId },
  bounce: { payload: 'bouncedBody' },
  jetton_transfer: {
    queryId,
    amount,
    destination: address,
    responseDestination: address,
    customPayload,
    ...forwarded,
  },
  jetton_internal_transfer: {
    queryId,
    amount,
    from: address,
    responseAddress: address,
    ...forwarded,
  },
  jetton_notify: { queryId, amount, sender: address, forwardPayload },
  jetton_burn: { queryId, amount, responseDestination: address, customPayload },
  jetton_burn_notification: { queryId, amount, sender: address, responseDestination: address },
  jetton_mint: { queryId, toAddress: address, tonAmount: 'nanotons', masterMsg: 'cell' },
  nft_transfer: {
    queryId,
    newOwner: address,
    responseDestination: address,
    customPayload,
    forwardAmount: 'nanotons',
    forwardPayload,
  },
  nft_ownership_assigned: { queryId, prevOwner: address, forwardPayload },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Kind>>>>

type Layouts = typeof layouts
type Loaded<K> = K extends Kind ? ReturnType<(typeof loaders)[K]> : never

export type DecodedBody = {
  [N in keyof Layouts]: { readonly name: N } & {
    readonly [F in keyof Layouts[N]]: Loaded<Layouts[N][F]>
  }
}[keyof Layouts]

/** A field with its name at the service, in snake_case. */
export type BodyField = {
  [K in Kind]: { readonly name: string; readonly kind: K; readonly value: Loaded<K> }
}[Kind]

/** The first 32 bits of a body; null if the body is shorter. */
export function readOperation(body: Cell): number | null {
  const slice = body.beginParse(true)
  return slice.remainingBits < 32 ? null : slice.loadUint(32)
}

/** @returns null for an unknown operation, and for a body that does not fit its opcode */
export function decodeBody(body: Cell): DecodedBody | null {
  const opcode = readOperation(body)
  const name = opcode === null ? null : operationName(opcode)
  if (name === null || !Object.hasOwn(layouts, name)) return null
  const layout: Readonly<Record<string, Kind>> = layouts[name as keyof Layouts]
  try {
    const slice = body.beginParse().skip(32)
    const decoded: Record<string, unknown> = { name }
    for (const [field, kind] of Object.entries(layout)) decoded[field] = loaders[kind](slice)
    const isOpenEnded = Object.values(layout).some((kind) => openEnded.includes(kind))
    const isEnd = slice.remainingBits === 0 && slice.remainingRefs === 0
    return isOpenEnded || isEnd ? (decoded as DecodedBody) : null
  } catch {
    return null
  }
}

/**
 * Decodes a message's body. The bodies of external messages have no opcode; one may look like an
 * opcode by chance.
 */
export const decodeMessageBody = (message: Message): DecodedBody | null =>
  message.info.type === 'internal' ? decodeBody(message.body) : null

/** @throws Error for incomplete bytes */
function loadBytes(slice: Slice): Buffer {
  const bytes = readSnakeBytes(slice)
  if (bytes === null) throw new Error('The number of bits in the body is not a multiple of 8.')
  return bytes
}

export function fieldsOf(body: DecodedBody): BodyField[] {
  const values: Readonly<Record<string, unknown>> = body
  return Object.entries<Kind>(layouts[body.name]).map(
    ([name, kind]) => ({ name: toSnakeCase(name), kind, value: values[name] }) as BodyField,
  )
}

/** Returns the service's `decoded_op_name` and `decoded_body`, in snake_case. */
export function formatBody(body: DecodedBody): { readonly name: string; readonly value: object } {
  const fields = fieldsOf(body).map((field) => [field.name, formatField(field)])
  return { name: body.name, value: Object.fromEntries(fields) as object }
}

function formatField({ kind, value }: BodyField): unknown {
  switch (kind) {
    case 'uint64':
    case 'text':
      return value
    case 'units':
    case 'nanotons':
      return value.toString()
    case 'address':
      // The service writes an empty string for no address.
      return value?.toRawString() ?? ''
    case 'cell':
    case 'maybeCell':
      return value === null ? null : formatCell(value)
    case 'bytes':
      return value.toString('hex')
    case 'forwardPayload':
      return { is_right: value.isRight, value: formatContent(value.content) }
    case 'bouncedBody':
      return formatBounced(value)
  }
}

/** A bounced body is cut, so only the opcode of the sent body is certain. */
function formatBounced(payload: Cell): object {
  const operation = readOperation(payload)
  if (operation === null) return {}
  return typed(operationName(operation) ?? 'unknown', operation, formatCell(payload))
}

function formatContent(content: PayloadContent): object {
  switch (content.kind) {
    case 'empty':
      return {}
    case 'comment':
      return typed('TextComment', opcodes.textComment, { text: content.text })
    case 'encrypted': {
      const value = { cipher_text: content.cipherText.toString('hex') }
      return typed('EncryptedTextComment', opcodes.encryptedTextComment, value)
    }
    case 'other':
      return typed('Cell', content.operation, formatCell(content.cell))
  }
}

const typed = (type: string, opcode: number | null, value: unknown): object => ({
  sum_type: type,
  ...(opcode === null ? {} : { op_code: opcode }),
  value,
})
