/** Labels of discrepancies that need a decision, and the action that marks them as handled. */
import type { Discrepancy } from '../../../src-preload/contract/discrepancy.ts'
import type { NetworkId } from '../../../src-preload/contract/network.ts'
import { attempt, request } from '../../app/bridge.ts'
import { formatCount } from '../../ui/format.ts'
import { showToast } from '../../ui/toast.tsx'
import { discrepancyLabels } from './invoice-labels.ts'

export function labelOf({ kind, payment }: Pick<Discrepancy, 'kind' | 'payment'>): string {
  if (payment === null) return discrepancyLabels[kind]
  // A payment that names an invoice matches it, although it does not count.
  return payment.uncounted === null ? 'matches no invoice' : uncountedLabels[payment.uncounted]
}

/** The differences in a payment that names an invoice without counting for it. */
export const uncountedLabels = {
  asset: 'wrong asset',
  address: 'wrong address',
  comment: 'wrong comment',
} as const

export function nameOf({ invoice, payment }: Pick<Discrepancy, 'invoice' | 'payment'>): string {
  if (invoice !== null) return invoice.id
  return payment === null ? '' : 'Payment'
}

/** `onChanged` refreshes the displayed list, also after Undo. */
export async function markDiscrepanciesHandled(
  network: NetworkId,
  keys: readonly number[],
  onChanged: () => void = () => undefined,
): Promise<void> {
  const done = await attempt('Could not mark the discrepancy as handled', () =>
    request('discrepancy.handle', { network, keys: [...keys] }),
  )
  if (done === undefined) return
  onChanged()
  const undo = async () => {
    await attempt('Could not reopen the discrepancy', () =>
      request('discrepancy.reopen', { network, keys: [...keys] }),
    )
    onChanged()
  }
  showToast({
    id: 'handled',
    title: `${formatCount(done.handled, 'discrepancy', 'discrepancies')} marked as handled`,
    action: { label: 'Undo', run: () => void undo() },
  })
}
