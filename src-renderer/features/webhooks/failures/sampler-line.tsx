import { useState } from 'react'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { SamplerState } from '../../../../src-preload/contract/failure.ts'
import { attempt } from '../../../app/attempt.ts'
import { request } from '../../../app/bridge.ts'
import { formatSecond, fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import type { Answer } from '../../../app/use-answer.ts'
import { saySampler } from './words.ts'
import styles from './failures.module.css'

/** When the gateway's counters were last read, and the way to read them now. */
export function SamplerLine({
  network,
  sampler: { state, resource },
}: {
  network: NetworkId
  sampler: Answer<SamplerState>
}) {
  const [busy, setBusy] = useState(false)
  const read = async () => {
    setBusy(true)
    const next = await attempt('Could not read the counters', () =>
      request('sampler.run', { network }),
    )
    if (next !== undefined) resource.set(next)
    setBusy(false)
  }
  const isReading = busy || (state.status === 'ready' && state.value.status === 'reading')
  return (
    <span className={styles['sampler']}>
      {state.status === 'failed' && <span className={styles['bad']}>{state.error.message}</span>}
      {state.status === 'ready' && <Rounds state={state.value} />}
      <Button icon="refresh" busy={isReading} onClick={() => void read()}>
        {isReading ? 'Reading…' : 'Read now'}
      </Button>
    </span>
  )
}

function Rounds({ state }: { state: SamplerState }) {
  const { status, lastAt, nextAt } = state
  return (
    <span title={saySampler(state)}>
      {lastAt === null ? (
        'Not read yet'
      ) : (
        <>
          Read <Moment at={fromMs(lastAt)} />
        </>
      )}
      {status === 'paused' && ', paused'}
      {status === 'waiting' && nextAt !== null && `, again at ${formatSecond(fromMs(nextAt))}`}
      {status === 'off' && (
        <>
          , switched off in{' '}
          <a href={printRoute({ page: 'settings', section: 'monitoring' })}>Settings</a>
        </>
      )}
    </span>
  )
}
