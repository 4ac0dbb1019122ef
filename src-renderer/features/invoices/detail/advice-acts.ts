/** What can be done about an invoice. Each tells what did not work. */
import type { Advice, InvoiceDetail } from '../../../../src-preload/contract/invoice.ts'
import type { Matter } from '../../../../src-preload/contract/matter.ts'
import type { Network, NetworkId } from '../../../../src-preload/contract/network.ts'
import type { Payment } from '../../../../src-preload/contract/payment.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { navigate } from '../../../app/route.ts'
import { copyText } from '../../../ui/copy-button.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { handleMatters } from '../attention/matters.ts'
import { openCreate } from '../create/issuing.ts'
import { cancelInvoices } from '../list/cancel-commands.tsx'
import { readNow } from '../list/sync-state.tsx'

export type Act = Advice['acts'][number]

export const actWords: Readonly<Record<Act, string>> = {
  'share-link': 'Copy the link',
  cancel: 'Cancel invoice…',
  'prepare-refund': 'Prepare refund…',
  'mark-handled': 'Mark handled',
  fetch: 'Ask the gateway',
  'read-chain': 'Read the chain',
  'find-payment': 'Find the payment',
  'issue-again': 'Issue again…',
}

type Acting = {
  readonly network: Network
  readonly invoice: InvoiceDetail
  readonly onFetched: (invoice: InvoiceDetail) => void
  /** Shows how this is given back. */
  readonly onRefund: (matter: Matter) => void
}

export async function runAct(
  act: Act,
  { network, invoice, onFetched, onRefund }: Acting,
): Promise<void> {
  switch (act) {
    case 'share-link':
      await copyLink(invoice)
      return
    case 'cancel':
      await cancelInvoices(network, [invoice])
      return
    case 'prepare-refund':
      await prepareRefund(invoice, onRefund)
      return
    case 'mark-handled':
      await markHandled(invoice)
      return
    case 'fetch':
      await fetchInvoice(network.id, invoice.id, onFetched)
      return
    case 'read-chain':
      await readNow(network)
      return
    case 'find-payment':
      navigate({ ...invoicesHome, view: 'payments' })
      return
    case 'issue-again':
      issueAgain(invoice)
  }
}

/** The same where only its id is known: its matter follows what becomes of it. */
export async function runActOn(
  act: Exclude<Act, 'prepare-refund' | 'mark-handled'>,
  network: Network,
  id: string,
): Promise<void> {
  const invoice = await attempt('Could not read the invoice', () =>
    request('invoice.get', { network: network.id, id }),
  )
  if (invoice === undefined) return
  await runAct(act, { network, invoice, onFetched: () => undefined, onRefund: () => undefined })
}

async function copyLink({ id, paymentLink }: InvoiceDetail): Promise<void> {
  if (await copyText(paymentLink, 'Payment link')) {
    showToast({ id: 'payment-link', title: `Payment link of ${id} copied` })
  }
}

/** Asks the gateway for it now. */
export async function fetchInvoice(
  network: NetworkId,
  id: string,
  onFetched: (invoice: InvoiceDetail) => void,
): Promise<void> {
  const detail = await attempt('The gateway could not be asked for it', () =>
    request('invoice.fetch', { network, id }),
  )
  if (detail === undefined) return
  onFetched(detail)
  announce(`The gateway says ${detail.status}`)
}

/** What of it is open. */
async function mattersOf({ network, id }: InvoiceDetail): Promise<Matter[]> {
  const { matters } = await request('matter.page', { network, text: id, offset: 0, limit: 100 })
  return matters.filter(({ invoice }) => invoice?.id === id)
}

async function prepareRefund(
  invoice: InvoiceDetail,
  onRefund: (matter: Matter) => void,
): Promise<void> {
  const matters = await attempt('Could not look up what is to be returned', () =>
    mattersOf(invoice),
  )
  if (matters === undefined) return
  const matter = matters.find(({ advice }) => advice.acts.includes('prepare-refund')) ?? matters[0]
  if (matter === undefined) {
    showToast({
      title: 'Nothing is to be returned any more',
      detail: 'It was handled, or is no matter now.',
    })
    return
  }
  onRefund(matter)
}

async function markHandled(invoice: InvoiceDetail): Promise<void> {
  const open = await attempt('Could not mark it handled', () => mattersOf(invoice))
  if (open === undefined) return
  if (open.length === 0) showToast({ id: 'handled', title: 'Nothing of it is open any more' })
  else
    await handleMatters(
      invoice.network,
      open.map(({ key }) => key),
    )
}

/** The same again, to be looked at before it is issued. */
function issueAgain({ amount, currency, description, createdAt, expiresAt }: InvoiceDetail): void {
  openCreate({
    amount,
    currency,
    description,
    lifeTimeSeconds: Math.round((expiresAt - createdAt) / 1000),
  })
}

/** A person says that this payment is of something else; that can be taken back. */
export async function unlinkPayment({ network, key, invoice }: Payment): Promise<void> {
  const payment = await attempt('Could not take it off', () =>
    request('payment.unlink', { network, key }),
  )
  if (payment === undefined || invoice === null) return
  showToast({
    id: 'payment-link',
    title: `The payment is not of ${invoice} any more`,
    action: {
      label: 'Undo',
      run: () =>
        void attempt('Could not undo it', () => request('payment.link', { network, key, invoice })),
    },
  })
}
