/** Prepares a refund to the payer; only the user signs and sends it. */
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { chainCodes, matterCodes } from '../../../src-preload/domain/error-codes.ts'
import type { AccountAnswer } from '../../gateway/query-answers.ts'
import type { QueryClient } from '../../gateway/query.ts'
import type { InvoiceStore } from '../store/invoice-store.ts'
import type { OutgoingTransfer } from '../store/invoice-accounts.ts'
import type { StoredDiscrepancy } from '../store/discrepancies.ts'
import { AddressError, parseAddress, formatFriendly, toAddress } from '../../ton/address.ts'
import { findUsdt } from '../chain/transfers.ts'
import { overpaidBy, tallyOf } from './discrepancies.ts'
import { duration, money } from './words.ts'
import { getDiscrepancy, type DiscrepancyView, type Subject } from './discrepancy-routes.ts'
import type { GatewayClock } from './gateway-clock.ts'
import type { GatewayAccess } from '../parts.ts'
import { beginCell, comment as textComment, internal, storeMessageRelaxed } from '@ton/core'
import type { InvoiceCurrency } from '../../../src-preload/contract/invoice.ts'
import type { Refund } from '../../../src-preload/contract/matter.ts'
import { opcodes } from '../../ton/opcodes.ts'

type RefundDeps = {
  readonly access: GatewayAccess
  readonly store: Pick<InvoiceStore, 'matters' | 'accounts'>
  readonly view: DiscrepancyView
  readonly clock: GatewayClock
}

type Returnable = {
  readonly from: string
  readonly currency: 'TON' | 'USDT'
  readonly amount: bigint
  readonly payers: readonly string[]
  readonly about: string
}

/** An estimate of a wallet's fees for a plain transfer. */
const feeReserve = 20_000_000n

export function createRefundRoute(deps: RefundDeps): Pick<Handlers, 'refund.prepare'> {
  const { access, store, view, clock } = deps

  return {
    async 'refund.prepare'({ network, key, amount: wanted, comment: text, to: other }) {
      const discrepancy = getDiscrepancy(store.matters, network, key)
      const subject = view.subject(discrepancy)
      const returnable = returnableOf(discrepancy, subject)
      const { testOnly } = access.info(network)
      const target = other === null ? null : readPayee(other, testOnly)
      const to = target?.raw ?? returnable.payers[0]
      if (to === undefined) {
        throw new AppError(
          matterCodes.noRefund,
          'Nobody is known to return it to yet: no payment of it was found on the chain. Give the address, or read the chain first.',
        )
      }
      const amount = wanted === null ? returnable.amount : BigInt(wanted)
      if (amount <= 0n) {
        throw new AppError(matterCodes.noRefund, 'Give an amount above zero.')
      }
      const comment = text ?? returnable.about
      const { from, currency } = returnable
      const usdt = currency === 'USDT' ? await usdtOf(network, from) : null
      const seen = view.refundOf(discrepancy, subject)
      const order = { from, to, currency, amount, comment, testOnly, usdt }
      return {
        from,
        to,
        currency,
        amount: amount.toString(),
        comment,
        ...refundMessage(order),
        warnings: [
          ...refundedWords(seen, clock.now(network)),
          ...amountWords(amount, returnable),
          ...payeeWords(to, target, returnable),
          ...(await accountWords(network, order)),
        ],
      }
    },
  }

  async function usdtOf(network: NetworkId, from: string) {
    const account = store.accounts.get(network, from) ?? {
      account: from,
      usdtMaster: null,
      usdtWallet: null,
    }
    const known = { kind: access.info(network).kind, master: store.accounts.usdtMaster(network) }
    const query: Pick<QueryClient, 'accountJetton' | 'accountJettons'> = {
      accountJetton: (...asked) => access.query(network).accountJetton(...asked),
      accountJettons: (...asked) => access.query(network).accountJettons(...asked),
    }
    const found = await findUsdt(account, known, query, { signal: access.interest(network) })
    if (found !== null) return found
    throw new AppError(
      matterCodes.noRefund,
      'The address that received it has no USDT wallet any more, so it holds no USDT to return.',
    )
  }

  async function accountWords(
    network: NetworkId,
    order: { from: string; to: string; currency: 'TON' | 'USDT'; amount: bigint },
  ): Promise<string[]> {
    const signal = access.interest(network)
    try {
      const [payer, sender] = await access
        .query(network)
        .accountsBulk([order.to, order.from], { signal })
      return [...payerWords(payer), ...senderWords(sender, order)]
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof AppError)) throw error
      return ['The accounts could not be looked at now: check yourself that the payee is a wallet.']
    }
  }
}

/** @throws AppError MATTER_NO_REFUND */
function returnableOf(
  discrepancy: StoredDiscrepancy,
  { invoice, payment, payments }: Subject,
): Returnable {
  const payers = payersOf(payments)
  if (payment !== null) {
    const { account: from, currency, amount, hash } = payment
    const about = `Refund of payment ${hash.slice(0, 8)}`
    return { from, currency, amount, payers, about }
  }
  if (invoice === null) throw nothingToReturn()
  const { payTo: from, currency, status } = invoice
  const tally = tallyOf(invoice, payments)
  // For a pending invoice everything received may be refunded: the user cancels it or lets it expire.
  const isEnded = status === 'paid' || status === 'expired' || status === 'cancelled'
  const amount = isEnded ? overpaidBy(invoice, tally) : tally.received
  if (amount === 0n || discrepancy.kind === 'reported-differs') throw nothingToReturn()
  const known = invoice.paidBy === null ? payers : [...new Set([...payers, invoice.paidBy])]
  return { from, currency, amount, payers: known, about: `Refund of invoice ${invoice.id}` }
}

