import { formatNumber } from '../../ui/format.ts'
import { useResource, valueOf } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { KeyValues } from '../../ui/kv.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { appSettings } from '../../app/app-settings.ts'
import { publicReceiverUrl } from '../../app/public-receiver-url.ts'
import { receiver, startReceiver, stopReceiver } from '../../app/receiver-state.ts'
import { StatusTag } from '../../components/status-tag.tsx'
import { TunnelLine } from '../../components/delivery/tunnel.tsx'
import { RefusedRequests } from './refused-requests.tsx'
import { TryIt } from './try-it.tsx'
import styles from './overview.module.css'

export function ReceiverPanel() {
  const state = useResource(receiver)
  const publicUrl = valueOf(useResource(appSettings))?.receiver.publicUrl ?? null
  if (state.status === 'idle' || state.status === 'loading') return <Skeleton rows={4} />
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The receiver’s state is not known"
        why={state.error.message}
        onRetry={() => void receiver.reload()}
      />
    )
  }
  const { status, url, port, wantedPort, problem, captured, refused } = state.value
  const outside = publicReceiverUrl(publicUrl, url)
  return (
    <section className={styles['panel']} aria-label="Receiver">
      <div className={styles['head']}>
        <h2>Receiver</h2>
        <StatusTag state={state.value} />
        <span className={styles['end']}>
          {url !== null && <CopyButton text={url} what="Receiver URL" label="Copy URL" />}
          {status === 'listening' ? (
            <Button icon="stop" onClick={() => void stopReceiver()}>
              Stop
            </Button>
          ) : (
            <Button kind="main" icon="play" onClick={() => void startReceiver()}>
              Start
            </Button>
          )}
        </span>
      </div>
      <KeyValues
        pairs={[
          ['URL', url === null ? null : <span className={styles['url']}>{url}</span>],
          [
            'Public URL',
            outside === null ? null : (
              <>
                <span className={styles['url']}>{outside}</span>{' '}
                <CopyButton text={outside} what="Public URL" iconOnly kind="quiet" />
              </>
            ),
          ],
          ['Tunnel', <TunnelLine key="tunnel" />],
          ['Problem', problem],
          [
            'Port',
            wantedPort === null || wantedPort === port
              ? null
              : `${port ?? ''}: the one asked for, ${wantedPort}, is taken`,
          ],
          [
            'Since start',
            `${formatNumber(captured)} captured, ${formatNumber(refused)} turned away`,
          ],
          ['Refused requests', <RefusedRequests key="refused" />],
        ]}
      />
      {url !== null && <TryIt url={url} title="Send one" compact />}
    </section>
  )
}
