/** The access to the invoices of a network: its setup, and all steps at once on the sandbox. */
import type {
  InvoiceAccess,
  InvoiceAccessStep,
} from '../../../../src-preload/contract/invoice-access.ts'
import { attempt, request, put } from '../../../app/bridge.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { navigate, routeHref } from '../../../app/route.ts'
import { startSandbox } from '../../../app/sandbox-state.ts'
import { AccessSteps, useInvoiceAccess } from '../../../components/invoices/access-list.tsx'
import { changeAccess } from '../../../components/invoices/access-steps.tsx'
import { useShownNetwork } from '../../../components/network-tag.tsx'
import { ActionButton, Button, Menu } from '../../../ui/button.tsx'
import { Hint, Note, Row, Stack, Text } from '../../../ui/layout.tsx'
import { EmptyState, Loaded } from '../../../ui/loaded.tsx'
import { announce } from '../../../ui/toast.tsx'
import { openCreate } from '../create/issuing.ts'

export function AccessView() {
  const network = useShownNetwork()
  const query = useInvoiceAccess(network)
  const { refetch } = query
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
          {isReady && <a href={routeHref(invoicesHome)}>Show the invoices</a>}
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
      <AccessSteps access={access} />
    </>
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
