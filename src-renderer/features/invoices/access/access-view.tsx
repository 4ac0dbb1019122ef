/** The steps that lead to invoices on a network (specification section 1), and how far each one is. */
import { type ComponentType, type ReactNode, useEffect } from 'react'
import type {
  InvoiceAccess,
  InvoiceAccessStep,
} from '../../../../src-preload/contract/invoice-access.ts'
import { attempt, request, put, queries, useData } from '../../../app/bridge.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { navigate, printRoute } from '../../../app/route.ts'
import { startSandbox } from '../../../app/sandbox-state.ts'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { ActionButton, Button, Menu } from '../../../ui/button.tsx'
import { Note, Row, Section, Stack, type Tone, Tag, Text, Hint } from '../../../ui/layout.tsx'
import { EmptyState, Loaded } from '../../../ui/loaded.tsx'
import { announce } from '../../../ui/toast.tsx'
import { openCreate } from '../create/issuing.ts'
import {
  ApplicationStep,
  changeAccess,
  ProjectStep,
  type StepProps,
  TickStep,
  TokenStep,
  WebhookStep,
} from './access-steps.tsx'

export function AccessView() {
  const network = useShownNetwork()
  const query = useData('invoiceAccess.read', { network: network.id })
  const { refetch } = query
  // The user may have done a step in the gateway's console since it was loaded.
  useEffect(() => {
    const state = queries.getQueryState(['invoiceAccess.read', { network: network.id }])
    if (state?.fetchStatus === 'idle') void refetch()
  }, [refetch, network.id, network.problem, network.secrets.invoices?.hint])
  if (network.urls !== null && network.urls.console === null) {
    return (
      <EmptyState
        title={`Invoices are not available on ${network.name}`}
        detail="The gateway of this network does not offer invoices, or the network settings have no console URL."
      >
        <Button onClick={() => navigate({ page: 'settings', section: 'networks' })}>
          Open the network settings
        </Button>
      </EmptyState>
    )
  }
  return (
    <Stack fill scroll tabIndex={0} role="region" aria-label="Access">
      <Loaded query={query} of={`the access to invoices of ${network.name}`} rows={8}>
        {(access) => (
          <Checklist
            access={access}
            problem={query.error?.message ?? access.problem}
            onRetry={() => void refetch()}
          />
        )}
      </Loaded>
      {query.error !== null && network.kind === 'sandbox' && network.problem !== null && (
        <Row pad="m">
          <Button icon="play" onClick={() => void startSandbox()}>
            Start the sandbox
          </Button>
        </Row>
      )}
    </Stack>
  )
}

function Checklist({
  access,
  problem,
  onRetry,
}: {
  access: InvoiceAccess
  problem: string | null
  onRetry: () => void
}) {
  const { steps } = access
  const { name, kind } = useShownNetwork()
  const isSandbox = kind === 'sandbox'
  const next = steps.find(({ state }) => state === 'open')
  const isReady = steps.every(({ state, id }) => state === 'done' || id === 'webhook')
  return (
    <>
      <Row pad="m" line="below" wrap gap="l" align="start">
        <Stack gap="xs" grow>
          <Text as="h2" size="m" strong>
            {isReady ? `Invoices of ${name} are ready` : `Set up invoices on ${name}`}
          </Text>
          <Hint>
            {isSandbox
              ? 'On the sandbox you can do each step here, as often as you like.'
              : 'Some steps can be done here. Do the other steps in the gateway’s console, then mark them as done here.'}
          </Hint>
          {isReady && <a href={printRoute(invoicesHome)}>Show the invoices</a>}
        </Stack>
        {isReady && (
          <Button kind="main" icon="plus" onClick={() => openCreate()}>
            Create an invoice
          </Button>
        )}
        {isSandbox && <SandboxSteps access={access} />}
      </Row>
      {problem !== null && (
        <Note tone="bad">
          {problem} <Button onClick={onRetry}>Try again</Button>
        </Note>
      )}
      <ol aria-label="Setup steps">
        {steps.map((step, index) => {
          const Content = contents[step.id]
          return (
            <Step key={step.id} step={step} number={index + 1} isNext={step.id === next?.id}>
              <Content access={access} step={step} />
            </Step>
          )
        })}
      </ol>
    </>
  )
}

const contents: Record<InvoiceAccessStep['id'], ComponentType<StepProps>> = {
  account: TickStep,
  project: ProjectStep,
  granted: TickStep,
  application: ApplicationStep,
  token: TokenStep,
  webhook: WebhookStep,
}

const states: Record<InvoiceAccessStep['state'], { word: string; tone: Tone }> = {
  done: { word: 'done', tone: 'ok' },
  open: { word: 'to do', tone: 'warn' },
  waiting: { word: 'waiting for the gateway operator', tone: 'plain' },
  blocked: { word: 'complete the steps above first', tone: 'plain' },
  unknown: { word: 'state unknown', tone: 'plain' },
}

function Step({
  step: { state, title, text },
  number,
  isNext,
  children,
}: {
  step: InvoiceAccessStep
  number: number
  isNext: boolean
  children: ReactNode
}) {
  const { word, tone } = states[state]
  return (
    <li aria-current={isNext ? 'step' : undefined}>
      <Section title={`${number}. ${title}`} actions={<Tag tone={tone}>{word}</Tag>}>
        <Stack>
          <Hint>{text}</Hint>
          {children}
        </Stack>
      </Section>
    </li>
  )
}

/** Does all open steps at once, or starts again from the first one. */
function SandboxSteps({ access }: { access: InvoiceAccess }) {
  const { network, steps } = access
  // The last open step has its own button.
  if (steps.filter(({ state }) => state !== 'done').length > 1) {
    const doAll = async () => {
      const isDone = await attempt('Could not complete all steps', () => doSteps(access))
      if (isDone === true) announce('All steps are done')
    }
    return <ActionButton action={doAll}>Complete all steps</ActionButton>
  }
  const restart = () =>
    changeAccess('Could not start the setup again', 'Setup started again', () =>
      request('invoiceAccess.setStep', { network, step: 'account', done: false }),
    )
  return (
    <Menu
      trigger={
        <Button kind="quiet" icon="more" aria-label="More actions for the setup" title="More" />
      }
      items={[{ label: 'Start the setup again', icon: 'undo', onSelect: () => void restart() }]}
    />
  )
}

/** One after another, for a step may unblock the next one. */
async function doSteps({ network, ...access }: InvoiceAccess): Promise<true> {
  let { steps, receiverUrl } = access
  const isOpen = (id: InvoiceAccessStep['id']) =>
    steps.some((step) => step.id === id && step.state !== 'done')
  const take = (next: InvoiceAccess) => {
    ;({ steps, receiverUrl } = next)
    put('invoiceAccess.read', { network }, next)
  }
  for (const step of ['account', 'project', 'granted'] as const) {
    if (isOpen(step)) take(await request('invoiceAccess.setStep', { network, step, done: true }))
  }
  if (isOpen('application')) {
    const { wallets } = await request('sandbox.chain', { network: 'mainnet' })
    const recipient = (wallets.find(({ name }) => name === 'merchant') ?? wallets[0])?.address ?? ''
    const form = { name: 'My shop', description: 'Sandbox application', recipient }
    take(await request('invoiceAccess.setApplication', { network, ...form }))
  }
  if (isOpen('webhook')) {
    take(await request('invoiceAccess.addWebhook', { network, url: receiverUrl }))
  }
  return true
}
