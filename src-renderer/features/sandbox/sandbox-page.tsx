import { useEffect } from 'react'
import type {
  SandboxChain,
  SandboxNetwork,
  SandboxState,
  SandboxClock,
} from '../../../src-preload/contract/sandbox.ts'
import { useData, request } from '../../app/bridge.ts'
import { type SandboxTab, navigate, routeHref, useRoute } from '../../app/route.ts'
import { reloadChains, restartSandbox, startSandbox, stopSandbox } from '../../app/sandbox-state.ts'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { Button, Choices } from '../../ui/button.tsx'
import { EmptyState, FailedState, Loaded, Skeleton } from '../../ui/loaded.tsx'
import { Hint, Tag, Note, Pane, Stack, Row, Section, Text } from '../../ui/layout.tsx'
import { Moment, useNow } from '../../ui/time.tsx'
import { Figure, Stats } from '../../ui/values.tsx'
import {
  formatCount,
  formatDay,
  formatExact,
  formatMinute,
  formatNumber,
  fromMs,
} from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ActionsTab, useSandboxKeys } from './actions-tab.tsx'
import { Queue, Wallets } from './chain-lists.tsx'
import { CallsTab } from './calls-tab.tsx'
import { ConnectTab } from './connect-tab.tsx'
import { DeliveriesTab } from './deliveries-tab.tsx'
import { FaultsTab } from './faults-tab.tsx'
import { InvoicesTab } from './invoices-tab.tsx'
import { RecoveryWordsDialog } from './recovery-words.tsx'
import { SnapshotsTab } from './snapshots-tab.tsx'
import { parseSpan } from '../../../src-preload/domain/time-span.ts'
import { Select, TextField } from '../../ui/form.tsx'
import { ActionForm, RunResult, useActionForm, useButtonAction } from './action-form.tsx'

const modes = [
  { value: 'real', label: 'Real clock' },
  { value: 'virtual', label: 'Virtual clock' },
] as const

function ClockTab({ clock }: { clock: SandboxClock }) {
  const action = useButtonAction()
  const setMode = (mode: SandboxClock['mode']) =>
    action.start(async () => {
      const set = await request('sandbox.setClock', { mode })
      return set.mode === 'real'
        ? 'The clock follows real time'
        : 'The clock stands still until you advance it'
    })
  return (
    <>
      <Section
        title="Clock"
        detail="A virtual clock stands still until you advance it. Blocks, delivery retries and the expiry of invoices follow the clock, so you can test a day of retries in seconds."
      >
        <Stack>
          <Row wrap gap="l">
            <Choices label="Clock" value={clock.mode} onChange={setMode} options={modes} />
            {clock.mode === 'virtual' && (
              <Text mono title={formatExact(fromMs(clock.now))}>
                {formatWhole(clock.now)}
              </Text>
            )}
          </Row>
          <RunResult {...action} />
        </Stack>
      </Section>
      {clock.mode === 'virtual' && <Advance />}
    </>
  )
}

type Target = { byMs: number } | { toNext: true }

const strides: readonly { label: string; target: Target }[] = [
  { label: 'Advance 1 min', target: { byMs: 60_000 } },
  { label: 'Advance 1 h', target: { byMs: 3_600_000 } },
  { label: 'Advance 1 day', target: { byMs: 86_400_000 } },
  { label: 'Advance to the next event', target: { toNext: true } },
]

function Advance() {
  const action = useButtonAction()
  const cancel = useButtonAction()
  const advance = (target: Target) =>
    action.start(async () => {
      const { now, stops } = await request('sandbox.advance', target)
      const events = formatCount(stops, 'scheduled event')
      return `The clock now shows ${formatWhole(now)}; ${events} processed`
    })
  const form = useActionForm({ byMs: '15 min' }, (values) => {
    const byMs = parseSpan(values.byMs)
    const isTime = byMs !== null && byMs > 0
    if (isTime) advance({ byMs })
    return Promise.resolve(isTime ? undefined : { byMs: 'Enter a time, such as 90 s or 2 h.' })
  })
  return (
    <ActionForm
      title="Advance the clock"
      detail="The clock pauses at each scheduled event, such as a retry or an expiry, and continues after the deliveries of that event."
      form={{ ...form, busy: action.busy, problem: action.problem, result: action.result }}
      action={action.busy ? 'Advancing…' : 'Advance'}
      beside={
        action.busy && (
          <Button
            onClick={() =>
              cancel.start(async () => {
                await request('sandbox.cancelAdvance')
                return 'The clock no longer advances'
              })
            }
          >
            Stop advancing
          </Button>
        )
      }
    >
      <Row wrap>
        {strides.map(({ label, target }) => (
          <Button key={label} busy={action.busy} onClick={() => advance(target)}>
            {label}
          </Button>
        ))}
      </Row>
      <TextField label="Time span" short {...form.field('byMs')} />
    </ActionForm>
  )
}

/** Formats a time with its day, milliseconds and offset. */
function formatWhole(ms: number): string {
  const [local = ''] = formatExact(fromMs(ms)).split('\n')
  return local.replace(/(\.\d{3})\d{3}/, '$1')
}

const networks = [
  { value: 'mainnet', label: 'Mainnet' },
  { value: 'testnet', label: 'Testnet' },
] as const

const tones = { running: 'ok', starting: 'warn', stopped: 'plain', failed: 'bad' } as const

type View = { readonly network: SandboxNetwork; readonly tab: SandboxTab }

