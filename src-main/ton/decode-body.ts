/** Message bodies by their opcode, with the field names the service prints. */
import type { Address, Cell, Slice, Message } from '@ton/core'
import { formatCell } from './boc.ts'
import { opcodes, operationName } from './opcodes.ts'
import { type ForwardPayload, decodeForwardPayload, readSnakeBytes } from './payload.ts'

type TextComment = { readonly name: 'text_comment'; readonly text: string }
type EncryptedComment = { readonly name: 'encrypted_text_comment'; readonly cipherText: Buffer }
type Excess = { readonly name: 'excess'; readonly queryId: bigint }
type Bounce = { readonly name: 'bounce'; readonly payload: Cell }
type JettonTransfer = {
  readonly name: 'jetton_transfer'
  readonly queryId: bigint
  readonly amount: bigint
  readonly destination: Address | null
  readonly responseDestination: Address | null
  readonly customPayload: Cell | null
  readonly forwardAmount: bigint
  readonly forwardPayload: ForwardPayload
}
type JettonInternalTransfer = {
  readonly name: 'jetton_internal_transfer'
  readonly queryId: bigint
  readonly amount: bigint
  readonly from: Address | null
  readonly responseAddress: Address | null
  readonly forwardAmount: bigint
  readonly forwardPayload: ForwardPayload
}
type JettonNotify = {
  readonly name: 'jetton_notify'
  readonly queryId: bigint
  readonly amount: bigint
  readonly sender: Address | null
  readonly forwardPayload: ForwardPayload
}
type JettonBurn = {
  readonly name: 'jetton_burn'
  readonly queryId: bigint
  readonly amount: bigint
  readonly responseDestination: Address | null
  readonly customPayload: Cell | null
}
type JettonBurnNotification = {
  readonly name: 'jetton_burn_notification'
  readonly queryId: bigint
  readonly amount: bigint
  readonly sender: Address | null
  readonly responseDestination: Address | null
}
type JettonMint = {
  readonly name: 'jetton_mint'
  readonly queryId: bigint
  readonly toAddress: Address | null
  readonly tonAmount: bigint
  readonly masterMessage: Cell
}
type NftTransfer = {
  readonly name: 'nft_transfer'
  readonly queryId: bigint
  readonly newOwner: Address | null
  readonly responseDestination: Address | null
  readonly customPayload: Cell | null
  readonly forwardAmount: bigint
  readonly forwardPayload: ForwardPayload
}
type NftOwnershipAssigned = {
  readonly name: 'nft_ownership_assigned'
  readonly queryId: bigint
  readonly previousOwner: Address | null
  readonly forwardPayload: ForwardPayload
}

/** What a body says. Amounts are minimal units. */
export type DecodedBody =
  | TextComment
  | EncryptedComment
  | Excess
  | Bounce
  | JettonTransfer
  | JettonInternalTransfer
  | JettonNotify
  | JettonBurn
  | JettonBurnNotification
  | JettonMint
  | NftTransfer
  | NftOwnershipAssigned

/** First 32 bits of a body; null when it is shorter. */
export function readOperation(body: Cell): number | null {
  const slice = body.beginParse(true)
  return slice.remainingBits < 32 ? null : slice.loadUint(32)
}

/** @returns null for an unknown operation and for a body that is not what its opcode promises */
export function decodeBody(body: Cell): DecodedBody | null {
  const operation = readOperation(body)
  const decode = operation === null ? undefined : decoders.get(operation)
  if (decode === undefined) return null
  const slice = body.beginParse()
  slice.skip(32)
  try {
    return decode(slice)
  } catch {
    return null
  }
}

/** Of a message: bodies that begin like a known operation by chance are not looked for in external ones. */
export function decodeMessageBody(message: Message): DecodedBody | null {
  return message.info.type === 'internal' ? decodeBody(message.body) : null
}

const decoders: ReadonlyMap<number, (slice: Slice) => DecodedBody | null> = new Map<
  number,
  (slice: Slice) => DecodedBody | null
