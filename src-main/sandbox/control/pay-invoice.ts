import { Address } from '@ton/core'
import type { Actions } from '../actions.ts'
import type { ExecutedBlock } from '../chain/chain.ts'
import type { DevelopmentWallet } from '../chain/wallets.ts'
import { HttpProblem } from '../http.ts'
import { type Invoice, appliedOf, commentOf, expiresAt } from '../invoices/invoice.ts'
import type { PayHow } from '../../../src-preload/domain/sandbox-words.ts'

/** The amounts to pay, without an amount that was chosen. @throws HttpProblem 409 */
function amountsOf(invoice: Invoice, how: PayHow): readonly bigint[] {
  const full = invoice.amount
  if (how === 'under' && full === 1n)
    throw new HttpProblem(409, 'an invoice of one unit cannot be partially paid')
  if (how === 'under') return [full / 2n]
  if (how === 'over') return [full + (full < 10n ? 1n : full / 10n)]
  if (how !== 'rest') return how === 'twice' ? [full, full] : [full]
  const rest = full - appliedOf(invoice)
  if (invoice.status === 'pending' && rest > 0n) return [rest]
  throw new HttpProblem(409, `no amount is left to pay: the invoice is ${invoice.status}`)
}

/**
 * @param order.amount instead of the default of `how`
 * @param send funds the payer first
 * @throws HttpProblem 409 when nothing is left to pay
 */
export async function payInvoice(
  invoice: Invoice,
  order: {
    readonly how: PayHow
    readonly from: DevelopmentWallet
    readonly amount: bigint | undefined
  },
  send: Actions['send'],
  passTime: (until: number) => Promise<void>,
): Promise<readonly ExecutedBlock[]> {
  const { how, from } = order
  const amounts = amountsOf(invoice, how)
  if (how === 'late') {
    if (invoice.status === 'paid') throw new HttpProblem(409, 'the invoice is already paid')
    if (invoice.status === 'pending') await passTime(expiresAt(invoice) * 1000)
  }
  const other = invoice.currency === 'TON' ? 'USDT' : 'TON'
  const payment = {
    from,
    to: Address.parseRaw(invoice.payToAddress),
    currency: how === 'wrong-asset' ? other : invoice.currency,
    comment: how === 'no-comment' ? undefined : (commentOf(invoice) ?? undefined),
  } as const
  const blocks: ExecutedBlock[] = []
  for (const amount of amounts) {
    blocks.push(await send({ ...payment, amount: order.amount ?? amount }))
  }
  return blocks
}
