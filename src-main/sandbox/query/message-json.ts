import { type Message, beginCell, storeStateInit } from '@ton/core'
import { formatCell } from '../../ton/boc.ts'
import { decodeMessageBody, formatBody, readOperation } from '../../ton/decode-body.ts'
import { formatOpcode } from '../../ton/opcodes.ts'
import type { AccountBook } from './account-book.ts'

/**
 * Message of the service.
 * @param facts.hash of its own cell: one built anew may be laid out otherwise
 * @param facts.transactionLt stands in for the creation time of an external message, which has none
 */
export function serializeMessage(
  message: Message,
  facts: { readonly hash: string; readonly transactionLt: bigint },
  book: AccountBook,
) {
  return {
    ...serializeInfo(message, facts.transactionLt, book),
    hash: facts.hash,
    ...serializeInit(message),
    ...serializeContent(message),
  }
}

function serializeInfo({ info }: Message, transactionLt: bigint, book: AccountBook) {
  switch (info.type) {
    case 'internal':
      return {
        msg_type: 'int_msg',
        created_lt: info.createdLt,
        ihr_disabled: info.ihrDisabled,
        bounce: info.bounce,
        bounced: info.bounced,
        value: info.value.coins,
        fwd_fee: info.forwardFee,
        ihr_fee: info.ihrFee,
        destination: book.describe(info.dest.toRawString()),
        source: book.describe(info.src.toRawString()),
        import_fee: 0,
        created_at: info.createdAt,
      }
    case 'external-in':
      return {
        ...external,
        msg_type: 'ext_in_msg',
        created_lt: transactionLt,
        destination: book.describe(info.dest.toRawString()),
        import_fee: info.importFee,
        created_at: 0,
      }
    case 'external-out':
      return {
        ...external,
        msg_type: 'ext_out_msg',
        created_lt: info.createdLt,
        source: book.describe(info.src.toRawString()),
        import_fee: 0,
        created_at: info.createdAt,
      }
  }
}

const external = {
  ihr_disabled: false,
  bounce: false,
  bounced: false,
  value: 0,
  fwd_fee: 0,
  ihr_fee: 0,
}

function serializeInit({ init }: Message) {
  if (init === undefined || init === null) return {}
  const cell = beginCell().store(storeStateInit(init)).endCell()
  return { init: { boc: formatCell(cell), interfaces: [] } }
}

function serializeContent(message: Message) {
  const { body } = message
  if (body.bits.length === 0 && body.refs.length === 0) return {}
  const operation = readOperation(body)
  const decoded = decodeMessageBody(message)
  const printed = decoded === null ? null : formatBody(decoded)
  return {
    ...(operation === null ? {} : { op_code: formatOpcode(operation) }),
    raw_body: formatCell(body),
    ...(printed === null ? {} : { decoded_op_name: printed.name, decoded_body: printed.value }),
  }
}
