import type { InvoiceEntry } from '../../gateway/invoice-answers.ts'
import type { InvoiceJobRecord } from '../store/invoice-jobs.ts'
import type { StoredItem } from '../store/invoice-job-items.ts'
import { decimalsOf, formatAmount } from '../../../src-preload/domain/amount.ts'
import type { InvoiceRunDeps } from '../jobs/run.ts'

/** This invoice is what became of the item. First the ledger: what is missing after a kill is looked for. */
export function take(
  { id, network }: Pick<InvoiceJobRecord, 'id' | 'network'>,
  item: StoredItem,
  entry: InvoiceEntry,
  { ledger, items }: Pick<InvoiceRunDeps, 'ledger' | 'items'>,
  found: string | null = null,
): void {
  ledger.record(network, [entry], 'created-here')
  const message = found ?? differenceOf(item, entry)
  items.done(id, item.index, { id: entry.id, paymentLink: entry.paymentLink, message })
}

/** What a gateway has made other than it was asked. */
function differenceOf(item: StoredItem, { amount, currency }: InvoiceEntry): string | null {
  if (amount === item.amount && currency === item.currency) return null
  return `The gateway made it of ${formatAmount(amount, decimalsOf[currency])} ${currency}: look at it before it is sent.`
}