>([
  [opcodes.textComment, decodeText],
  [opcodes.encryptedComment, decodeEncrypted],
  [opcodes.excess, (slice) => ended(slice, { name: 'excess', queryId: slice.loadUintBig(64) })],
  [opcodes.bounce, (slice) => ({ name: 'bounce', payload: slice.asCell() })],
  [opcodes.jettonTransfer, decodeJettonTransfer],
  [opcodes.jettonInternalTransfer, decodeJettonInternalTransfer],
  [opcodes.jettonNotify, decodeJettonNotify],
  [opcodes.jettonBurn, decodeJettonBurn],
  [opcodes.jettonBurnNotification, decodeJettonBurnNotification],
  [opcodes.jettonMint, decodeJettonMint],
  [opcodes.nftTransfer, decodeNftTransfer],
  [opcodes.nftOwnershipAssigned, decodeNftOwnershipAssigned],
])

function decodeText(slice: Slice): DecodedBody | null {
  const bytes = readSnakeBytes(slice)
  return bytes === null ? null : { name: 'text_comment', text: bytes.toString('utf8') }
}

function decodeEncrypted(slice: Slice): DecodedBody | null {
  const bytes = readSnakeBytes(slice)
  return bytes === null ? null : { name: 'encrypted_text_comment', cipherText: bytes }
}

function decodeJettonTransfer(slice: Slice): DecodedBody {
  return {
    name: 'jetton_transfer',
    queryId: slice.loadUintBig(64),
    amount: slice.loadCoins(),
    destination: loadAddress(slice),
    responseDestination: loadAddress(slice),
    customPayload: slice.loadMaybeRef(),
    forwardAmount: slice.loadCoins(),
    forwardPayload: decodeForwardPayload(slice),
  }
}

function decodeJettonInternalTransfer(slice: Slice): DecodedBody {
  return {
    name: 'jetton_internal_transfer',
    queryId: slice.loadUintBig(64),
    amount: slice.loadCoins(),
    from: loadAddress(slice),
    responseAddress: loadAddress(slice),
    forwardAmount: slice.loadCoins(),
    forwardPayload: decodeForwardPayload(slice),
  }
}

function decodeJettonNotify(slice: Slice): DecodedBody {
  return {
    name: 'jetton_notify',
    queryId: slice.loadUintBig(64),
    amount: slice.loadCoins(),
    sender: loadAddress(slice),
    forwardPayload: decodeForwardPayload(slice),
  }
}

function decodeJettonBurn(slice: Slice): DecodedBody | null {
  return ended(slice, {
    name: 'jetton_burn',
    queryId: slice.loadUintBig(64),
    amount: slice.loadCoins(),
    responseDestination: loadAddress(slice),
    // Older wallets burn without saying whether there is a payload.
    customPayload: slice.remainingBits === 0 ? null : slice.loadMaybeRef(),
  })
}

function decodeJettonBurnNotification(slice: Slice): DecodedBody | null {
  return ended(slice, {
    name: 'jetton_burn_notification',
    queryId: slice.loadUintBig(64),
    amount: slice.loadCoins(),
    sender: loadAddress(slice),
    responseDestination: loadAddress(slice),
  })
}

function decodeJettonMint(slice: Slice): DecodedBody | null {
  return ended(slice, {
    name: 'jetton_mint',
    queryId: slice.loadUintBig(64),
    toAddress: loadAddress(slice),
    tonAmount: slice.loadCoins(),
    masterMessage: slice.loadRef(),
  })
}

function decodeNftTransfer(slice: Slice): DecodedBody {
  return {
    name: 'nft_transfer',
    queryId: slice.loadUintBig(64),
    newOwner: loadAddress(slice),
    responseDestination: loadAddress(slice),
    customPayload: slice.loadMaybeRef(),
    forwardAmount: slice.loadCoins(),
    forwardPayload: decodeForwardPayload(slice),
  }
}

function decodeNftOwnershipAssigned(slice: Slice): DecodedBody {
  return {
    name: 'nft_ownership_assigned',
    queryId: slice.loadUintBig(64),
    previousOwner: loadAddress(slice),
    forwardPayload: decodeForwardPayload(slice),
  }
}

/** What goes on after its last field is something else. */
function ended<Body>(slice: Slice, body: Body): Body | null {
  return slice.remainingBits === 0 && slice.remainingRefs === 0 ? body : null
}

