import type { ReactNode } from 'react'
import type { ReceiverState } from '../../../src-preload/contract/receiver.ts'
import { shortenReceiverUrl } from '../../ui/format.ts'
import { formatKeys } from '../../ui/keyboard.ts'
import { useData } from '../bridge.ts'
import { type MenuItem, Button, Menu, menuItem } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { Dot, Kbd, Row, Text, Small } from '../../ui/layout.tsx'
import { startReceiver } from '../receiver-state.ts'
import { NoticeTray } from './notice-tray.tsx'
import { openPalette } from './overlays.ts'
import styles from './frame.module.css'
import { useCurrentNetwork, selectNetwork } from '../networks.ts'
import { useRoute, navigate, sandboxHome } from '../route.ts'
import { linkToRoute } from './page-link.ts'
import type { Network, NetworksState } from '../../../src-preload/contract/network.ts'
import type { SandboxState } from '../../../src-preload/contract/sandbox.ts'
import { classes } from '../../ui/classes.ts'
import { Icon } from '../../ui/icons.tsx'
import surface from '../../ui/surface.module.css'
import { NetworkDot } from '../../components/network-tag.tsx'
import networks from '../../components/network.module.css'
import { restartSandbox, startSandbox, stopSandbox } from '../sandbox-state.ts'

export function TopBar() {
  const { data: state, error, refetch } = useData('receiver.state')
  return (
    <header className={styles['topBar']}>
      <Row gap="l">
        <NetworkChip />
        {state !== undefined && <Receiver state={state} />}
        {state === undefined && error !== null && (
          <ReceiverStatus tone="bad" text="Could not load the receiver’s state">
            <Button onClick={() => void refetch()}>Try again</Button>
          </ReceiverStatus>
        )}
        <Row last>
          <CopyLink />
          <NoticeTray />
          <button
            type="button"
            className={styles['find']}
            title="Search or run a command"
            onClick={openPalette}
          >
            <Text over="cut">Search or run a command</Text> <Kbd>{formatKeys('mod+k')}</Kbd>
          </button>
        </Row>
      </Row>
    </header>
  )
}

function Receiver({ state: { status, url, problem, writable } }: { state: ReceiverState }) {
  if (status === 'listening' && url !== null && writable) {
    return (
      <ReceiverStatus tone="ok" text="Receiving requests at">
        <Text mono tone="dim" over="cut" title={url}>
          {shortenReceiverUrl(url)}
        </Text>
        <CopyButton text={url} what="Receiver URL" />
      </ReceiverStatus>
    )
  }
  if (status === 'listening') {
    return (
      <ReceiverStatus
        tone="bad"
        text="Receiving is paused: captures cannot be written, so senders receive 503"
        title={problem}
      />
    )
  }
  const start = () => void startReceiver()
  if (status === 'failed') {
    return (
      <ReceiverStatus
        tone="bad"
        text={`Not receiving: ${problem ?? 'the receiver has failed'}`}
        title={problem}
      >
        <Button onClick={start}>Try again</Button>
      </ReceiverStatus>
    )
  }
  return (
    <ReceiverStatus tone="bad" text="Not receiving: the receiver is stopped">
      <Button onClick={start}>Start</Button>
    </ReceiverStatus>
  )
}

function ReceiverStatus({
  tone,
  text,
  title = null,
  children,
}: {
  tone: 'ok' | 'bad'
  text: string
  title?: string | null
  children?: ReactNode
}) {
  return (
    <Row>
      <Dot tone={tone} />
      <Text
        size="s"
        tone={tone === 'bad' ? 'bad' : 'dim'}
        strong={tone === 'bad'}
        over="cut"
        title={title ?? text}
      >
        {text}
      </Text>
      {children}
    </Row>
  )
}

/** Copies the link to the displayed page, with its network. */
function CopyLink() {
  const route = useRoute((state) => state.route)
  const network = useCurrentNetwork()?.id ?? null
  const link = linkToRoute(route, network)
  return link !== null && <CopyButton text={link} what="Link" iconOnly icon="link" kind="quiet" />
}

/** Shows the selected network in its color, and opens the menu of networks. */
function NetworkChip() {
  const { data: known, error, refetch } = useData('network.list')
  const current = useCurrentNetwork()
  const sandboxState = useData('sandbox.state').data ?? null
  if (known === undefined && error !== null) {
    return (
      <Small tone="bad" over="cut">
        Could not load the networks <Button onClick={() => void refetch()}>Try again</Button>
      </Small>
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
          menuItem('Manage networks and keys…', { icon: 'key' }, () =>
            navigate({ page: 'settings', section: 'networks' }),
          ),
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

/** Null if the network works normally. */
function stateWord({ kind, problem }: Network, sandboxState: SandboxState | null): string | null {
  if (kind !== 'sandbox') return problem === null ? null : 'not usable'
  if (sandboxState === null || sandboxState.status === 'running') return null
  return sandboxState.status
}

function choices({ networks: all, current }: NetworksState, state: SandboxState | null) {
  return all.map((network) =>
    menuItem(
      network.name,
      {
        mark: <NetworkDot kind={network.kind} />,
        checked: network.id === current,
        hint: stateWord(network, state) ?? undefined,
      },
      () => selectNetwork(network.id),
    ),
  )
}

function sandboxItems({ status }: SandboxState): MenuItem[] {
  const page = menuItem('Open the Sandbox page', { icon: 'sandbox', hint: 'g b' }, () =>
    navigate(sandboxHome),
  )
  const start = menuItem('Start the sandbox', { icon: 'play' }, startSandbox)
  if (status === 'stopped') return [page, start]
  return [
    page,
    menuItem('Restart the sandbox', { icon: 'refresh' }, restartSandbox),
    menuItem('Stop the sandbox', { icon: 'stop' }, stopSandbox),
  ]
}
