import { useState } from 'react'
import type { Closing } from '../../../../src-preload/contract/matter.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icons.tsx'
import { invoiceSyncOf } from '../invoices.ts'
import styles from './closing.module.css'

/** Whether the chain was read to the end of it; if not, the button that reads on. */
export function ChainState({
  network,
  closing: { isComplete, problems },
  isOver,
}: {
  network: Network
  closing: Closing
  /** The period's end lies behind us. */
  isOver: boolean
}) {
  const sync = valueOf(useResource(invoiceSyncOf(network.id)))
  const [busy, setBusy] = useState(false)
  const isReading = busy || sync?.status === 'reading' || sync?.chain.isReading === true
  const read = async () => {
    setBusy(true)
    await attempt('Could not read on', () => request('invoiceSync.run', { network: network.id }))
    setBusy(false)
  }
  if (isComplete && problems.length === 0) {
    return (
      <p className={styles['complete']}>
        <Icon name="check" size={14} /> Gateway and chain were read beyond the end of it.
      </p>
    )
  }
  return (
    <div className={styles['incomplete']} role="status">
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
        {problems.length === 0 && (
          <li>
            {isOver
              ? 'Gateway and chain were not read to the end of it yet: figures may still change.'
              : 'It is not over yet: figures are of what was read so far.'}
          </li>
        )}
      </ul>
      {!isComplete && (
        <Button icon="refresh" busy={isReading} onClick={() => void read()}>
          {isReading ? 'Reading…' : 'Read on'}
        </Button>
      )}
    </div>
  )
}