function nothingToReturn(): AppError {
  return new AppError(matterCodes.noRefund, 'Nothing is to be returned here.')
}

/** The last payer comes first, because the last payment caused the excess; then the others by amount. */
function payersOf(payments: Subject['payments']): string[] {
  const sums = new Map<string, bigint>()
  for (const { payer, amount } of payments) sums.set(payer, (sums.get(payer) ?? 0n) + amount)
  const last = payments.at(-1)?.payer
  const rest = [...sums].sort((a, b) => (a[1] < b[1] ? 1 : -1)).map(([payer]) => payer)
  return [...new Set([...(last === undefined ? [] : [last]), ...rest])]
}

type Payee = { readonly raw: string; readonly isTestOnly: boolean }

/** @throws AppError CHAIN_BAD_ADDRESS */
function readPayee(text: string, testOnly: boolean): Payee {
  try {
    const parsed = parseAddress(text.trim())
    if (!parsed.isTestOnly || testOnly) return parsed
  } catch (error) {
    if (!(error instanceof AddressError)) throw error
    throw new AppError(chainCodes.badAddress, `This is no address: ${error.why}.`)
  }
  throw new AppError(
    chainCodes.badAddress,
    'This address is marked as one of test networks only, and this network is none.',
  )
}

function refundedWords(seen: OutgoingTransfer | null, now: number): string[] {
  if (seen === null) return []
  const ago = duration(Math.max(1000, now - seen.at))
  return [
    `${money(seen.amount, seen.currency)} went back to the payer already, ${ago} ago: look at it before you send more.`,
  ]
}

function amountWords(amount: bigint, returnable: Returnable): string[] {
  if (amount === returnable.amount) return []
  const all = money(returnable.amount, returnable.currency)
  return amount > returnable.amount
    ? [`This is more than the ${all} that are to be returned.`]
    : [`This is less than the ${all} that are to be returned.`]
}

function payeeWords(to: string, given: Payee | null, { payers }: Returnable): string[] {
  const words: string[] = []
  if (given !== null && payers.length > 0 && !payers.includes(to)) {
    words.push('This is not an address that paid.')
  }
  if (given === null && payers.length > 1) {
    words.push(
      `It was paid from ${payers.length} addresses; this goes to the one that paid last. Share it out if it was theirs too.`,
    )
  }
  return words
}

function payerWords(payer: AccountAnswer | undefined): string[] {
  if (payer === undefined) return []
  const words: string[] = []
  if (payer.is_scam) words.push('The gateway marks the payee as a scam.')
  if (payer.memo_required) {
    words.push(
      'The payee asks for a comment of its own with every transfer, as exchanges do: without the right one the money may be lost. Ask the payer for address and comment.',
    )
  } else if (payer.status === 'active' && !isWallet(payer)) {
    words.push(
      'The payee is a contract and no wallet known here, an exchange’s perhaps: ask the payer where to return it.',
    )
  }
  if (payer.status === 'frozen') words.push('The payee’s account is frozen.')
  return words
}

function senderWords(
  sender: AccountAnswer | undefined,
  { currency, amount }: { readonly currency: 'TON' | 'USDT'; readonly amount: bigint },
): string[] {
  if (sender === undefined) return []
  if (sender.status !== 'active') {
    return [
      'The address that received it has no wallet set up: only who has its key can send from it.',
    ]
  }
  const needed = currency === 'TON' ? amount + feeReserve : 2n * feeReserve
  return BigInt(sender.balance) < needed
    ? ['The address that received it may not hold enough TON for this and its fees.']
    : []
}

function isWallet({ is_wallet: is, interfaces }: AccountAnswer): boolean {
  return is || interfaces.some((name) => /^(preprocessed_)?wallet_/.test(name))
}

/**
 * A transfer that the user's own wallet signs: wallet links (gateway-facts 3.7) and the internal message.
 * Nothing is signed or sent here. Pure.
 */

type RefundOrder = {
  readonly from: string
  readonly to: string
  readonly currency: InvoiceCurrency
  readonly amount: bigint
  readonly comment: string
  readonly testOnly: boolean
  /** For USDT: the sender's jetton wallet and the jetton master, raw. */
  readonly usdt: { readonly wallet: string; readonly master: string } | null
}

/** A USDT transfer needs part of this for gas; nearly all of it returns as excesses. */
const attachedToUsdt = 100_000_000n
/** Without a forward amount the recipient's wallet would not get the comment. */
const forwarded = 1n

function refundMessage(order: RefundOrder): Pick<Refund, 'links' | 'boc' | 'message'> {
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
  // The payer's wallet may not be deployed: a bounced transfer would lose its fees.
  return { to, value: amount, bounce: false, body }
}

/** TEP-74. The query id distinguishes refunds only in the wallets' own history. */
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
