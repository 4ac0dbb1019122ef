/** The list of discrepancies that need a decision. */
import { create } from 'zustand'
import type { DiscrepancyKind } from '../../../../src-preload/contract/invoice.ts'
import type { Discrepancy } from '../../../../src-preload/contract/discrepancy.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { attempt, request } from '../../../app/bridge.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { navigate } from '../../../app/route.ts'
import { markDiscrepanciesHandled } from '../../../components/invoices/discrepancies.ts'
import { createLiveList } from '../../../ui/live-list.ts'
import { showToast } from '../../../ui/toast.tsx'

type Shown = {
  readonly kind: DiscrepancyKind | null
  readonly handled: boolean
  readonly text: string
}

/** The filter is kept while the user looks at other pages. */
export const useKindFilter = create<Shown>(() => ({ kind: null, handled: false, text: '' }))

/** The list of discrepancies, with the number of open discrepancies of each kind. */
export const discrepancyList = createLiveList({
  load: async (question: Shown & { network: NetworkId }, offset, limit) => {
    const page = await request('discrepancy.page', { ...question, offset, limit })
    return { total: page.total, rows: page.matters, extra: page.byKind }
  },
  idOf: ({ key }: Discrepancy) => key,
  pollMs: 500,
})

/**
 * The labels of amounts by kind of discrepancy, in the order in which a merchant settles them:
 * money of others first.
 */
const amountLabels: Readonly<Record<DiscrepancyKind, string>> = {
  overpaid: 'to refund',
  'paid-late': 'to refund',
  'paid-after-cancel': 'to refund',
  unmatched: 'received',
  partial: 'missing',
  'chain-ahead': 'to refund, or fulfil the order',
  'gateway-ahead': 'missing on the chain',
  'reported-differs': '',
}

export const orderedDiscrepancyKinds = Object.keys(amountLabels) as DiscrepancyKind[]

/** Describes what the amount of a discrepancy stands for. */
export function describeAmount({ kind, invoice }: Pick<Discrepancy, 'kind' | 'invoice'>): string {
  // The partial payment of an expired invoice is not completed any more: it is refunded.
  return kind === 'partial' && invoice?.status !== 'pending' ? 'to refund' : amountLabels[kind]
}

/** Opens a discrepancy given by its link; `null` closes the open one. */
export function openDiscrepancy(network: NetworkId, key: number | null, isWalk = false): void {
  navigate(
    { ...invoicesHome, network: key === null ? null : network, view: 'attention', matter: key },
    { replace: isWalk },
  )
}

export const handleDiscrepancies = (network: NetworkId, keys: readonly number[]) =>
  markDiscrepanciesHandled(network, keys, () => discrepancyList.refresh())

export async function reopenDiscrepancies(network: NetworkId, keys: readonly number[]) {
  await attempt('Could not reopen the discrepancy', () =>
    request('discrepancy.reopen', { network, keys: [...keys] }),
  )
  discrepancyList.refresh()
}

/** Links a payment to the invoice that the user has chosen, with a way to undo it. */
export async function linkPayment(network: NetworkId, key: number, invoice: string) {
  const payment = await attempt('Could not link the payment', () =>
    request('payment.link', { network, key, invoice }),
  )
  if (payment === undefined) return false
  discrepancyList.refresh()
  showToast({
    id: 'payment-link',
    title: `Payment linked to invoice ${invoice}`,
    action: {
      label: 'Undo',
      run: () => void attempt('Could not undo', () => request('payment.unlink', { network, key })),
    },
  })
  return true
}
