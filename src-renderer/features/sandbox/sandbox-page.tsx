import type {
  SandboxChain,
  SandboxNetwork,
  SandboxState,
} from '../../../src-preload/contract/sandbox.ts'
import { useResource, valueOf } from '../../app/resource.ts'
import { type SandboxTab, navigate, useRoute } from '../../app/route.ts'
import { Button } from '../../ui/button.tsx'
import { Choices } from '../../ui/chip.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Page } from '../../ui/page.tsx'
import pane from '../../ui/pane.module.css'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Tag } from '../../ui/tag.tsx'
import warning from '../../ui/warning.module.css'
import { ListSplitter } from '../../components/list-splitter.tsx'
import {
  restartSandbox,
  sandbox,
  startSandbox,
  statusWord,
  stopSandbox,
} from '../../app/sandbox-state.ts'
import { ActTab } from './act-tab.tsx'
import { ChainFigures } from './chain-figures.tsx'
import { ClockTab } from './clock-tab.tsx'
import { ConnectTab } from './connect-tab.tsx'
import { DeliveriesTab } from './deliveries-tab.tsx'
import { FaultsTab } from './faults-tab.tsx'
import { InvoicesTab } from './invoices-tab.tsx'
import { Queue } from './queue.tsx'
import { chain, useChain, useLiveSandbox } from './sandbox-data.ts'
import { SnapshotsTab } from './snapshots-tab.tsx'
import { useSandboxKeys } from './use-sandbox-keys.ts'
import { Wallets } from './wallets.tsx'
import { WordsDialog } from './words-dialog.tsx'
import styles from './sandbox.module.css'

const networks = [
  { value: 'mainnet', label: 'Main network' },
  { value: 'testnet', label: 'Test network' },
] as const

/** The local chain: what it holds, what can be done to it, and how to use it from elsewhere. */
export function SandboxPage() {
  const state = useResource(sandbox)
  const network = useRoute(({ route }) => (route.page === 'sandbox' ? route.network : 'mainnet'))
  const tab = useRoute(({ route }) => (route.page === 'sandbox' ? route.tab : 'act'))
  const process = valueOf(state)
  return (
    <Page
      title="Sandbox"
      scroll={false}
      beside={
        process !== null && (
          <>
            <StatusTag state={process} />
            <Choices
              label="Network"
              value={network}
              onChange={(next) => navigate({ page: 'sandbox', network: next, tab })}
              options={networks}
            />
          </>
        )
      }
      actions={process !== null && <ProcessButtons state={process} />}
    >
      {(state.status === 'idle' || state.status === 'loading') && <Skeleton rows={8} />}
      {state.status === 'failed' && (
        <FailedState
          what="The sandbox’s state is not known"
          why={state.error.message}
          onRetry={() => void sandbox.reload()}
        />
      )}
      {state.status === 'ready' && <Content state={state.value} network={network} tab={tab} />}
      <WordsDialog />
    </Page>
  )
}

function StatusTag({ state }: { state: SandboxState }) {
  const tones = { running: 'ok', starting: 'warn', stopped: 'plain', failed: 'bad' } as const
  return <Tag tone={tones[state.status]}>{statusWord(state)}</Tag>
}

function ProcessButtons({ state: { status } }: { state: SandboxState }) {
  if (status === 'stopped' || status === 'failed') return null
  return (
    <>
      <Button icon="refresh" onClick={() => void restartSandbox()}>
        Restart
      </Button>
      <Button icon="stop" onClick={() => void stopSandbox()}>
        Stop
      </Button>
    </>
  )
}

function Content(props: { state: SandboxState; network: SandboxNetwork; tab: SandboxTab }) {
  const { status, problem } = props.state
  switch (status) {
    case 'stopped':
      return (
        <EmptyState
          title="The sandbox is stopped"
          detail="A whole gateway on this computer: two networks over a real TVM, webhooks and invoices, without network, keys or money. Its chains and what waits for delivery are kept as they are."
        >
          <Button kind="main" icon="play" onClick={() => void startSandbox()}>
            Start the sandbox
          </Button>
        </EmptyState>
      )
    case 'failed':
      return (
        <FailedState
          what="The sandbox does not start"
          why={`${problem ?? 'It ended.'} It was tried several times.`}
          onRetry={() => void restartSandbox()}
        />
      )
    case 'starting':
      return (
        <div className={styles['starting']} role="status">
          <p>The sandbox is starting.</p>
          {problem !== null && <p>The start before this one failed: {problem}</p>}
          <Skeleton rows={8} label="Starting" />
        </div>
      )
    case 'running':
      return <Running {...props} />
  }
}

function Running({
  state,
  network,
  tab,
}: {
  state: SandboxState
  network: SandboxNetwork
  tab: SandboxTab
}) {
  const view = useChain(network)
  useLiveSandbox(network, true)
  useSandboxKeys()
  if (view.status === 'idle' || view.status === 'loading') return <Skeleton rows={8} />
  if (view.status === 'failed') {
    return (
      <FailedState
        what="The chain could not be read"
        why={view.error.message}
        onRetry={() => void chain.reload()}
      />
    )
  }
  return (
    <div className={pane['pane']}>
      <div>
        <ChainFigures chain={view.value} />
        {view.problem !== null && (
          <p className={warning['bar']} role="alert">
            What you see may be old: {view.problem.message}
          </p>
        )}
      </div>
      <ListSplitter
        left={
          <div
            className={styles['lists']}
            tabIndex={0}
            role="region"
            aria-label="Wallets and queue"
          >
            <Wallets chain={view.value} />
            <Queue chain={view.value} />
          </div>
        }
        right={<Panel state={state} chain={view.value} tab={tab} />}
      />
    </div>
  )
}

function Panel({
  state,
  chain: view,
  tab,
}: {
  state: SandboxState
  chain: SandboxChain
  tab: SandboxTab
}) {
  return (
    <Tabs<SandboxTab>
      label="Sandbox"
      className={styles['tabs']}
      value={tab}
      onChange={(next) =>
        navigate({ page: 'sandbox', network: view.network, tab: next }, { replace: true })
      }
      tabs={[
        { value: 'act', label: 'Act', panel: <ActTab chain={view} /> },
        { value: 'clock', label: 'Clock', panel: <ClockTab chain={view} /> },
        { value: 'deliveries', label: 'Deliveries', panel: <DeliveriesTab chain={view} /> },
        {
          value: 'faults',
          label: 'Faults',
          count: view.faults.length === 0 ? undefined : view.faults.length,
          panel: <FaultsTab chain={view} />,
        },
        { value: 'invoices', label: 'Invoices', panel: <InvoicesTab chain={view} /> },
        {
          value: 'snapshots',
          label: 'Snapshots',
          count: view.snapshots.length === 0 ? undefined : view.snapshots.length,
          panel: <SnapshotsTab chain={view} />,
        },
        {
          value: 'connect',
          label: 'Connect',
          panel: <ConnectTab state={state} network={view.network} />,
        },
      ]}
    />
  )
}
