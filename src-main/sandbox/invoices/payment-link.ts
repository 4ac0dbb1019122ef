import { Address, beginCell, contractAddress } from '@ton/core'
import { type Invoice, commentOf } from './invoice.ts'

/**
 * What a payer opens: Tonkeeper's deep-link grammar (gateway-facts 3.7) with everything the payment
 * must have. It stops being of use at `date_expire`.
 * @param usdtMaster raw
 */
export function paymentLink(
  invoice: Pick<Invoice, 'id' | 'rule' | 'payTo' | 'amount' | 'currency' | 'dateExpire'>,
  usdtMaster: string,
): string {
  const recipient = Address.parseRaw(invoice.payTo).toString({ bounceable: false })
  const query = new URLSearchParams({ amount: invoice.amount.toString() })
  const comment = commentOf(invoice)
  if (comment !== null) query.set('text', comment)
  if (invoice.currency === 'USDT') query.set('jetton', Address.parseRaw(usdtMaster).toString())
  query.set('exp', String(invoice.dateExpire))
  return `https://app.tonkeeper.com/transfer/${recipient}?${query.toString()}`
}

/**
 * An address of the invoice's own, of a contract that nobody has put there: what is sent to it stays
 * there and nobody has a key to it, which is enough where money is play money.
 * @returns raw
 */
export function addressOf(invoiceId: string): string {
  const code = beginCell()
    .storeStringTail('Tondesk sandbox: an address to pay an invoice at')
    .endCell()
  const data = beginCell().storeStringTail(invoiceId).endCell()
  return contractAddress(0, { code, data }).toRawString()
}
