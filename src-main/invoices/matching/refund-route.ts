/** Prepares a refund to the payer; only the user signs and sends it. */
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { formatMoney } from '../../../src-preload/domain/amount.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError, chainCodes, discrepancyCodes } from '../../../src-preload/domain/app-error.ts'
import type { AccountResponse } from '../../gateway/query-responses.ts'
import type { OutgoingTransfer } from '../store/invoice-accounts.ts'
import type { StoredDiscrepancy } from '../store/discrepancies.ts'
import { AddressError, parseAddress, formatFriendly, toAddress } from '../../ton/address.ts'
import { type Usdt, findUsdt } from '../chain/transfers.ts'
import { overpaidBy, tallyOf } from './discrepancies.ts'
import { duration } from './labels.ts'
import type { DiscrepancyView, DiscrepancySubjects } from './discrepancy-routes.ts'
import type { GatewayClock } from './gateway-clock.ts'
import type { InvoicesContext } from '../context.ts'
import { beginCell, internal, storeMessageRelaxed } from '@ton/core'
import type { Refund } from '../../../src-preload/contract/discrepancy.ts'
import { commentCell, jettonTransfer } from '../../ton/payload.ts'

type Returnable = ReturnType<typeof returnableOf>

/** An estimate of a wallet's fees for a plain transfer. */
const feeReserve = 20_000_000n

export function createRefundRoute(
  { access, store: { accounts } }: InvoicesContext,
  view: DiscrepancyView,
  clock: GatewayClock,
): Pick<Handlers, 'refund.prepare'> {
  async function usdtOf(network: NetworkId, from: string) {
    const unread = { account: from, usdtMaster: null, usdtWallet: null }
    const found = await findUsdt(
      accounts.get(network, from) ?? unread,
      { kind: access.info(network).kind, master: accounts.usdtMaster(network) },
      () => access.query(network),
      { signal: access.interest(network) },
    )
    if (found !== null) return found
    throw notRefundable(
      'The address that received the payment no longer has a USDT wallet, so it has no USDT to refund.',
    )
  }

  async function accountWarnings(network: NetworkId, order: RefundOrder): Promise<Warnings> {
    const signal = access.interest(network)
    try {
      const [payee, sender] = await access
        .query(network)
        .accountsBulk([order.to, order.from], { signal })
      return [
        ...(payee === undefined ? [] : payeeWarnings(payee)),
        sender !== undefined && senderWarning(sender, order),
      ]
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof AppError)) throw error
      return ['The payee’s account could not be checked. Make sure that it is a wallet.']
    }
  }

  return {
    async 'refund.prepare'({ network, key, amount: wanted, comment: text, to: other }) {
      const discrepancy = view.get(network, key)
      const subject = view.subjectOf(discrepancy)
      const returnable = returnableOf(discrepancy, subject)
      const { testOnly } = access.info(network)
      const target = other === null ? null : parsePayee(other, testOnly)
      const to = target ?? returnable.payers[0]
      if (to === undefined) {
        throw notRefundable(
          'The payer is unknown, because no payment was found on the chain. Enter the payer’s address, or sync the chain first.',
        )
      }
      const amount = wanted === null ? returnable.amount : BigInt(wanted)
      if (amount <= 0n) throw notRefundable('Enter an amount above zero.')
      const comment = text ?? returnable.about
      const { from, currency } = returnable
      const usdt = currency === 'USDT' ? await usdtOf(network, from) : null
      const seen = view.refundOf(discrepancy, subject)
      const order = { from, to, currency, amount, comment, testOnly, usdt }
      return {
        from,
        to,
        currency,
        comment,
        amount: amount.toString(),
        ...refundMessage(order),
        warnings: [
          ...paymentWarnings(order, returnable, target !== null, seen, clock.now(network)),
          ...(await accountWarnings(network, order)),
        ].filter((warning) => warning !== false),
      }
    },
  }
}

/** @throws AppError MATTER_NO_REFUND */
function returnableOf(
  discrepancy: StoredDiscrepancy,
  { whole: invoice, payment, payments }: DiscrepancySubjects,
) {
  const payers = payersOf(payments)
  if (payment !== null) {
    const { account: from, currency, amount, hash } = payment
    return { from, currency, amount, payers, about: `Refund of payment ${hash.slice(0, 8)}` }
  }
  if (invoice === null) throw notRefundable('There is nothing left to refund.')
  const { payTo: from, currency, status } = invoice
  const tally = tallyOf(invoice, payments)
  // Everything received for a pending invoice may be refunded, because the user can cancel it or let it expire.
  const isEnded = status === 'paid' || status === 'expired' || status === 'cancelled'
  const amount = isEnded ? overpaidBy(invoice, tally) : tally.received
  if (amount === 0n || discrepancy.kind === 'reported-differs')
    throw notRefundable('There is nothing left to refund.')
  const all = [...new Set([...payers, invoice.paidBy ?? []].flat())]
  return { from, currency, amount, payers: all, about: `Refund of invoice ${invoice.id}` }
}

const notRefundable = (message: string): AppError =>
  new AppError(discrepancyCodes.noRefund, message)

