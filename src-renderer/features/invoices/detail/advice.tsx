/** The possible actions on an invoice. Each action shows its own error. */
import { restOf } from '../../../../src-preload/contract/invoice-money.ts'
import type { InvoiceDetail } from '../../../../src-preload/contract/invoice.ts'
import type { Discrepancy } from '../../../../src-preload/contract/discrepancy.ts'
import type { Network, NetworkId } from '../../../../src-preload/contract/network.ts'
import { attempt, request, put, reload } from '../../../app/bridge.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { navigate } from '../../../app/route.ts'
import type { Act, InvoiceActing } from '../../../components/invoices/advice-panel.tsx'
import { copyText, announce, showToast } from '../../../ui/toast.tsx'
import { handleDiscrepancies } from '../attention/discrepancies.ts'
import { openCreate } from '../create/issuing.ts'
import { cancelInvoices } from '../list/invoice-list.tsx'
import { readNow } from '../list/sync-state.tsx'

export { RefundDialog } from '../attention/refund-dialog.tsx'

export async function runAct(act: Act, acting: InvoiceActing): Promise<void> {
  const { network, invoice, onRefund } = acting
  switch (act) {
    case 'share-link':
      return copyLink(invoice)
    case 'cancel':
      return cancelInvoices(network, [invoice])
    case 'prepare-refund':
      return prepareRefund(invoice, onRefund)
    case 'mark-handled':
      return markHandled(invoice)
    case 'fetch':
      return fetchInvoice(network.id, invoice.id)
    case 'read-chain':
      return readNow(network.id)
    case 'find-payment':
      navigate({ ...invoicesHome, view: 'payments' })
      return undefined
    case 'issue-again':
      reissue(invoice)
      return undefined
    case 'issue-rest':
      reissue(invoice, { amount: restOf(invoice).toString(), restOf: invoice.id })
      return undefined
  }
}

/** Runs an action like `actOn`, when only the id of the invoice is known. */
export async function runActOn(
  act: Exclude<Act, 'prepare-refund' | 'mark-handled'>,
  network: Network,
  id: string,
): Promise<void> {
  const invoice = await attempt('Could not load the invoice', () =>
    request('invoice.get', { network: network.id, id }),
  )
  if (invoice === undefined) return
  await runAct(act, { network, invoice, onRefund: () => undefined })
}

async function copyLink({ id, paymentLink }: InvoiceDetail): Promise<void> {
  if (await copyText(paymentLink, 'Payment link')) {
    showToast({ id: 'payment-link', title: `Payment link of invoice ${id} copied` })
  }
}

/** Requests the newest version of an invoice from the gateway. */
export async function fetchInvoice(network: NetworkId, id: string): Promise<void> {
  const detail = await attempt('Could not load the invoice from the gateway', () =>
    request('invoice.fetch', { network, id }),
  )
  if (detail === undefined) return
  put('invoice.get', { network, id }, detail)
  reload('explanation.get')
  announce(`The gateway reports ${detail.status}`)
}

/** Returns the open discrepancies of an invoice. */
async function discrepanciesOf({ network, id }: InvoiceDetail): Promise<Discrepancy[]> {
  const { matters } = await request('discrepancy.page', {
    network,
    text: id,
    offset: 0,
    limit: 100,
  })
  return matters.filter(({ invoice }) => invoice?.id === id)
}

async function prepareRefund(invoice: InvoiceDetail, onRefund: (discrepancy: Discrepancy) => void) {
  const matters = await attempt('Could not prepare the refund', () => discrepanciesOf(invoice))
  if (matters === undefined) return
  const discrepancy =
    matters.find(({ advice }) => advice.acts.includes('prepare-refund')) ?? matters[0]
  if (discrepancy === undefined) {
    showToast({
      title: 'Nothing to refund',
      detail: 'The discrepancy is already marked as handled, or no longer exists.',
    })
    return
  }
  onRefund(discrepancy)
}

async function markHandled(invoice: InvoiceDetail): Promise<void> {
  const open = await attempt('Could not mark the invoice as handled', () =>
    discrepanciesOf(invoice),
  )
  if (open === undefined) return
  if (open.length === 0) {
    showToast({ id: 'handled', title: 'The invoice has no open discrepancy' })
    return
  }
  const keys = open.map(({ key }) => key)
  await handleDiscrepancies(invoice.network, keys)
}

/** Opens the form of a new invoice with the values of this one, except `changes`. */
function reissue(
  invoice: InvoiceDetail,
  changes: { readonly amount?: string; readonly restOf?: string } = {},
): void {
  const { amount, currency, description, orderReference, createdAt, expiresAt } = invoice
  const lifeTimeSeconds = Math.round((expiresAt - createdAt) / 1000)
  openCreate({ amount, currency, description, orderReference, lifeTimeSeconds, ...changes })
}
