import type { Network, NetworksState } from '../../../src-preload/contract/network.ts'
import type { SandboxState } from '../../../src-preload/contract/sandbox.ts'
import { useData } from '../bridge.ts'
import { navigate, sandboxHome } from '../route.ts'
import { Button, type MenuItem, Menu } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icons.tsx'
import { Dot, Text } from '../../ui/layout.tsx'
import surface from '../../ui/surface.module.css'
import { NetworkDot } from '../../components/network-tag.tsx'
import networks from '../../components/network.module.css'
import { selectNetwork, useCurrentNetwork } from '../networks.ts'
import { restartSandbox, startSandbox, stopSandbox } from '../sandbox-state.ts'
import styles from './frame.module.css'

/** The network everything on the screen is about, in its colour, and the way to another. */
export function NetworkChip() {
  const { data: known, error, refetch } = useData('network.list')
  const current = useCurrentNetwork()
  const sandboxState = useData('sandbox.state').data ?? null
  if (known === undefined && error !== null) {
    return (
      <Text size="s" tone="bad" over="cut">
        Could not load the networks <Button onClick={() => void refetch()}>Try again</Button>
      </Text>
    )
  }
  if (known === undefined || current === null) return null
  const problem = current.kind === 'sandbox' ? sandboxState?.problem : current.problem
  const hasFailed = current.kind === 'sandbox' && sandboxState?.status === 'failed'
  const word = stateWord(current, sandboxState)
  return (
    <>
      <Menu
        align="start"
        items={[
          ...choices(known, sandboxState),
          'line',
          {
            label: 'Manage networks and keys…',
            icon: 'key',
            onSelect: () => navigate({ page: 'settings', section: 'networks' }),
          },
          ...(sandboxState === null ? [] : sandboxItems(sandboxState)),
        ]}
        trigger={
          <button
            type="button"
            className={classes(
              networks[current.kind],
              surface['hover'],
              styles['network'],
              current.kind === 'mainnet' && styles['mainnet'],
            )}
            title={problem ?? undefined}
          >
            <Dot tone={hasFailed ? 'bad' : undefined} hollow={current.problem !== null} />
            <Text hidden>Network: </Text>
            <Text over="cut">{current.name}</Text>
            {hasFailed && <Text tone="bad">{word}</Text>}
            {!hasFailed && word !== null && <span className={styles['networkState']}>{word}</span>}
            <Icon name="down" size={12} />
          </button>
        }
      />
      {hasFailed && (
        <>
          <Text size="s" tone="bad" over="cut" title={problem ?? undefined}>
            {problem}
          </Text>
          <Button onClick={() => void restartSandbox()}>Restart</Button>
        </>
      )}
    </>
  )
}

/** Null when there is nothing amiss. */
function stateWord({ kind, problem }: Network, sandboxState: SandboxState | null): string | null {
  if (kind !== 'sandbox') return problem === null ? null : 'not usable'
  if (sandboxState === null || sandboxState.status === 'running') return null
  return sandboxState.status
}

function choices({ networks: all, current }: NetworksState, state: SandboxState | null) {
  return all.map((network): MenuItem => ({
    label: network.name,
    mark: <NetworkDot kind={network.kind} />,
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
