import { AppError } from '../../../src-preload/domain/app-error.ts'
import { invoiceCodes, invoiceJobCodes } from '../../../src-preload/domain/error-codes.ts'
import type { InvoiceJobRecord } from '../store/invoice-jobs.ts'
import type { StoredItem } from '../store/invoice-job-items.ts'
import type { InvoiceRunDeps } from './run.ts'

/**
 * The person says that this invoice is what became of an unclear item.
 * @throws AppError INVOICE_UNKNOWN; INVOICE_JOB_NOT_NOW for another's, or of another amount; as the client does
 */
export async function takeByHand(
  { id, network }: InvoiceJobRecord,
  item: StoredItem,
  invoice: string,
  { items, ledger }: Pick<InvoiceRunDeps, 'items' | 'ledger'>,
): Promise<void> {
  const found = await ledger.fetch(network, invoice.trim(), 'fetch')
  if (found === null) {
    throw new AppError(invoiceCodes.unknown, `The gateway has no invoice ${invoice.trim()}.`)
  }
  if (items.isIssued(network, found.id)) {
    const message = `Invoice ${found.id} is another line’s already.`
    throw new AppError(invoiceJobCodes.notNow, message)
  }
  if (found.amount !== item.amount || found.currency !== item.currency) {
    const message = `Invoice ${found.id} is of another amount: it is not this line’s.`
    throw new AppError(invoiceJobCodes.notNow, message)
  }
  const { paymentLink } = found
  items.done(id, item.index, { id: found.id, paymentLink, message: 'Named by hand.' })
}
