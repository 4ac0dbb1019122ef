import { useEffect } from 'react'
import type { NetworkId } from '../../../../src-preload/contract/network.ts'
import { on } from '../../../app/bridge.ts'
import { formatDuration, formatSecond, fromMs } from '../../../ui/format.ts'
import { Moment, useNow } from '../../../ui/moment.tsx'
import { useResource, valueOf } from '../../../app/resource.ts'
import { useAnswer } from '../../../app/use-answer.ts'
import { Button } from '../../../ui/button.tsx'
import { readWebhooks, useReading, webhooksOf } from '../webhooks.ts'
import styles from './list.module.css'

/** When the list was read, when it will be again, and the way to do it now. */
export function ReadState({ network }: { network: NetworkId }) {
  const readAt = valueOf(useResource(webhooksOf(network)))?.readAt ?? null
  const isReading = useReading(({ networks }) => networks.has(network))
  return (
    <>
      <span className={styles['read']}>
        {readAt === null ? (
          'not read yet'
        ) : (
          <>
            read <Moment at={fromMs(readAt)} />
          </>
        )}
        <NextRound network={network} />
      </span>
      <Button icon="refresh" busy={isReading} onClick={() => void readWebhooks(network)}>
        Read now
      </Button>
    </>
  )
}

/** By the sampler, which reads all the webhooks each time. */
function NextRound({ network }: { network: NetworkId }) {
  const { state, resource } = useAnswer('sampler.state', { network })
  const now = useNow()
  useEffect(
    () => on('sampler.changed', (next) => next.network === network && resource.set(next)),
    [network, resource],
  )
  const sampler = valueOf(state)
  if (sampler === null) return null
  const { status, nextAt, problem } = sampler
  if (status === 'off') return <>, not read by itself</>
  if (nextAt === null || fromMs(nextAt) <= now) {
    return status === 'paused' ? <span title={problem ?? undefined}>, paused</span> : null
  }
  return (
    <span
      title={`Next at ${formatSecond(fromMs(nextAt))}${problem === null ? '' : `\n${problem}`}`}
    >
      , again in {formatDuration(Math.ceil((fromMs(nextAt) - now) / 1e6) * 1e6)}
    </span>
  )
}
