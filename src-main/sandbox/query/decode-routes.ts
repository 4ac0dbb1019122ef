import { loadMessageRelaxed } from '@ton/core'
import type { Context } from 'hono'
import { formatCell } from '../../ton/boc.ts'
import { decodeBody, formatBody, readOperation } from '../../ton/decode-body.ts'
import { formatOpcode } from '../../ton/opcodes.ts'
import {
  type WalletOrder,
  type WalletOrders,
  decodeWalletOrders,
  walletVersionOf,
} from '../../ton/wallet.ts'
import { answerJson } from '../http.ts'
import { codeHashOf } from './account-state.ts'
import { bocBody, readBody, readCell } from './bodies.ts'
import { externalOf } from './emulation-routes.ts'
import { refusal } from './parameters.ts'
import type { QueryDeps } from './query-deps.ts'
import type { Route } from './routes.ts'

export function decodeRoutes({ chain, book }: QueryDeps): Route[] {
  async function decode(context: Context): Promise<Response> {
    const { boc } = await readBody(context, bocBody)
    const { info, init, body } = externalOf(readCell(boc))
    const destination = info.dest.toRawString()
    const codeHash = codeHashOf(chain.account(destination)) ?? init?.code?.hash().toString('hex')
    const version = codeHash === undefined ? null : walletVersionOf(codeHash)
    if (version === null) throw refusal('not a wallet')
    const orders = decodeWalletOrders(version, body)
    if (orders === null) throw refusal(`wallet version '${version}' is not supported`)
    return answerJson({
      destination: book().describe(destination),
      destination_wallet_version: version,
      ext_in_msg_decoded: serializeOrders(orders),
    })
  }

  return [{ path: '/message/decode', post: decode }]
}

function serializeOrders({
  version,
  subwalletId,
  validUntil,
  seqno,
  operation,
  orders,
}: WalletOrders) {
  const raw_messages = orders.map(serializeOrder)
  if (version === 'v5R1') return { wallet_v5: { valid_until: validUntil, raw_messages } }
  const common = { subwallet_id: subwalletId, valid_until: validUntil, seqno, raw_messages }
  return operation === null ? { wallet_v3: common } : { wallet_v4: { ...common, op: operation } }
}

function serializeOrder({ message, mode }: WalletOrder) {
  return { message: { boc: formatCell(message), ...serializeContent(message) }, mode }
}

function serializeContent(message: WalletOrder['message']) {
  try {
    const { body } = loadMessageRelaxed(message.beginParse())
    const operation = readOperation(body)
    const decoded = decodeBody(body)
    const printed = decoded === null ? null : formatBody(decoded)
    return {
      ...(operation === null ? {} : { op_code: formatOpcode(operation) }),
      ...(printed === null ? {} : { decoded_op_name: printed.name, decoded_body: printed.value }),
    }
  } catch {
    // The owner may have signed anything; the wallet will find out.
    return {}
  }
}
