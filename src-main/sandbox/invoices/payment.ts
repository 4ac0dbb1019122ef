import type { Cell, Slice } from '@ton/core'
import { readComment, readCommentSlice } from '../../ton/payload.ts'
import { opcodes } from '../../ton/opcodes.ts'
import type { ExecutedTransaction } from '../chain/chain.ts'
import type { Payment } from './invoice.ts'

export type PaymentDeps = {
  /** True for accounts that invoices name; asked before anything costly. */
  readonly isWatched: (address: string) => boolean
  /** Raw address of an owner's genuine USDT wallet. Anyone can send a notification, only this one counts. */
  readonly usdtWalletOf: (owner: string) => string
  /** Raw; the payer of USDT that was minted to an invoice, which has no sender. */
  readonly usdtMaster: string
}

/**
 * The transfer that a transaction received. TON counts when it came as a plain transfer (no body, a
 * comment, an encrypted comment) and stayed; USDT when the recipient's own USDT wallet says so. The
 * TON that comes with a notification, and what contracts send back, are no payments.
 */
export function paymentOf(executed: ExecutedTransaction, deps: PaymentDeps): Payment | null {
  const { inMessage, description } = executed.transaction
  if (inMessage?.info.type !== 'internal' || inMessage.info.bounced) return null
  const opcode = opcodeOf(inMessage.body)
  if (opcode !== null && !counted.includes(opcode)) return null
  if (!deps.isWatched(executed.account)) return null
  if (description.type === 'generic' && description.bouncePhase?.type === 'ok') return null

  const { value, src } = inMessage.info
  const arrived = { hash: executed.hash, payTo: executed.account }
  if (opcode === opcodes.jettonNotify) {
    if (src.toRawString() !== deps.usdtWalletOf(executed.account)) return null
    const told = readNotification(inMessage.body, deps.usdtMaster)
    return told !== null && told.amount > 0n ? { ...arrived, currency: 'USDT', ...told } : null
  }
  if (value.coins === 0n) return null
  return {
    ...arrived,
    currency: 'TON',
    amount: value.coins,
    payer: src.toRawString(),
    comment: opcode === opcodes.textComment ? commentOr(() => readComment(inMessage.body)) : null,
  }
}

const counted: readonly number[] = [
  opcodes.textComment,
  opcodes.encryptedComment,
  opcodes.jettonNotify,
]

/** Null where the body is too short to begin with one. */
function opcodeOf(body: Cell): number | null {
  return body.isExotic || body.bits.length < 32 ? null : body.beginParse().loadUint(32)
}

/** TEP-74: opcode, query id, amount, sender, forward payload. Null when it is not made so. */
function readNotification(body: Cell, minter: string) {
  try {
    const slice = body.beginParse().skip(32 + 64)
    const amount = slice.loadCoins()
    const payer = slice.loadMaybeAddress()?.toRawString() ?? minter
    return { amount, payer, comment: commentOr(() => forwardedComment(slice)) }
  } catch {
    return null
  }
}

/** In place, or in a cell of its own; a comment has 32 zero bits before it here too. */
function forwardedComment(slice: Slice): string | null {
  // Some jettons leave an empty payload out altogether.
  if (slice.remainingBits === 0) return null
  return readCommentSlice(slice.loadBit() ? slice.loadRef().beginParse() : slice)
}

/** Null for what is no comment or a broken one: a payment it remains. */
function commentOr(read: () => string | null): string | null {
  try {
    return read()
  } catch {
    return null
  }
}
