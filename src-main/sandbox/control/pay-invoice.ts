import { Address } from '@ton/core'
import type { Actions } from '../actions.ts'
import type { ExecutedBlock } from '../chain/chain.ts'
import type { DevelopmentWallet } from '../chain/wallets.ts'
import { HttpProblem } from '../http.ts'
import {
  type Currency,
  type Invoice,
  commentOf,
  appliedOf,
  expiresAt,
} from '../invoices/invoice.ts'
import type { PayHow } from '../../../src-preload/domain/sandbox-words.ts'

type PaymentOrder = {
  readonly currency: Currency
  readonly amount: bigint
  readonly comment: string | null
}

/**
 * @param amount instead of the default of `how`
 * @throws HttpProblem 409 when nothing is left to pay
 */
function paymentsOf(
  invoice: Invoice,
  how: PayHow,
  amount: bigint | undefined,
): readonly PaymentOrder[] {
  const { currency } = invoice
  const comment = commentOf(invoice)
  const full = invoice.amount
  const order = (usual: bigint): PaymentOrder => ({ currency, amount: amount ?? usual, comment })
  switch (how) {
    case 'exact':
    case 'late':
      return [order(full)]
    case 'under':
      if (full === 1n) throw new HttpProblem(409, 'one unit cannot be paid in part')
      return [order(full / 2n)]
    case 'over':
      return [order(full + (full < 10n ? 1n : full / 10n))]
    case 'rest': {
      const rest = full - appliedOf(invoice)
      if (invoice.status !== 'pending' || rest <= 0n) {
        throw new HttpProblem(409, `nothing is left to pay: the invoice is ${invoice.status}`)
      }
      return [order(rest)]
    }
    case 'twice':
      return [order(full), order(full)]
    case 'wrong-asset':
      return [{ ...order(full), currency: currency === 'TON' ? 'USDT' : 'TON' }]
    case 'no-comment':
      return [{ ...order(full), comment: null }]
  }
}

export async function payInvoice(
  deps: {
    /** Funds the payer first. */
    readonly send: Actions['send']
    /**
     * Moves a virtual clock past `until`, milliseconds.
     * @throws HttpProblem 409 for a real clock
     */
    readonly passTime: (until: number) => Promise<void>
  },
  invoice: Invoice,
  order: {
    readonly how: PayHow
    readonly from: DevelopmentWallet
    readonly amount: bigint | undefined
  },
): Promise<readonly ExecutedBlock[]> {
  const payments = paymentsOf(invoice, order.how, order.amount)
  if (order.how === 'late') {
    if (invoice.status === 'paid')
      throw new HttpProblem(409, 'the invoice is paid: nothing is late')
    if (invoice.status === 'pending') await deps.passTime(expiresAt(invoice) * 1000)
  }
  const blocks: ExecutedBlock[] = []
  for (const { currency, amount, comment } of payments) {
    blocks.push(
      await deps.send({
        from: order.from,
        to: Address.parseRaw(invoice.payToAddress),
        amount,
        currency,
        comment: comment ?? undefined,
      }),
    )
  }
  return blocks
}
