/** Which invoices are meant, when some are to be cancelled. */
import type { InvoiceFilter } from '../../../src-preload/contract/invoice.ts'
import { invoiceCodes, invoiceJobCodes } from '../../../src-preload/domain/error-codes.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { Handlers, Output, Parsed } from '../../../src-preload/contract/routes.ts'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import type { ToCancel } from '../store/invoice-jobs.ts'
import type { Ledger } from '../parts.ts'

export type ReadPage = Handlers['invoice.page']

const max = 10_000
const atOnce = 500

/** @throws AppError INVOICE_UNKNOWN, INVOICE_NONE_TO_CANCEL; as the client does */
export async function readToCancel(
  { network, invoices }: Parsed<'invoiceCancel.start'>,
  ledger: Pick<Ledger, 'find' | 'fetch'>,
  readPage: ReadPage,
): Promise<ToCancel[]> {
  const ids =
    'ids' in invoices
      ? [...new Set(invoices.ids)]
      : await pendingOf(network, invoices.filter, readPage)
  const found: ToCancel[] = []
  for (const id of ids) {
    const invoice = ledger.find(network, id) ?? (await ledger.fetch(network, id, 'fetch'))
    if (invoice === null) {
      throw new AppError(invoiceCodes.unknown, `There is no invoice ${id} on this network.`)
    }
    const { currency, amount, description, paymentLink } = invoice
    found.push({ invoice: id, currency, amount, description, paymentLink })
  }
  if (found.length > 0) return found
  throw new AppError(invoiceJobCodes.noneToCancel, 'None of these is pending: nothing to cancel.')
}

async function pendingOf(
  network: NetworkId,
  filter: InvoiceFilter,
  readPage: ReadPage,
): Promise<string[]> {
  const { statuses } = filter
  if (statuses.length > 0 && !statuses.includes('pending')) return []
  const pending = { ...filter, statuses: ['pending'] }
  const sort = { by: 'created', descending: true } as const
  const ids: string[] = []
  let after: string | null = null
  do {
    const input = { network, filter: pending, sort, from: { after }, skip: 0, limit: atOnce }
    const page: Output<'invoice.page'> = await readPage(input)
    ids.push(...page.invoices.map(({ id }) => id))
    after = page.after
  } while (after !== null && ids.length < max)
  return ids
}
