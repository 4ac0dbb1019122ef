import type { SandboxState } from '../../../src-preload/contract/index.ts'
import { useResource } from '../../resource.ts'
import { navigate, sandboxHome } from '../../route.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icons.tsx'
import type { MenuItem } from '../../ui/menu.tsx'
import { Menu } from '../../ui/menu.tsx'
import text from '../../ui/text.module.css'
import { restartSandbox, sandbox, startSandbox, statusWord, stopSandbox } from '../sandbox-state.ts'
import styles from './network-chip.module.css'

/** The network the app works against, in its colour, and whether it is there. */
export function NetworkChip() {
  const state = useResource(sandbox)
  if (state.status !== 'ready') return null
  const { status, problem } = state.value
  return (
    <>
      <Menu
        align="start"
        items={itemsFor(state.value)}
        trigger={
          <button
            type="button"
            className={classes(styles['chip'], styles[status])}
            title={problem ?? undefined}
          >
            <span className={styles['dot']} />
            <span className={text['hidden']}>Network: </span>
            Sandbox
            {status !== 'running' && (
              <span className={styles['state']}>{statusWord(state.value)}</span>
            )}
            <Icon name="down" size={12} />
          </button>
        }
      />
      {status === 'failed' && (
        <>
          <span className={styles['problem']} title={problem ?? undefined}>
            {problem}
          </span>
          <Button onClick={() => void restartSandbox()}>Restart</Button>
        </>
      )}
    </>
  )
}

function itemsFor({ status }: SandboxState): MenuItem[] {
  const open: MenuItem = {
    label: 'Open the Sandbox page',
    icon: 'sandbox',
    hint: 'g b',
    onSelect: () => navigate(sandboxHome),
  }
  const start: MenuItem = { label: 'Start', icon: 'play', onSelect: () => void startSandbox() }
  if (status === 'stopped') return [open, start]
  return [
    open,
    'line',
    { label: 'Restart', icon: 'refresh', onSelect: () => void restartSandbox() },
    { label: 'Stop', icon: 'stop', onSelect: () => void stopSandbox() },
  ]
}
