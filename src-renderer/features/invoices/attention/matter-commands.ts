/** What is done about a matter. Each tells what did not work. */
import type { Matter } from '../../../../src-preload/contract/matter.ts'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatCount } from '../../../ui/format.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { navigate } from '../../../app/route.ts'
import { showToast } from '../../../ui/toast.tsx'

/** One's own link; `null` puts it away. */
export function openMatter(network: NetworkId, key: number | null, isWalk = false): void {
  navigate(
    { ...invoicesHome, network: key === null ? null : network, view: 'attention', matter: key },
    { replace: isWalk },
  )
}

export async function handleMatters(network: NetworkId, keys: readonly number[]): Promise<void> {
  const done = await attempt('Could not mark it handled', () =>
    request('matter.handle', { network, keys: [...keys] }),
  )
  if (done === undefined) return
  showToast({
    id: 'handled',
    title: `${formatCount(done.handled, 'matter')} handled`,
    action: { label: 'Undo', run: () => void reopenMatters(network, keys) },
  })
}

export async function reopenMatters(network: NetworkId, keys: readonly number[]): Promise<void> {
  await attempt('Could not reopen it', () => request('matter.reopen', { network, keys: [...keys] }))
}

/** Empty takes it away. */
export function saveNote({ network, key }: Matter, note: string): Promise<Matter | undefined> {
  return attempt('Could not keep the note', () =>
    request('matter.setNote', { network, key, note: note.trim() }),
  )
}

/** The person says whose payment it is; that can be taken back. */
export async function linkPayment(
  network: NetworkId,
  key: number,
  invoice: string,
): Promise<boolean> {
  const payment = await attempt('Could not link the payment', () =>
    request('payment.link', { network, key, invoice }),
  )
  if (payment === undefined) return false
  showToast({
    id: 'payment-link',
    title: `The payment is of ${invoice} now`,
    action: {
      label: 'Undo',
      run: () =>
        void attempt('Could not undo it', () => request('payment.unlink', { network, key })),
    },
  })
  return true
}
