import { useEffect } from 'react'
import type { ReceiverRefusals } from '../../../src-preload/contract/receiver.ts'
import { on, request } from '../../app/bridge.ts'
import { formatNumber } from '../../ui/format.ts'
import { createResource, useResource, valueOf } from '../../app/resource.ts'
import { throttle } from '../../ui/throttle.ts'
import { Moment } from '../../ui/moment.tsx'
import styles from './overview.module.css'

const refusals = createResource(() => request('receiver.refusals'))
const reloadMs = 1000

/** Requests of which nothing was captured: how many, and what the latest began with. */
export function RefusedRequests() {
  const value = valueOf(useResource(refusals))
  useEffect(() => {
    const reload = throttle(() => void refusals.reload(), reloadMs)
    reload.call()
    const stop = on('receiver.refused', reload.call)
    return () => {
      stop()
      reload.cancel()
    }
  }, [])
  if (value === null || value.total === 0) return <>None</>
  return (
    <details>
      <summary>{formatNumber(value.total)} since Tondesk started; none was captured</summary>
      <ul className={styles['refusals']}>
        {value.latest.map((refusal, index) => (
          <Refusal key={`${refusal.at}-${index}`} refusal={refusal} />
        ))}
      </ul>
    </details>
  )
}

function Refusal({ refusal }: { refusal: ReceiverRefusals['latest'][number] }) {
  const { at, status, reason, peer, start } = refusal
  return (
    <li>
      <Moment at={at} /> {status === null ? 'Closed' : `Responded ${status}`}. {reason}.
      {peer !== '' && ` From ${peer}.`}
      {start !== '' && <pre className={styles['url']}>{start}</pre>}
    </li>
  )
}
