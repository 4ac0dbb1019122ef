/** The three steps to a first capture from the sandbox. */
import { type ReactNode, useState } from 'react'
import { coinName } from '../../../src-preload/domain/amount.ts'
import type { SandboxState, SandboxSteps } from '../../../src-preload/contract/sandbox.ts'
import { request, toAppError, put, useData } from '../../app/bridge.ts'
import { routeHref } from '../../app/route.ts'
import { startSandbox } from '../../app/sandbox-state.ts'
import { refreshWebhooks } from '../../app/webhooks.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { shorten, shortenReceiverUrl } from '../../ui/format.ts'
import { Hint, Row, Section } from '../../ui/layout.tsx'
import { announce } from '../../ui/toast.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Step, Steps } from '../../ui/steps.tsx'
import { friendlyAddress } from '../friendly-address.ts'
import { openSetup } from './setup-link.tsx'

const title = 'First webhook from the sandbox, in three steps'

/** Shows the steps on an empty page, independently of the sandbox's state. */
export function SandboxStart() {
  const state = useData('sandbox.state').data
  if (state === undefined) return null
  return (
    <Section title={title}>
      {state.status === 'running' ? <LoadedSteps /> : <NotRunning state={state} />}
    </Section>
  )
}

function NotRunning({ state: { status, problem } }: { state: SandboxState }) {
  if (status === 'starting') {
    return <Hint role="status">The sandbox is starting…</Hint>
  }
  return (
    <Row gap="l">
      <Hint>
        {status === 'failed'
          ? `The sandbox could not start: ${problem ?? 'its process ended.'}`
          : 'The sandbox is stopped. It is a complete gateway on this computer, for tests without keys or money.'}
      </Hint>
      <Button icon="play" onClick={() => void startSandbox()}>
        Start the sandbox
      </Button>
    </Row>
  )
}

const storageKey = 'tondesk.steps'

/** Shows the steps on other pages until they are done or hidden. */
export function SandboxStepsPanel() {
  const isRunning = useData('sandbox.state').data?.status === 'running'
  const [isHidden, setIsHidden] = useState(() => window.localStorage.getItem(storageKey) === 'away')
  if (!isRunning || isHidden) return null
  const hide = () => {
    window.localStorage.setItem(storageKey, 'away')
    setIsHidden(true)
  }
  return <Unfinished onHide={hide} />
}

function Unfinished({ onHide }: { onHide: () => void }) {
  const steps = useData('sandbox.steps').data
  if (steps === undefined) return null
  if (steps.delivered) return <Finished onHide={onHide} />
  return (
    <Section
      title={title}
      level={2}
      end={<IconButton icon="close" label="Hide steps" onClick={onHide} />}
    >
      <StepList {...steps} />
    </Section>
  )
}

/** Shows the steps after the sandbox, until a real network has a key. */
function Finished({ onHide }: { onHide: () => void }) {
  const networks = useData('network.list').data?.networks
  const hasKey = networks?.some(({ kind, secrets }) => kind !== 'sandbox' && secrets.api !== null)
  if (hasKey !== false) return null
  return (
    <Section
      title="Sandbox: 3 of 3 steps done"
      level={2}
      end={<IconButton icon="close" label="Hide steps" onClick={onHide} />}
    >
      <Row wrap gap="l">
        <Hint>
          The sandbox has delivered its first webhook. Next, receive the events of a real network.
        </Hint>
        <Button kind="main" onClick={openSetup}>
          Connect a real gateway
        </Button>
      </Row>
    </Section>
  )
}

function LoadedSteps() {
  return (
    <Loaded query={useData('sandbox.steps')} of="the steps" rows={3}>
      {(steps) => <StepList {...steps} />}
    </Loaded>
  )
}

type Name = 'webhook' | 'account' | 'payment'

function StepList({ webhook, account, delivered }: SandboxSteps) {
  const [busy, setBusy] = useState<Name | null>(null)
  const [problem, setProblem] = useState<{ step: Name; message: string } | null>(null)
  const [isSent, setIsSent] = useState(false)

  const act = async (step: Name, done: string) => {
    setBusy(step)
    setProblem(null)
    try {
      put('sandbox.steps', undefined, await request('sandbox.doStep', { step }))
      if (step === 'payment') setIsSent(true)
      // The sandbox created the webhook directly, so the list does not contain it yet.
      else void refreshWebhooks('sandbox')
      announce(done)
    } catch (error) {
      setProblem({ step, message: toAppError(error).message })
    } finally {
      setBusy(null)
    }
  }

  const steps = [
    {
      name: 'webhook',
      title: 'Create a webhook',
      detail:
        webhook === null
          ? 'The gateway will deliver to the receiver on this computer (POST /webhooks).'
          : `Webhook ${webhook.id} delivers to ${shortenReceiverUrl(webhook.endpoint)}`,
      isDone: webhook !== null,
      action: 'Create the webhook',
      done: 'Webhook created',
    },
    {
      name: 'account',
      title: 'Subscribe to a wallet',
      detail:
        account === null
          ? 'The webhook will receive each transaction of the wallet.'
          : `${account.name}, ${shorten(friendlyAddress(account.address, { bounceable: false, testOnly: false }) ?? account.address)}`,
      isDone: account !== null,
      action: 'Subscribe to the wallet',
      done: 'Subscribed to the wallet',
    },
    {
      name: 'payment',
      title: 'Send a payment',
      detail: describePayment(delivered, isSent, account?.name ?? 'the wallet'),
      isDone: delivered,
      action: isSent ? 'Send another' : 'Send the payment',
      done: 'Payment sent',
    },
  ] as const
  const current = steps.find(({ isDone }) => !isDone)?.name
  return (
    <Steps>
      {steps.map(({ name, title, detail, isDone, action, done }, index) => (
        <Step
          key={name}
          number={index + 1}
          title={title}
          detail={detail}
          isDone={isDone}
          isCurrent={name === current}
          problem={problem?.step === name ? problem.message : null}
          action={
            !isDone && (
              <Button
                kind={name === current ? 'main' : 'plain'}
                disabled={name !== current}
                busy={busy === name}
                onClick={() => void act(name, done)}
              >
                {action}
              </Button>
            )
          }
        />
      ))}
    </Steps>
  )
}

function describePayment(delivered: boolean, isSent: boolean, to: string): ReactNode {
  if (delivered) return 'Delivered. The capture is in the Inspector.'
  if (!isSent) return `Sends 1 ${coinName()} from wallet-1 to ${to}, with a real TVM.`
  return (
    <>
      Sent. The delivery is on its way.{' '}
      <a href={routeHref({ page: 'sandbox', network: 'mainnet', tab: 'control' })}>
        Show the delivery queue
      </a>
    </>
  )
}
