import type { Network, NetworksState } from '../../../src-preload/contract/network.ts'
import type { SandboxState } from '../../../src-preload/contract/sandbox.ts'
import { useData } from '../bridge.ts'
import { navigate, sandboxHome } from '../route.ts'
import { Button, type MenuItem, Menu } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icons.tsx'
import text from '../../ui/text.module.css'
import colour from '../../components/network-colour.module.css'
import { selectNetwork, useCurrentNetwork } from '../networks.ts'
import { restartSandbox, startSandbox, statusWord, stopSandbox } from '../sandbox-state.ts'
import styles from './network-chip.module.css'

/** The network everything on the screen is about, in its colour, and the way to another. */
export function NetworkChip() {
  const { data: known, error, refetch } = useData('network.list')
  const current = useCurrentNetwork()
  const sandboxState = useData('sandbox.state').data ?? null
  if (known === undefined && error !== null) {
    return (
      <span className={styles['problem']}>
        Could not load the networks <Button onClick={() => void refetch()}>Try again</Button>
      </span>
    )
  }
  if (known === undefined || current === null) return null
  const problem = current.kind === 'sandbox' ? sandboxState?.problem : current.problem
  const hasFailed = current.kind === 'sandbox' && sandboxState?.status === 'failed'
  return (
    <>
      <Menu
        align="start"
        items={[
          ...choices(known, sandboxState),
          'line',
          {
            label: 'Networks and keys…',
            icon: 'key',
            onSelect: () => navigate({ page: 'settings', section: 'networks' }),
          },
          ...(sandboxState === null ? [] : sandboxItems(sandboxState)),
        ]}
        trigger={
          <button
            type="button"
            className={classes(
              colour[current.kind],
              styles['chip'],
              current.kind === 'mainnet' && styles['mainnet'],
              current.problem !== null && styles['away'],
              hasFailed && styles['failed'],
            )}
            title={problem ?? undefined}
          >
            <span className={styles['dot']} />
            <span className={text['hidden']}>Network: </span>
            <span className={styles['name']}>{current.name}</span>
            <StateWord network={current} sandboxState={sandboxState} />
            <Icon name="down" size={12} />
          </button>
        }
      />
      {hasFailed && (
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

function StateWord({
  network,
  sandboxState,
}: {
  network: Network
  sandboxState: SandboxState | null
}) {
  const word = stateWord(network, sandboxState)
  return word === null ? null : <span className={styles['state']}>{word}</span>
}

/** Null when there is nothing amiss. */
function stateWord({ kind, problem }: Network, sandboxState: SandboxState | null): string | null {
  if (kind !== 'sandbox') return problem === null ? null : 'not usable'
  if (sandboxState === null || sandboxState.status === 'running') return null
  return statusWord(sandboxState)
}

function choices({ networks: all, current }: NetworksState, state: SandboxState | null) {
  return all.map((network): MenuItem => ({
    label: network.name,
    mark: <span className={classes(colour[network.kind], colour['dot'])} />,
    checked: network.id === current,
    hint: stateWord(network, state) ?? undefined,
    onSelect: () => void selectNetwork(network.id),
  }))
}

function sandboxItems({ status }: SandboxState): MenuItem[] {
  const page: MenuItem = {
    label: 'Open the Sandbox page',
    icon: 'sandbox',
    hint: 'g b',
    onSelect: () => navigate(sandboxHome),
  }
  const start: MenuItem = {
    label: 'Start the sandbox',
    icon: 'play',
    onSelect: () => void startSandbox(),
  }
  if (status === 'stopped') return [page, start]
  return [
    page,
    {
      label: 'Restart the sandbox',
      icon: 'refresh',
      onSelect: () => void restartSandbox(),
    },
    { label: 'Stop the sandbox', icon: 'stop', onSelect: () => void stopSandbox() },
  ]
}
