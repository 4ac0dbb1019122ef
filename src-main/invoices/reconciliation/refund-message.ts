/**
 * A transfer for the person's own wallet to sign: links that wallets open (gateway-facts 3.7), and the
 * internal message itself. Nothing is signed or sent here. Pure.
 */
import { beginCell, comment as textComment, internal, storeMessageRelaxed } from '@ton/core'
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { Refund } from '../../../src-preload/contract/matter.ts'
import { formatFriendly, toAddress } from '../../ton/address.ts'
import { opcodes } from '../../ton/opcodes.ts'

type RefundOrder = {
  /** Raw. */
  readonly from: string
  readonly to: string
  readonly currency: InvoiceCurrency
  readonly amount: bigint
  readonly comment: string
  readonly testOnly: boolean
  /** Of USDT: the sender's own jetton wallet, and the jetton. Raw. */
  readonly usdt: { readonly wallet: string; readonly master: string } | null
}

/** What comes back of it as excesses is nearly all: a transfer of USDT needs some of it on its way. */
const attachedToUsdt = 100_000_000n
/** Without any, the receiver's wallet would not be told of the comment. */
const forwarded = 1n

export function refundMessage(order: RefundOrder): Pick<Refund, 'links' | 'boc' | 'message'> {
  const { to, value, body, bounce } =
    order.usdt === null ? plainTransfer(order) : usdtTransfer(order, order.usdt.wallet)
  const message = internal({ to: toAddress(to), value, bounce, body })
  const boc = beginCell().store(storeMessageRelaxed(message)).endCell().toBoc()
  return {
    links: linksOf(order),
    boc: boc.toString('base64'),
    message: { to, value: value.toString() },
  }
}

function plainTransfer({ to, amount, comment }: RefundOrder) {
  const body = comment === '' ? beginCell().endCell() : textComment(comment)
  // The payer's wallet need not be set up: what bounced would be lost in fees.
  return { to, value: amount, bounce: false, body }
}

/** TEP-74. The query id tells one refund from another in the wallets' own history only. */
function usdtTransfer({ from, to, amount, comment }: RefundOrder, wallet: string) {
  const body = beginCell()
    .storeUint(opcodes.jettonTransfer, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(toAddress(to))
    .storeAddress(toAddress(from))
    .storeMaybeRef(null)
    .storeCoins(forwarded)
    .storeMaybeRef(comment === '' ? null : textComment(comment))
    .endCell()
  return { to: wallet, value: attachedToUsdt, bounce: true, body }
}

function linksOf({ to, amount, comment, testOnly, usdt }: RefundOrder): Refund['links'] {
  const payee = formatFriendly(to, { bounceable: false, testOnly })
  const query = [`amount=${amount}`]
  if (comment !== '') query.push(`text=${encodeURIComponent(comment)}`)
  if (usdt !== null) {
    query.push(`jetton=${formatFriendly(usdt.master, { bounceable: true, testOnly })}`)
  }
  const path = `transfer/${payee}?${query.join('&')}`
  return {
    ton: `ton://${path}`,
    tonkeeper: `tonkeeper://${path}`,
    web: `https://app.tonkeeper.com/${path}`,
  }
}
