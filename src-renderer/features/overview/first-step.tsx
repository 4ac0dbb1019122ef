import { useResource } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { receiver, startReceiver } from '../../app/receiver-state.ts'
import { SandboxStart } from './sandbox-steps.tsx'
import { TryIt } from './try-it.tsx'
import styles from './first-step.module.css'

/** The overview before anything has arrived: one thing to do, and what will happen then. */
export function FirstStep() {
  const state = useResource(receiver)
  if (state.status === 'idle' || state.status === 'loading') return <Skeleton rows={5} />
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The receiver’s state is not known"
        why={state.error.message}
        onRetry={() => void receiver.reload()}
      />
    )
  }
  const { status, url, problem } = state.value
  if (status === 'failed') {
    return (
      <FailedState
        what="The receiver is not listening"
        why={problem ?? 'It could not be started.'}
        onRetry={() => void startReceiver()}
      />
    )
  }
  if (status === 'stopped' || url === null) {
    return (
      <EmptyState
        title="The receiver is stopped"
        detail="Start it to have an address that webhooks can be sent to. Nothing has been captured yet."
      >
        <Button kind="main" icon="play" onClick={() => void startReceiver()}>
          Start the receiver
        </Button>
      </EmptyState>
    )
  }
  return (
    <div className={styles['page']}>
      <div className={styles['words']}>
        <h2 className={styles['title']}>Send your first webhook</h2>
        <p>
          Whatever is sent to the address below is kept byte for byte, is on disk before it is
          answered, and is shown here at once.
        </p>
      </div>
      <SandboxStart />
      <div className={styles['part']}>
        <h2>Or from elsewhere, to the receiver’s address</h2>
        <div className={styles['line']}>
          <code className={styles['url']}>{url}</code>
          <CopyButton text={url} what="Receiver URL" kind="main" />
        </div>
      </div>
      <TryIt url={url} title="Or paste this into a terminal" />
      <p className={styles['waiting']}>
        <span className={styles['dot']} />
        Waiting for the first webhook
      </p>
    </div>
  )
}
