import { type Cell, loadMessageRelaxed } from '@ton/core'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { BocError, formatCell, parseBoc } from '../../ton/boc.ts'
import { decodeBody } from '../../ton/decode-body.ts'
import {
  type WalletOrder,
  type WalletOrders,
  decodeWalletOrders,
  walletVersionOf,
} from '../../ton/wallet.ts'
import { NotAcceptedError, UnreadableMessageError } from '../chain/chain.ts'
import type { Routes } from '../http.ts'
import { codeHashOf } from './accounts.ts'
import type { QueryDeps } from './jettons.ts'
import { type QueryRequest, bocBody, externalOf, readBoc, refusal } from './request.ts'
import { serializeOperation } from './transaction-json.ts'

const sendBody = z.object({
  boc: z.string().optional(),
  batch: z.array(z.string()).max(5).optional(),
  meta: z.record(z.string(), z.string()).optional(),
})

const duplicateWithin = 60

export function messageRoutes({ chain, book }: QueryDeps): Routes<QueryRequest> {
  /** Digests of recent messages with their seconds. */
  const recent = new Map<string, number>()

  function isDuplicate(digest: string): boolean {
    const now = chain.now()
    for (const [each, second] of recent) {
      // A revert may have moved the clock back, so later entries are obsolete.
      if (second <= now && now - second < duplicateWithin) break
      recent.delete(each)
    }
    return recent.has(digest)
  }

  /** Sent and refused messages both count for detecting duplicates. */
  async function sendOne(bytes: Buffer): Promise<void> {
    const digest = createHash('sha256').update(bytes).digest('hex')
    if (isDuplicate(digest)) throw refusal('duplicate message')
    const cell = messageOf(bytes)
    // The digest is recorded before the execution, so that a concurrent duplicate is rejected.
    recent.set(digest, chain.now())
    try {
      await chain.send([cell])
    } catch (error) {
      if (error instanceof NotAcceptedError) throw error
      recent.delete(digest)
      if (error instanceof UnreadableMessageError) throw unreadable(error)
      throw error
    }
  }

  /** The service reports no result per message. */
  async function sendAll(batch: readonly Buffer[]): Promise<void> {
    for (const bytes of batch) {
      try {
        await chain.send([parseBoc(bytes)])
      } catch (error) {
        const refusals = [BocError, NotAcceptedError, UnreadableMessageError]
        if (!refusals.some((type) => error instanceof type)) throw error
      }
    }
  }

  return {
    '/blockchain/message': {
      async POST(request) {
        const { boc, batch } = await request.body(sendBody)
        if (boc !== undefined) await sendOne(readBoc(boc))
        else if (batch !== undefined && batch.length > 0) await sendAll(batch.map(readBoc))
        else throw refusal('boc not found')
        return new Response(null, { status: 200 })
      },
    },
    '/message/decode': {
      async POST(request) {
        const { boc } = await request.body(bocBody)
        const { info, init, body } = externalOf(parseBoc(readBoc(boc)))
        const destination = info.dest.toRawString()
        const codeHash =
          codeHashOf(chain.account(destination)) ?? init?.code?.hash().toString('hex')
        const version = codeHash === undefined ? null : walletVersionOf(codeHash)
        if (version === null) throw refusal('not a wallet')
        const orders = decodeWalletOrders(version, body)
        if (orders === null) throw refusal(`wallet version '${version}' is not supported`)
        return {
          destination: book.describe(destination),
          destination_wallet_version: version,
          ext_in_msg_decoded: serializeOrders(orders),
        }
      },
    },
  }
}

/** The service responds 500 if a valid text is not a message. */
function messageOf(bytes: Buffer): Cell {
  try {
    return parseBoc(bytes)
  } catch (error) {
    if (error instanceof BocError) throw unreadable(error)
    throw error
  }
}

const unreadable = ({ message }: Error) =>
  refusal(`failed to parse external message: ${message}`, 500)

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

const serializeOrder = ({ message, mode }: WalletOrder) => ({
  message: { boc: formatCell(message), ...serializeContent(message) },
  mode,
})

function serializeContent(message: WalletOrder['message']) {
  try {
    const { body } = loadMessageRelaxed(message.beginParse())
    return serializeOperation(body, decodeBody(body))
  } catch {
    // A signed order may be invalid, but then the wallet refuses it.
    return {}
  }
}
