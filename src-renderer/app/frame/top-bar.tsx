import type { ReceiverState } from '../../../src-preload/contract/receiver.ts'
import { shortenReceiverUrl } from '../../ui/format.ts'
import { printKeys } from '../../ui/keyboard.ts'
import { useData } from '../bridge.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { classes } from '../../ui/classes.ts'
import { Kbd } from '../../ui/layout.tsx'
import { startReceiver } from '../receiver-state.ts'
import { NetworkChip } from './network-chip.tsx'
import { NoticeTray } from './notice-tray.tsx'
import { openPalette } from './overlays.ts'
import styles from './top-bar.module.css'

export function TopBar() {
  const { data: state, error, refetch } = useData('receiver.state')
  return (
    <header className={styles['bar']}>
      <NetworkChip />
      {state !== undefined && <Receiver state={state} />}
      {state === undefined && error !== null && (
        <div className={classes(styles['receiver'], styles['bad'])}>
          <span className={styles['dot']} />
          Could not load the state of the receiver
          <Button onClick={() => void refetch()}>Try again</Button>
        </div>
      )}
      <div className={styles['end']}>
        <NoticeTray />
        <button type="button" className={styles['find']} onClick={openPalette}>
          Search or run a command <Kbd>{printKeys('mod+k')}</Kbd>
        </button>
      </div>
    </header>
  )
}

function Receiver({ state }: { state: ReceiverState }) {
  const { status, url, problem, writable } = state
  if (status === 'listening' && url !== null && writable) {
    return (
      <div className={classes(styles['receiver'], styles['ok'])}>
        <span className={styles['dot']} />
        Receiving on
        <span className={styles['url']} title={url}>
          {shortenReceiverUrl(url)}
        </span>
        <CopyButton text={url} what="Receiver URL" />
      </div>
    )
  }
  if (status === 'listening') {
    return (
      <div className={classes(styles['receiver'], styles['bad'])} title={problem ?? undefined}>
        <span className={styles['dot']} />
        Receiving is paused: captures cannot be written, senders get 503
      </div>
    )
  }
  if (status === 'failed') {
    return (
      <div className={classes(styles['receiver'], styles['bad'])}>
        <span className={styles['dot']} />
        <span className={styles['words']} title={problem ?? undefined}>
          Not receiving: {problem ?? 'the receiver has failed'}
        </span>
        <Button onClick={() => void startReceiver()}>Try again</Button>
      </div>
    )
  }
  return (
    <div className={styles['receiver']}>
      <span className={styles['dot']} />
      Not receiving: the receiver is stopped
      <Button onClick={() => void startReceiver()}>Start</Button>
    </div>
  )
}
