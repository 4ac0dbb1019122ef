/** What a message says that has not been executed yet, read without any network. Pure. */
import { loadMessageRelaxed } from '@ton/core'
import type { MeaningFacts, MovedAmount } from '../../../src-preload/contract/capture.ts'
import { parseBoc, readBytes, parseMessage } from '../../ton/boc.ts'
import { readComment } from '../../ton/payload.ts'
import { decodeBody } from '../../ton/decode-body.ts'
import { normalizedMessageHash } from '../../ton/hash.ts'
import { guessWalletOrders } from '../../ton/wallet.ts'
import { emptyFacts } from './facts.ts'

type MempoolMessage = {
  /** By which its transaction will be found: hex, of the message's normal form. */
  readonly hash: string
  /** Raw: the account that receives it. */
  readonly account: string
  /** What the wallet is ordered to do, where it is a wallet's order and all of it goes one way. */
  readonly facts: MeaningFacts
}

/** @param boc base64 or hex @returns null for what is no external message */
export function readMempool(boc: string): MempoolMessage | null {
  try {
    const bytes = readBytes(boc)
    if (bytes === null) return null
    const message = parseMessage(parseBoc(bytes))
    if (message.info.type !== 'external-in') return null
    const account = message.info.dest.toRawString()
    const orders = guessWalletOrders(message.body)?.orders ?? []
    const sent = orders.flatMap((order) => readOrder(order.message) ?? [])
    return {
      hash: normalizedMessageHash(message),
      account,
      facts: {
        ...emptyFacts('waiting'),
        amount: sent.length === orders.length ? sumOf(sent) : null,
        sender: sent.length > 0 ? account : null,
        recipient: theOnly(sent.map(({ to }) => to)),
        comment: theOnly(sent.map(({ comment }) => comment)),
      },
    }
  } catch {
    // Whatever the body holds.
    return null
  }
}

type Sent = {
  readonly to: string
  readonly comment: string | null
  /** Null where it orders jettons: of which, only the network knows. */
  readonly value: bigint | null
}

function readOrder(cell: Parameters<typeof decodeBody>[0]): Sent | null {
  const { info, body } = loadMessageRelaxed(cell.beginParse())
  if (info.type !== 'internal') return null
  const order = decodeBody(body)
  if (order?.name === 'jetton_transfer' && order.destination !== null) {
    const { content } = order.forwardPayload
    const comment = content.kind === 'comment' ? content.text : null
    return { to: order.destination.toRawString(), comment, value: null }
  }
  return { to: info.dest.toRawString(), comment: readComment(body), value: info.value.coins }
}

function sumOf(sent: readonly Sent[]): MovedAmount | null {
  let units = 0n
  for (const { value } of sent) {
    if (value === null) return null
    units += value
  }
  if (units === 0n) return null
  const asset = { jetton: null, symbol: 'TON', decimals: 9 }
  return { units: units.toString(), asset, direction: 'out' }
}

function theOnly(values: readonly (string | null)[]): string | null {
  return new Set(values).size === 1 ? (values[0] ?? null) : null
}
