/** What a wallet was ordered to do by the external message its owner signed, as a decoded body. */
import { type MessageRelaxed, loadMessageRelaxed } from '@ton/core'
import type { DecodedBody, DecodedField } from '../../src-preload/contract/chain.ts'
import type { MessageAnswer } from '../gateway/query-answers.ts'
import { parseBoc } from '../ton/boc.ts'
import { readComment } from '../ton/comment.ts'
import { readOperation } from '../ton/decode-body.ts'
import { operationName, formatOpcode } from '../ton/opcodes.ts'
import { type WalletOrder, decodeWalletOrders } from '../ton/wallet-orders.ts'
import { walletInterface } from '../ton/wallet-version.ts'
import { walletVersionAmong } from './external-message.ts'

/** @param interfaces of the contract that received it @returns null for what is no wallet's order */
export function showOrders(
  { msg_type, raw_body }: MessageAnswer,
  interfaces: readonly string[],
): DecodedBody | null {
  const version = walletVersionAmong(interfaces)
  if (msg_type !== 'ext_in_msg' || !raw_body || version === null) return null
  try {
    const orders = decodeWalletOrders(version, parseBoc(Buffer.from(raw_body, 'hex')))
    if (orders === null) return null
    const { subwalletId, validUntil, seqno } = orders
    return {
      operation: `${walletInterface(version)}_order`,
      fields: [
        ...(subwalletId === null ? [] : [number('subwallet_id', subwalletId)]),
        number('valid_until', validUntil),
        number('seqno', seqno),
        ...orders.orders.flatMap((order, index) => orderFields(order, `messages.${index}`)),
      ],
    }
  } catch {
    return null
  }
}

function orderFields({ mode, message: cell }: WalletOrder, at: string): DecodedField[] {
  const message = readRelaxed(() => loadMessageRelaxed(cell.beginParse()))
  const fields = [number(`${at}.mode`, mode)]
  if (message?.info.type !== 'internal') return fields
  const { dest, value } = message.info
  const opcode = readOperation(message.body)
  const comment = readComment(message.body)
  const told =
    comment !== null
      ? [text(`${at}.comment`, comment)]
      : opcode === null
        ? []
        : [text(`${at}.operation`, operationName(opcode) ?? formatOpcode(opcode))]
  return [
    ...fields,
    { name: `${at}.destination`, kind: 'address', value: dest.toRawString() },
    { name: `${at}.value`, kind: 'ton', value: value.coins.toString() },
    ...told,
  ]
}

/** The owner may have signed anything. */
function readRelaxed(read: () => MessageRelaxed): MessageRelaxed | null {
  try {
    return read()
  } catch {
    return null
  }
}

const number = (name: string, value: number): DecodedField => ({
  name,
  kind: 'number',
  value: String(value),
})
const text = (name: string, value: string): DecodedField => ({ name, kind: 'text', value })
