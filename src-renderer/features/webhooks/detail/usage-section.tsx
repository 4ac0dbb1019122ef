import { useEffect, useRef } from 'react'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import type { WebhookUsage } from '../../../../src-preload/contract/webhook.ts'
import { formatNumber, fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { valueOf } from '../../../app/resource.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { Button } from '../../../ui/button.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { useSampler } from '../failures/sampler.ts'
import styles from './detail.module.css'

/** The gateway's counters of its present period: of the key, not of one webhook. */
export function UsageSection({ network }: { network: NetworkId }) {
  const { state, resource } = useAnswer('webhook.usage', { network })
  const readAt = valueOf(useSampler(network).state)?.lastAt ?? null
  const seen = useRef(readAt)
  useEffect(() => {
    // With the other counters, which would grow past it.
    if (seen.current !== null && seen.current !== readAt) void resource.reload()
    seen.current = readAt
  }, [readAt, resource])
  return (
    <section className={pane['section']} aria-label="All webhooks of this key">
      <h3>All webhooks of this key</h3>
      {(state.status === 'idle' || state.status === 'loading') && <Skeleton rows={3} />}
      {state.status === 'failed' && (
        <p className={styles['problem']} role="alert">
          The usage could not be read: {state.error.message}{' '}
          <Button onClick={() => void resource.reload()}>Try again</Button>
        </p>
      )}
      {state.status === 'ready' && <Usage usage={state.value} />}
    </section>
  )
}

function Usage({
  usage: { startedAt, endedAt, accounts, delivered, failed },
}: {
  usage: WebhookUsage
}) {
  return (
    <KeyValues
      pairs={[
        ['Period', period(startedAt, endedAt)],
        ['Accounts', formatNumber(accounts)],
        ['Delivered', formatNumber(delivered)],
        ['Failed', formatNumber(failed)],
      ]}
    />
  )
}

function period(startedAt: number | null, endedAt: number | null) {
  if (startedAt === null) return 'the gateway does not tell when it began'
  return (
    <>
      since <Moment at={fromMs(startedAt)} />
      {endedAt !== null && (
        <>
          , until <Moment at={fromMs(endedAt)} />
        </>
      )}
    </>
  )
}
