/**
 * Payments in a transaction, as the gateways of this service count them: a plain transfer in TON (no
 * body, a comment, an encrypted comment) that stayed, and USDT when the recipient's own USDT wallet
 * says so. The TON that comes with a notification, and what contracts send back, are none. Pure.
 */
import type { Cell, Slice } from '@ton/core'
import type { MessageAnswer, TransactionAnswer } from '../../gateway/query-answers.ts'
import type { NewPayment } from '../store/payments.ts'
import type { OutgoingTransfer } from '../store/outgoing-transfers.ts'
import { parseBoc } from '../../ton/boc.ts'
import { decodeBody, readOperation } from '../../ton/decode-body.ts'
import { type ForwardPayload, decodeForwardPayload } from '../../ton/payload.ts'
import { opcodes, readOpcode } from '../../ton/opcodes.ts'
import { commentKey } from '../reconciliation/match.ts'

/** Whose USDT is genuine; the master stands for the payer of what was minted. */
export type Usdt = { readonly wallet: string; readonly master: string }

const plain: readonly number[] = [opcodes.textComment, opcodes.encryptedComment]

/** Somebody says that jettons have come: whether USDT, only the genuine wallet's word tells. */
export function notifierOf({ in_msg: incoming }: TransactionAnswer): string | null {
  if (incoming?.msg_type !== 'int_msg' || incoming.bounced) return null
  const source = incoming.source?.address ?? null
  return operationOf(incoming) === opcodes.jettonNotify ? source : null
}

/** It orders jettons to be sent, from whichever wallet. */
export function ordersJettons({ out_msgs: outgoing }: TransactionAnswer): boolean {
  return outgoing.some((message) => operationOf(message) === opcodes.jettonTransfer)
}

/** @param usdt null where the account has no USDT wallet */
export function incomingOf(transaction: TransactionAnswer, usdt: Usdt | null): NewPayment | null {
  const { in_msg: incoming, bounce_phase: bounce } = transaction
  const source = incoming?.source?.address
  if (incoming?.msg_type !== 'int_msg' || incoming.bounced || source === undefined) return null
  if (isSentBack(bounce)) return null
  const operation = operationOf(incoming)
  const body = bodyOf(incoming)
  if (operation === opcodes.jettonNotify) {
    if (usdt === null || source !== usdt.wallet) return null
    const told = body === null ? null : readNotification(body)
    if (told === null || told.amount <= 0n) return null
    return { ...placeOf(transaction), currency: 'USDT', ...told, payer: told.payer ?? usdt.master }
  }
  if (operation !== null && !plain.includes(operation)) return null
  const amount = BigInt(incoming.value)
  if (amount <= 0n) return null
  const comment = commentOf(operation, body)
  return { ...placeOf(transaction), currency: 'TON', amount, payer: source, ...comment }
}

/** What it sends as plain TON, or orders its USDT wallet to send. */
export function outgoingOf(transaction: TransactionAnswer, usdt: Usdt | null): OutgoingTransfer[] {
  const { lt, hash, at } = placeOf(transaction)
  return transaction.out_msgs.flatMap((message, place): OutgoingTransfer[] => {
    const payee = message.destination?.address
    if (message.msg_type !== 'int_msg' || payee === undefined) return []
    const operation = operationOf(message)
    const body = bodyOf(message)
    const sent = { lt, hash, at, place }
    if (operation === opcodes.jettonTransfer) {
      const order =
        usdt !== null && payee === usdt.wallet && body !== null ? decodeBody(body) : null
      if (order?.name !== 'jetton_transfer' || order.destination === null) return []
      const owner = order.destination.toRawString()
      const { comment } = commentIn(order.forwardPayload)
      return [{ ...sent, payee: owner, currency: 'USDT', amount: order.amount, comment }]
    }
    if (operation !== null && !plain.includes(operation)) return []
    const { comment } = commentOf(operation, body)
    return [{ ...sent, payee, currency: 'TON', amount: BigInt(message.value), comment }]
  })
}

function placeOf({ account, lt, hash, utime }: TransactionAnswer) {
  return { account: account.address, lt: BigInt(lt), hash, at: utime * 1000 }
}

/** The gateway names the phase `TrPhaseBounceOk` where the money went back. */
function isSentBack(bounce: string | null | undefined): boolean {
  return bounce?.toLowerCase().endsWith('ok') ?? false
}

function bodyOf({ raw_body: raw }: MessageAnswer): Cell | null {
  if (!raw) return null
  try {
    return parseBoc(Buffer.from(raw, 'hex'))
  } catch {
    return null
  }
}

/** Null for a body that is too short to begin with one. */
function operationOf(message: MessageAnswer): number | null {
  const { op_code: code, raw_body: raw } = message
  const body = bodyOf(message)
  // What cannot be read counts by the opcode that the gateway has read.
  if (body === null || body.isExotic) return code ? readOpcode(code) : raw ? -1 : null
  return readOperation(body)
}

/** TEP-74: opcode, query id, amount, sender, forward payload. One whose payload is broken is a payment all the same. */
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
  const told = operation === opcodes.textComment && body !== null ? decodeBody(body) : null
  return withKey(told?.name === 'text_comment' ? told.text : null)
}

function commentIn({ content }: ForwardPayload): Comment {
  return withKey(content.kind === 'comment' ? content.text : null)
}

function withKey(comment: string | null): Comment {
  // Bytes that no text has would not be kept by SQLite as they are.
  const text = comment?.replaceAll('\0', '') ?? null
  return { comment: text, commentKey: commentKey(text) }
}
