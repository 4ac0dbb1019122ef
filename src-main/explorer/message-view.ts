import type { MessageView } from '../../src-preload/contract/chain.ts'
import type { Naming } from './account-refs.ts'
import { showBody } from './decoded-fields.ts'
import type { ReadMessage } from './read-message.ts'
import { assetOfExtra } from './ton-asset.ts'

const types = {
  int_msg: 'internal',
  ext_in_msg: 'external_in',
  ext_out_msg: 'external_out',
} as const

export function showMessage(message: ReadMessage, name: Naming): MessageView {
  const { answer, opcode, operation, comment } = message
  const { source, destination } = answer
  return {
    type: types[answer.msg_type],
    hash: answer.hash,
    source: source ? name(source) : null,
    destination: destination ? name(destination) : null,
    value: answer.value,
    extra: answer.value_extra.map((each) => ({ asset: assetOfExtra(each), units: each.amount })),
    ihrFee: answer.ihr_disabled ? '0' : answer.ihr_fee,
    forwardFee: answer.fwd_fee,
    importFee: answer.import_fee,
    createdLt: answer.created_lt,
    createdAt: answer.created_at * 1000,
    bounce: answer.bounce,
    bounced: answer.bounced,
    opcode,
    operation,
    comment,
    body: showBody(message),
    rawBody: answer.raw_body ?? null,
    init: answer.init?.boc ?? null,
  }
}
