import { useState } from 'react'
import type {
  InvoiceAccess,
  InvoiceAccessStep,
} from '../../../../src-preload/contract/invoice-access.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { request, toAppError } from '../../../app/bridge.ts'
import { Button } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { invoiceAccessOf } from './access.ts'

/** All that is left, for who wants invoices and not to learn the way; and back to its beginning. */
export function SandboxWalk({ network, access }: { network: Network; access: InvoiceAccess }) {
  const [busy, setBusy] = useState(false)
  const left = access.steps.filter(({ state }) => state !== 'done').length
  const run = async (failure: string, said: string, act: () => Promise<void>) => {
    setBusy(true)
    try {
      await act()
      announce(said)
    } catch (error) {
      showToast({ title: failure, detail: toAppError(error).message, tone: 'bad' })
    } finally {
      setBusy(false)
    }
  }
  // The last one has a button of its own.
  if (left > 1) {
    return (
      <Button
        busy={busy}
        onClick={() =>
          void run('Not all of it could be done', 'All steps are done', () => walk(access))
        }
      >
        {busy ? 'Walking…' : 'Do all of it on the sandbox'}
      </Button>
    )
  }
  const back = () =>
    run('Could not go back', 'Back at the first step', async () => {
      const step = 'account'
      const next = await request('invoiceAccess.setStep', {
        network: network.id,
        step,
        done: false,
      })
      invoiceAccessOf(network.id).set(next)
    })
  return (
    <Menu
      trigger={<Button kind="quiet" icon="more" aria-label="More of the access" title="More" />}
      items={[
        { label: 'Walk the steps from the first', icon: 'undo', onSelect: () => void back() },
      ]}
    />
  )
}

type StepId = InvoiceAccessStep['id']

/** One after another: what one does may be what the next waits for. */
async function walk(begun: InvoiceAccess): Promise<void> {
  const { network } = begun
  let now = begun
  const isOpen = (id: StepId) => now.steps.some((step) => step.id === id && step.state !== 'done')
  const take = (next: InvoiceAccess) => {
    now = next
    invoiceAccessOf(network).set(next)
  }
  for (const step of ['account', 'project', 'granted'] as const) {
    if (isOpen(step)) take(await request('invoiceAccess.setStep', { network, step, done: true }))
  }
  if (isOpen('application')) {
    const { wallets } = await request('sandbox.chain', { network: 'mainnet' })
    const recipient = (wallets.find(({ name }) => name === 'merchant') ?? wallets[0])?.address ?? ''
    const form = { name: 'My shop', description: 'On the sandbox', recipient }
    take(await request('invoiceAccess.setApplication', { network, ...form }))
  }
  if (isOpen('webhook')) {
    take(await request('invoiceAccess.addWebhook', { network, url: now.receiverUrl }))
  }
}
