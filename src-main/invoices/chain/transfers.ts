/**
 * Finds payments as the service's gateways count them: native-coin transfers that did not bounce
 * (no body, a comment or an encrypted comment), and USDT that the recipient's own USDT wallet
 * reports. Coins that come with a notification, or that contracts return, are not payments.
 */
import type { Cell, Slice } from '@ton/core'
import type { MessageResponse, TransactionResponse } from '../../gateway/query-responses.ts'
import type { NewPayment } from '../store/payments.ts'
import type { OutgoingTransfer, InvoiceAccount } from '../store/invoice-accounts.ts'
import { readBoc } from '../../ton/boc.ts'
import { decodeBody, readOperation } from '../../ton/decode-body.ts'
import { type ForwardPayload, decodeForwardPayload } from '../../ton/payload.ts'
import { opcodes, readOpcode } from '../../ton/opcodes.ts'
import { commentKey } from '../../../src-preload/domain/payment-comment.ts'
import type { NetworkKind } from '../../../src-preload/contract/network.ts'
import { isNotFound } from '../../chain/access.ts'
import type { QueryOptions, QueryClient } from '../../gateway/query.ts'

/** The account's genuine USDT wallet. The master counts as the payer of minted USDT. */
export type Usdt = { readonly wallet: string; readonly master: string }

/** The sender of a jetton notification. Anyone can send one, but only that of the genuine wallet counts. */
export function notifierOf({ in_msg: incoming }: TransactionResponse): string | null {
  if (incoming?.msg_type !== 'int_msg' || incoming.bounced) return null
  const source = incoming.source?.address ?? null
  return readBody(incoming).operation === opcodes.jettonNotify ? source : null
}

export const ordersJettons = ({ out_msgs: outgoing }: TransactionResponse): boolean =>
  outgoing.some((message) => readBody(message).operation === opcodes.jettonTransfer)

export function incomingOf(transaction: TransactionResponse, usdt: Usdt | null): NewPayment | null {
  const { account, in_msg: incoming, bounce_phase: bounce } = transaction
  const source = incoming?.source?.address
  if (incoming?.msg_type !== 'int_msg' || incoming.bounced || source === undefined) return null
  // `TrPhaseBounceOk`: the amount was returned.
  if (bounce?.toLowerCase().endsWith('ok') === true) return null
  const { operation, body } = readBody(incoming)
  const place = { ...placeOf(transaction), account: account.address }
  if (operation === opcodes.jettonNotify) {
    const paid = source === usdt?.wallet && body !== null ? readNotification(body) : null
    if (usdt === null || paid === null || paid.amount <= 0n) return null
    return { ...place, currency: 'USDT', ...paid, payer: paid.payer ?? usdt.master }
  }
  const amount = BigInt(incoming.value)
  if (!plain.includes(operation) || amount <= 0n) return null
  return { ...place, currency: 'TON', amount, payer: source, ...commentOf(operation, body) }
}

export function outgoingOf(
  transaction: TransactionResponse,
  usdt: Usdt | null,
): OutgoingTransfer[] {
  return transaction.out_msgs.flatMap((message, place): OutgoingTransfer[] => {
    const payee = message.destination?.address
    if (message.msg_type !== 'int_msg' || payee === undefined) return []
    const { operation, body } = readBody(message)
    const sent = { ...placeOf(transaction), place }
    if (operation === opcodes.jettonTransfer) {
      const order = payee === usdt?.wallet && body !== null ? decodeBody(body) : null
      if (order?.name !== 'jetton_transfer' || order.destination === null) return []
      const owner = order.destination.toRawString()
      const { comment } = commentIn(order.forwardPayload)
      return [{ ...sent, payee: owner, currency: 'USDT', amount: order.amount, comment }]
    }
    if (!plain.includes(operation)) return []
    const { comment } = commentOf(operation, body)
    return [{ ...sent, payee, currency: 'TON', amount: BigInt(message.value), comment }]
  })
}

const plain: readonly (number | null)[] = [null, opcodes.textComment, opcodes.encryptedTextComment]

const placeOf = ({ lt, hash, utime }: TransactionResponse) => ({
  lt: BigInt(lt),
  hash,
  at: utime * 1000,
})

function readBody({ op_code: code, raw_body: raw }: MessageResponse) {
  const body = readBoc(raw)
  // If the body cannot be parsed, the gateway's opcode decides.
  if (body !== null && !body.isExotic) return { operation: readOperation(body), body }
  return { operation: code ? readOpcode(code) : raw ? -1 : null, body }
}

/**
 * Parses TEP-74: opcode, query id, amount, sender, forward payload. An invalid payload does not
 * invalidate the payment.
 */
function readNotification(body: Cell) {
  try {
    const slice = body.beginParse().skip(32 + 64)
    const amount = slice.loadCoins()
    const payer = slice.loadMaybeAddress()?.toRawString() ?? null
    return { amount, payer, ...commentAfter(slice) }
  } catch {
    return null
  }
}

function commentAfter(slice: Slice): Comment {
  try {
    return commentIn(decodeForwardPayload(slice))
  } catch {
    return withKey(null)
  }
}

type Comment = Pick<NewPayment, 'comment' | 'commentKey'>

function commentOf(operation: number | null, body: Cell | null): Comment {
  const decoded = operation === opcodes.textComment && body !== null ? decodeBody(body) : null
  return withKey(decoded?.name === 'text_comment' ? decoded.text : null)
}

const commentIn = ({ content }: ForwardPayload): Comment =>
  withKey(content.kind === 'comment' ? content.text : null)

function withKey(comment: string | null): Comment {
  // SQLite's text functions stop at a zero byte.
  const text = comment?.replaceAll('\0', '') ?? null
  return { comment: text, commentKey: commentKey(text) }
}

/** The USDT master on Mainnet (gateway-facts 5). */
export const mainUsdtMaster = '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe'

/**
 * Outside Mainnet the master is read from links of USDT invoices, else from the gateway's white list.
 * @throws AppError if the request fails
 */
export async function findUsdt(
  account: Pick<InvoiceAccount, 'account' | 'usdtMaster' | 'usdtWallet'>,
  network: { readonly kind: NetworkKind; readonly master: string | null },
  query: () => Pick<QueryClient, 'accountJetton' | 'accountJettons'>,
  queryOptions: QueryOptions,
): Promise<Usdt | null> {
  const { kind } = network
  const master = kind === 'mainnet' ? mainUsdtMaster : (account.usdtMaster ?? network.master)
  if (master !== null && account.usdtWallet !== null) return { wallet: account.usdtWallet, master }
  try {
    if (master !== null) {
      const found = await query().accountJetton(account.account, master, queryOptions)
      return { wallet: found.wallet_address.address, master }
    }
    const balances = await query().accountJettons(account.account, queryOptions)
    const listed = balances
      .flatMap((row) => ('value' in row ? [row.value] : []))
      .find(
        ({ jetton }) =>
          jetton.verification === 'whitelist' &&
          /^USD[T₮]$/u.test(jetton.symbol) &&
          (kind !== 'custom' || jetton.address === mainUsdtMaster),
      )
    return listed === undefined
      ? null
      : { wallet: listed.wallet_address.address, master: listed.jetton.address }
  } catch (error) {
    if (isNotFound(error)) return null
    throw error
  }
}
