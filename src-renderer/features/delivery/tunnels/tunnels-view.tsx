import { useEffect } from 'react'
import { useShortcuts } from '../../../ui/keyboard.ts'
import { useResource } from '../../../app/resource.ts'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { CheckPanel } from './check-panel.tsx'
import { FormerBar } from './former-bar.tsx'
import { FoundPanel } from './found-panel.tsx'
import { HowTo } from './how-to.tsx'
import { PublicUrlPanel } from './public-url-panel.tsx'
import { TestPanel } from './test-panel.tsx'
import { checkTunnel, look, tunnel } from './tunnel.ts'
import styles from './tunnels.module.css'

/** While the page is open, a tunnel that is started shows by itself. */
const lookEveryMs = 10_000

/** Where the receiver is reached from outside: by which URL, whether it works, and how to get one. */
export function TunnelsView() {
  const state = useResource(tunnel)
  useEffect(() => {
    void look(true)
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void look(true)
    }, lookEveryMs)
    return () => clearInterval(timer)
  }, [])
  useShortcuts([
    { keys: ['c'], label: 'Check the tunnel', group: 'Tunnels', run: () => void checkTunnel() },
  ])
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The tunnel’s state is not known"
        why={state.error.message}
        onRetry={() => void tunnel.reload()}
      />
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={8} label="Looking for tunnels" />
  const { value } = state
  return (
    <div className={styles['page']}>
      {value.former !== null && <FormerBar former={value.former} />}
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <PublicUrlPanel key={value.publicUrl ?? ''} state={value} />
          <CheckPanel state={value} />
          <TestPanel hasPublicUrl={value.publicUrl !== null} />
        </div>
        <div className={styles['column']}>
          <FoundPanel state={value} />
          <HowTo />
        </div>
      </div>
    </div>
  )
}