/** The last payer comes first, because the last payment caused the excess; the others follow by amount. */
function payersOf(payments: DiscrepancySubjects['payments']): string[] {
  const sums = new Map<string, bigint>()
  for (const { payer, amount } of payments) sums.set(payer, (sums.get(payer) ?? 0n) + amount)
  const last = payments.at(-1)?.payer
  const rest = [...sums].sort((a, b) => (a[1] < b[1] ? 1 : -1)).map(([payer]) => payer)
  return [...new Set([...(last === undefined ? [] : [last]), ...rest])]
}

/** @throws AppError CHAIN_BAD_ADDRESS */
function parsePayee(text: string, testOnly: boolean): string {
  try {
    const { raw, isTestOnly } = parseAddress(text.trim())
    if (!isTestOnly || testOnly) return raw
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    throw new AppError(chainCodes.badAddress, `Not a valid address: ${error.why}.`)
  }
  throw new AppError(
    chainCodes.badAddress,
    'This address is for test networks only, but this network is not a test network.',
  )
}

type Warnings = readonly (string | false)[]

/** @param isChosen true if the user entered the payee @param seen a transfer that may already be the refund */
function paymentWarnings(
  { to, amount, currency }: RefundOrder,
  { payers, amount: returnable }: Returnable,
  isChosen: boolean,
  seen: OutgoingTransfer | null,
  now: number,
): Warnings {
  const than = `than the ${formatMoney(returnable, currency)} to refund`
  return [
    seen !== null &&
      `${formatMoney(seen.amount, seen.currency)} was already sent back to the payer ${duration(Math.max(1000, now - seen.at))} ago. Check that transfer before you send more.`,
    amount !== returnable && `This is ${amount > returnable ? 'more' : 'less'} ${than}.`,
    isChosen && payers.length > 0 && !payers.includes(to) && 'No payment came from this address.',
    !isChosen &&
      payers.length > 1 &&
      `The invoice was paid from ${payers.length} addresses. This refund goes to the last payer. Split the refund if others are owed money too.`,
  ]
}

function payeeWarnings(payee: AccountResponse): Warnings {
  const isWallet =
    payee.is_wallet || payee.interfaces.some((name) => /^(preprocessed_)?wallet_/.test(name))
  return [
    payee.is_scam && 'The gateway marks the payee as a scam.',
    payee.memo_required
      ? 'The payee requires a comment with every transfer, as exchanges do. Without the right comment the money may be lost. Ask the payer for address and comment.'
      : payee.status === 'active' &&
        !isWallet &&
        'The payee is a contract of unknown type, perhaps of an exchange. Ask the payer where to send the refund.',
    payee.status === 'frozen' && 'The payee’s account is frozen.',
  ]
}

function senderWarning(
  { status, balance }: AccountResponse,
  { currency, amount }: RefundOrder,
): string | false {
  if (status !== 'active') {
    return 'The wallet that received the payment is not deployed. Only the owner of its key can send from this address.'
  }
  const needed = currency === 'TON' ? amount + feeReserve : 2n * feeReserve
  return (
    BigInt(balance) < needed &&
    'The balance of the address that was paid may be too low for the refund and its fees.'
  )
}

/**
 * Builds a transfer for the user's own wallet to sign: wallet links (gateway-facts 3.7) and the
 * internal message. Nothing is signed or sent here.
 */

type RefundOrder = Pick<Refund, 'from' | 'to' | 'currency' | 'comment'> & {
  readonly amount: bigint
  readonly testOnly: boolean
  /** For USDT the sender's jetton wallet and the jetton master, both raw; null for TON. */
  readonly usdt: Usdt | null
}

/** A USDT transfer needs a part of this for gas; nearly all of the rest returns as excess. */
const attachedToUsdt = 100_000_000n

function refundMessage(order: RefundOrder): Pick<Refund, 'links' | 'boc' | 'message'> {
  const { from, to, amount, comment, usdt } = order
  const body = commentCell(comment) ?? beginCell().endCell()
  const jettons = jettonTransfer(amount, from, to, comment)
  const sent =
    usdt === null
      ? // The payer's wallet may not be deployed, and a bounced transfer would lose its fees.
        { to, value: amount, bounce: false, body }
      : { to: usdt.wallet, value: attachedToUsdt, bounce: true, body: jettons }
  const message = internal({ ...sent, to: toAddress(sent.to) })
  const boc = beginCell().store(storeMessageRelaxed(message)).endCell().toBoc()
  return {
    links: linksOf(order),
    boc: boc.toString('base64'),
    message: { to: sent.to, value: sent.value.toString() },
  }
}

function linksOf({ to, amount, comment, testOnly, usdt }: RefundOrder): Refund['links'] {
  const payee = formatFriendly(to, { bounceable: false, testOnly })
  const query = [`amount=${amount}`]
  if (comment !== '') query.push(`text=${encodeURIComponent(comment)}`)
  if (usdt !== null) {
    query.push(`jetton=${formatFriendly(usdt.master, { bounceable: true, testOnly })}`)
  }
  const path = `transfer/${payee}?${query.join('&')}`
  const web = `https://app.tonkeeper.com/${path}`
  return { ton: `ton://${path}`, tonkeeper: `tonkeeper://${path}`, web }
}