/** The page of the local chain: its content, the actions of the user, and the values for a backend. */
export function SandboxPage() {
  const query = useData('sandbox.state')
  const network = useRoute(({ route }) => (route.page === 'sandbox' ? route.network : 'mainnet'))
  const tab = useRoute(({ route }) => (route.page === 'sandbox' ? route.tab : 'actions'))
  const state = query.data
  return (
    <Page
      title="Sandbox"
      scroll={false}
      beside={
        state !== undefined && (
          <>
            <Tag tone={tones[state.status]}>{state.status}</Tag>
            <Select
              label="Chain of the sandbox"
              value={network}
              onChange={(next) => navigate({ page: 'sandbox', network: next, tab })}
              options={networks}
            />
          </>
        )
      }
      actions={
        (state?.status === 'running' || state?.status === 'starting') && (
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
    >
      <Loaded query={query} of="the state of the sandbox" rows={8}>
        {(known) => <Content state={known} network={network} tab={tab} />}
      </Loaded>
      <RecoveryWordsDialog />
    </Page>
  )
}

function Content({ state, ...view }: { state: SandboxState } & View) {
  const { status, problem } = state
  switch (status) {
    case 'stopped':
      return (
        <EmptyState
          title="The sandbox is stopped"
          detail="The sandbox is a complete gateway on this computer: two networks with a real TVM, webhooks and invoices. It needs no internet connection, no keys and no money. While stopped, the sandbox keeps its chains and its delivery queue."
        >
          <Button kind="main" icon="play" onClick={() => void startSandbox()}>
            Start the sandbox
          </Button>
        </EmptyState>
      )
    case 'failed':
      return (
        <FailedState
          what="The sandbox could not start"
          why={`${problem ?? 'The process ended.'} Tondesk tried to start the sandbox several times.`}
          onRetry={() => void restartSandbox()}
        />
      )
    case 'starting':
      return (
        <Stack pad="l" role="status">
          <Hint>
            The sandbox is starting. {problem !== null && `The previous start failed: ${problem}`}
          </Hint>
          <Skeleton rows={8} label="Starting the sandbox" />
        </Stack>
      )
    case 'running':
      return <Running state={state} {...view} />
  }
}

function Running({ state, network, tab }: { state: SandboxState } & View) {
  const query = useData('sandbox.chain', { network })
  useEffect(() => void reloadChains(), [network])
  useSandboxKeys()
  return (
    <Loaded query={query} of="the chain" rows={8}>
      {(chain) => (
        <Pane>
          <ChainStats chain={chain} />
          {query.error !== null && (
            <Note tone="bad">The data shown may be outdated: {query.error.message}</Note>
          )}
          <ListSplitter
            left={
              <Stack
                gap="none"
                fill
                scroll
                tabIndex={0}
                role="region"
                aria-label="Wallets and delivery queue"
              >
                <Wallets chain={chain} />
                <Queue chain={chain} />
              </Stack>
            }
            right={
              <Tabs<SandboxTab>
                label="Sandbox"
                value={tab}
                onChange={(next) =>
                  navigate({ page: 'sandbox', network, tab: next }, { replace: true })
                }
                tabs={[
                  { value: 'actions', label: 'Actions', panel: <ActionsTab chain={chain} /> },
                  {
                    value: 'control',
                    label: 'Control',
                    panel: (
                      <>
                        <ClockTab clock={chain.clock} />
                        <DeliveriesTab chain={chain} />
                        <FaultsTab faults={chain.faults} />
                        <SnapshotsTab snapshots={chain.snapshots} />
                      </>
                    ),
                  },
                  { value: 'calls', label: 'Calls', panel: <CallsTab chain={chain} /> },
                  { value: 'invoices', label: 'Invoices', panel: <InvoicesTab chain={chain} /> },
                  {
                    value: 'connect',
                    label: 'Connect',
                    panel: <ConnectTab state={state} network={network} />,
                  },
                ]}
              />
            }
          />
        </Pane>
      )}
    </Loaded>
  )
}

/** Shows the state of the chain in a few figures. */
function ChainStats({ chain }: { chain: SandboxChain }) {
  const { network, head, clock, queue, activity } = chain
  const now = useNow()
  const isReal = clock.mode === 'real'
  const time = isReal ? now : fromMs(clock.now)
  const lastBlock = fromMs(head.utime * 1000)
  const linkTo = (tab: SandboxTab) => routeHref({ page: 'sandbox', network, tab })
  return (
    <Stats>
      <Figure
        name="Block height"
        value={formatNumber(head.seqno)}
        more={
          <>
            {formatCount(head.transactionCount, 'transaction')}, last{' '}
            {isReal ? <Moment at={lastBlock} /> : `at ${formatMinute(lastBlock)}`}
          </>
        }
      />
      <Figure
        name="Clock"
        value={formatMinute(time)}
        unit={formatDay(time, time)}
        href={linkTo('control')}
        more={
          isReal ? (
            'real time'
          ) : (
            <span title={formatExact(time)}>virtual: stands still until you advance it</span>
          )
        }
      />
      <Figure
        name="Waiting deliveries"
        value={formatNumber(queue.waiting)}
        href={linkTo('control')}
        bad={queue.failing > 0}
        more={queue.failing === 0 ? 'none failing' : `${formatNumber(queue.failing)} failing`}
      />
      <Figure
        name="Background activity"
        value={formatNumber(activity.perMinute)}
        unit="per minute"
        more={describeActivity(chain)}
      />
    </Stats>
  )
}

function describeActivity({ activity, clock }: SandboxChain): string {
  if (activity.perMinute === 0) return 'off: only your own actions'
  return clock.mode === 'real' ? 'payments between the wallets' : 'paused: the clock is virtual'
}
