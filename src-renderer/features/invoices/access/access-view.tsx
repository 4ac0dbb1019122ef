import { useEffect } from 'react'
import type {
  InvoiceAccess,
  InvoiceAccessStep,
} from '../../../../src-preload/contract/invoice-access.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { invoicesHome } from '../../../app/invoices-route.ts'
import { type Loadable, useResource } from '../../../app/resource.ts'
import { navigate, printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { FailedState } from '../../../ui/failed-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import warning from '../../../ui/warning.module.css'
import { startSandbox } from '../../../app/sandbox-state.ts'
import { openCreate } from '../create/issuing.ts'
import { invoiceAccessOf } from './access.ts'
import { ApplicationStep } from './application-step.tsx'
import { ProjectStep } from './project-step.tsx'
import { SandboxWalk } from './sandbox-walk.tsx'
import { Step } from './step.tsx'
import { TickStep } from './tick-step.tsx'
import { TokenStep } from './token-step.tsx'
import { WebhookStep } from './webhook-step.tsx'
import styles from './access.module.css'

/** The way to invoices, step by step (specification section 1), each with how far it has come. */
export function AccessView({ network }: { network: Network }) {
  const access = invoiceAccessOf(network.id)
  const state = useResource(access)
  // What was done in the console since is seen when one looks again.
  useEffect(() => {
    if (access.store.getState().status !== 'idle') void access.reload()
  }, [access, network.problem, network.secrets.invoices?.hint])

  if (network.urls !== null && network.urls.console === null) {
    return (
      <EmptyState
        title={`${network.name} has no invoices`}
        detail="Its gateway offers none, or where it does is not given in the settings."
      >
        <Button onClick={() => navigate({ page: 'settings', section: 'networks' })}>
          Open the networks
        </Button>
      </EmptyState>
    )
  }
  return (
    // Scrollable, so it must be reachable by keyboard.
    <div className={styles['page']} tabIndex={0} role="region" aria-label="Access">
      <Content network={network} state={state} />
    </div>
  )
}

function Content({ network, state }: { network: Network; state: Loadable<InvoiceAccess> }) {
  if (state.status === 'failed') {
    return (
      <>
        <FailedState
          what={`The access to invoices of ${network.name} could not be read`}
          why={state.error.message}
          onRetry={() => void invoiceAccessOf(network.id).reload()}
        />
        {network.kind === 'sandbox' && network.problem !== null && (
          <p className={styles['centre']}>
            <Button icon="play" onClick={() => void startSandbox()}>
              Start the sandbox
            </Button>
          </p>
        )}
      </>
    )
  }
  if (state.status !== 'ready') return <Skeleton rows={8} label="Asking the gateway" />
  return <Checklist network={network} access={state.value} problem={state.problem?.message} />
}

function Checklist({
  network,
  access,
  problem,
}: {
  network: Network
  access: InvoiceAccess
  problem: string | undefined
}) {
  const { steps } = access
  const why = problem ?? access.problem
  const next = steps.find(({ state }) => state === 'open')
  const isReady = steps.every(({ state, id }) => state === 'done' || id === 'webhook')
  return (
    <div className={styles['list']}>
      <div className={styles['intro']}>
        <div className={styles['grow']}>
          <h2 className={styles['title']}>
            {isReady
              ? `Invoices of ${network.name} are ready`
              : `The way to invoices on ${network.name}`}
          </h2>
          <p className={styles['note']}>
            The service grants invoices step by step.{' '}
            {network.kind === 'sandbox'
              ? 'On the sandbox each step can be walked here, as often as you like.'
              : 'What its interface offers is done here; the rest is done in its console, and ticked here.'}
          </p>
        </div>
        {isReady && (
          <Button kind="main" icon="plus" onClick={() => openCreate()}>
            Create an invoice
          </Button>
        )}
        {network.kind === 'sandbox' && <SandboxWalk network={network} access={access} />}
      </div>
      {why !== null && (
        <p className={warning['box']} role="alert">
          {why} <Button onClick={() => void invoiceAccessOf(network.id).reload()}>Ask again</Button>
        </p>
      )}
      <ol className={styles['steps']} aria-label="Steps">
        {steps.map((step, index) => (
          <Step key={step.id} step={step} number={index + 1} isNext={step.id === next?.id}>
            <Inside network={network} access={access} step={step} />
          </Step>
        ))}
      </ol>
      {isReady && (
        <p className={styles['note']}>
          <a href={printRoute(invoicesHome)}>Show the invoices</a>
        </p>
      )}
    </div>
  )
}

function Inside(props: { network: Network; access: InvoiceAccess; step: InvoiceAccessStep }) {
  switch (props.step.id) {
    case 'account':
    case 'granted':
      return <TickStep {...props} />
    case 'project':
      return <ProjectStep {...props} />
    case 'application':
      return <ApplicationStep {...props} />
    case 'token':
      return <TokenStep {...props} />
    case 'webhook':
      return <WebhookStep {...props} />
  }
}
