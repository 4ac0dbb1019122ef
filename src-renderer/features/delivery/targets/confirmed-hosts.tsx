import { request } from '../../../app/bridge.ts'
import { attempt } from '../../../app/attempt.ts'
import { useResource } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { announce } from '../../../ui/live-region.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import text from '../../../ui/text.module.css'
import { confirmedHosts } from './confirmed.ts'
import styles from './targets.module.css'

export function ConfirmedHostsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Hosts you have confirmed"
      detail="Deliveries go to this computer freely, and to other hosts once you have said yes. Taken back, what is to go there waits or fails until you say it again."
      buttons={<Button onClick={onClose}>Close</Button>}
    >
      <Hosts />
    </Dialog>
  )
}

function Hosts() {
  const state = useResource(confirmedHosts)
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The hosts could not be listed"
        why={state.error.message}
        onRetry={() => void confirmedHosts.reload()}
      />
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={2} label="Loading the hosts" />
  if (state.value.length === 0) {
    return <p className={styles['note']}>None: nothing leaves this computer.</p>
  }
  return (
    <ul className={styles['hosts']} aria-label="Confirmed hosts">
      {state.value.map((host) => (
        <li key={host} className={styles['host']}>
          <span className={text['mono']}>{host}</span>
          <Button kind="danger" onClick={() => void takeBack(host)}>
            Take back<span className={text['hidden']}> {host}</span>
          </Button>
        </li>
      ))}
    </ul>
  )
}

async function takeBack(host: string): Promise<void> {
  const done = await attempt('Could not take it back', () => request('target.forget', { host }))
  if (done === undefined) return
  await confirmedHosts.reload()
  announce(`${host} is asked for again`)
}