function loadAddress(slice: Slice): Address | null {
  return slice.loadMaybeAddress()
}

/** `decoded_op_name` and `decoded_body`, in snake_case. */
export function formatBody(body: DecodedBody): { readonly name: string; readonly value: object } {
  return { name: body.name, value: fieldsOf(body) }
}

function fieldsOf(body: DecodedBody): object {
  switch (body.name) {
    case 'text_comment':
      return { text: body.text }
    case 'encrypted_text_comment':
      return { cipher_text: body.cipherText.toString('hex') }
    case 'excess':
      return { query_id: body.queryId }
    case 'bounce':
      return { payload: bouncedFields(body.payload) }
    case 'jetton_transfer':
      return {
        query_id: body.queryId,
        amount: body.amount.toString(),
        destination: formatAddress(body.destination),
        response_destination: formatAddress(body.responseDestination),
        custom_payload: body.customPayload === null ? null : formatCell(body.customPayload),
        forward_ton_amount: body.forwardAmount.toString(),
        forward_payload: formatPayload(body.forwardPayload),
      }
    case 'jetton_internal_transfer':
      return {
        query_id: body.queryId,
        amount: body.amount.toString(),
        from: formatAddress(body.from),
        response_address: formatAddress(body.responseAddress),
        forward_ton_amount: body.forwardAmount.toString(),
        forward_payload: formatPayload(body.forwardPayload),
      }
    case 'jetton_notify':
      return {
        query_id: body.queryId,
        amount: body.amount.toString(),
        sender: formatAddress(body.sender),
        forward_payload: formatPayload(body.forwardPayload),
      }
    case 'jetton_burn':
      return {
        query_id: body.queryId,
        amount: body.amount.toString(),
        response_destination: formatAddress(body.responseDestination),
        custom_payload: body.customPayload === null ? null : formatCell(body.customPayload),
      }
    case 'jetton_burn_notification':
      return {
        query_id: body.queryId,
        amount: body.amount.toString(),
        sender: formatAddress(body.sender),
        response_destination: formatAddress(body.responseDestination),
      }
    case 'jetton_mint':
      return {
        query_id: body.queryId,
        to_address: formatAddress(body.toAddress),
        ton_amount: body.tonAmount.toString(),
        master_msg: formatCell(body.masterMessage),
      }
    case 'nft_transfer':
      return {
        query_id: body.queryId,
        new_owner: formatAddress(body.newOwner),
        response_destination: formatAddress(body.responseDestination),
        custom_payload: body.customPayload === null ? null : formatCell(body.customPayload),
        forward_amount: body.forwardAmount.toString(),
        forward_payload: formatPayload(body.forwardPayload),
      }
    case 'nft_ownership_assigned':
      return {
        query_id: body.queryId,
        prev_owner: formatAddress(body.previousOwner),
        forward_payload: formatPayload(body.forwardPayload),
      }
  }
}

/** A bounced body is cut short, so that of its old one the opcode is known and hardly more. */
function bouncedFields(payload: Cell): object {
  const operation = readOperation(payload)
  if (operation === null) return {}
  return {
    sum_type: operationName(operation) ?? 'unknown',
    op_code: operation,
    value: formatCell(payload),
  }
}

function formatPayload(payload: ForwardPayload): object {
  const { isRight, content } = payload
  switch (content.kind) {
    case 'empty':
      return { is_right: isRight, value: {} }
    case 'comment':
      return payloadValue(isRight, 'TextComment', opcodes.textComment, { text: content.text })
    case 'encrypted':
      return payloadValue(isRight, 'EncryptedTextComment', opcodes.encryptedComment, {
        cipher_text: content.cipherText.toString('hex'),
      })
    case 'other':
      return payloadValue(isRight, 'Cell', content.operation, formatCell(content.cell))
  }
}

function payloadValue(isRight: boolean, type: string, operation: number | null, value: unknown) {
  const code = operation === null ? {} : { op_code: operation }
  return { is_right: isRight, value: { sum_type: type, ...code, value } }
}

/** No address is an empty string there. */
function formatAddress(address: Address | null): string {
  return address === null ? '' : address.toRawString()
}
