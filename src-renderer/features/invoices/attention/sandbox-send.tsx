import { useState } from 'react'
import type { Network } from '../../../../src-preload/contract/network.ts'
import type { Output } from '../../../../src-preload/contract/routes.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { readNow } from '../list/sync-state.tsx'
import styles from './attention.module.css'

/** On the sandbox one's own wallet is a play wallet: it can send for real there. */
export function SandboxSend({
  network,
  refund,
  canSend,
}: {
  network: Network
  refund: Output<'refund.prepare'>
  canSend: boolean
}) {
  const { state } = useAnswer('sandbox.chain', { network: 'mainnet' })
  const [busy, setBusy] = useState(false)
  const [sent, setSent] = useState(false)
  const wallet =
    state.status === 'ready'
      ? state.value.wallets.find(({ address }) => address === refund.from)
      : undefined
  if (wallet === undefined) return null
  const send = async () => {
    setBusy(true)
    const { to, amount, currency, comment } = refund
    const done = await attempt('Could not send it', () =>
      request('sandbox.send', { from: wallet.name, to, amount, currency, comment }),
    )
    setBusy(false)
    if (done === undefined) return
    setSent(true)
    showToast({ title: 'The refund was sent on the sandbox' })
    // What leaves an address is not delivered: it is looked for.
    void readNow(network)
  }
  return (
    <p className={styles['line']}>
      The sandbox’s {wallet.name} received it.
      <Button busy={busy} disabled={!canSend || sent} onClick={() => void send()}>
        {sent ? 'Sent' : `Send it from ${wallet.name}`}
      </Button>
    </p>
  )
}
