import { type ReactNode, useEffect, useState } from 'react'
import type { SandboxState, SandboxSteps } from '../../../src-preload/contract/sandbox.ts'
import { on, request, toAppError } from '../../app/bridge.ts'
import { shorten, shortenReceiverUrl } from '../../ui/format.ts'
import { createResource, useResource, valueOf } from '../../app/resource.ts'
import { printRoute } from '../../app/route.ts'
import { throttle } from '../../ui/throttle.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { FailedState } from '../../ui/failed-state.tsx'
import { Icon } from '../../ui/icons.tsx'
import { announce } from '../../ui/live-region.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import text from '../../ui/text.module.css'
import { sandbox, startSandbox } from '../../app/sandbox-state.ts'
import { refreshWebhooks } from '../../app/webhooks.ts'
import styles from './sandbox-steps.module.css'

/** As the sandbox itself tells, through its public API. */
const steps = createResource<SandboxSteps>(() => request('sandbox.steps'))

const leastMs = 500

/** Looks again whenever something arrives, or the sandbox or the receiver moves. */
function useLiveSteps(isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning) return
    const looks = throttle(() => void steps.reload(), leastMs)
    looks.call()
    const stops = [
      on('sandbox.changed', looks.call),
      on('capture.added', looks.call),
      on('receiver.changed', looks.call),
    ]
    return () => {
      for (const stop of stops) stop()
      looks.cancel()
    }
  }, [isRunning])
}

/** The three steps on the empty overview, in whichever state the sandbox is. */
export function SandboxStart() {
  const state = useResource(sandbox)
  const process = valueOf(state)
  useLiveSteps(process?.status === 'running')
  if (process === null) return null
  return (
    <section className={styles['box']} aria-label="On the sandbox">
      <h2>On the sandbox, in three steps</h2>
      {process.status === 'running' ? <Steps /> : <Away state={process} />}
    </section>
  )
}

function Away({ state: { status, problem } }: { state: SandboxState }) {
  if (status === 'starting') {
    return (
      <p className={styles['note']} role="status">
        The sandbox is starting…
      </p>
    )
  }
  return (
    <div className={styles['line']}>
      <p className={styles['note']}>
        {status === 'failed'
          ? `The sandbox does not start: ${problem ?? 'it ended.'}`
          : 'The sandbox is stopped. It is a gateway of your own on this computer, to try all of this with.'}
      </p>
      <Button icon="play" onClick={() => void startSandbox()}>
        Start the sandbox
      </Button>
    </div>
  )
}

const storageKey = 'tondesk.steps'

/** The same on an overview that has something to show, until they are done or put away. */
export function SandboxStepsPanel() {
  const isRunning = valueOf(useResource(sandbox))?.status === 'running'
  const [isAway, setIsAway] = useState(() => window.localStorage.getItem(storageKey) === 'away')
  if (!isRunning || isAway) return null
  const putAway = () => {
    window.localStorage.setItem(storageKey, 'away')
    setIsAway(true)
  }
  return <Unfinished onClose={putAway} />
}

function Unfinished({ onClose }: { onClose: () => void }) {
  useLiveSteps(true)
  const state = useResource(steps)
  if (state.status !== 'ready' || state.value.delivered) return null
  return (
    <section className={classes(styles['box'], styles['panel'])} aria-label="On the sandbox">
      <div className={styles['line']}>
        <h2>On the sandbox, in three steps</h2>
        <span className={styles['end']}>
          <IconButton icon="close" label="Put the steps away" onClick={onClose} />
        </span>
      </div>
      <Steps />
    </section>
  )
}

function Steps() {
  const state = useResource(steps)
  if (state.status === 'idle' || state.status === 'loading') return <Skeleton rows={3} />
  if (state.status === 'failed') {
    return (
      <FailedState
        what="The sandbox does not tell how far it is"
        why={state.error.message}
        onRetry={() => void steps.reload()}
      />
    )
  }
  return <StepList {...state.value} />
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
      steps.set(await request('sandbox.doStep', { step }))
      if (step === 'payment') setIsSent(true)
      // It was made at the gateway, past the list of what is known here.
      else void refreshWebhooks('sandbox')
      announce(done)
    } catch (error) {
      setProblem({ step, message: toAppError(error).message })
    } finally {
      setBusy(null)
    }
  }
  const of = (step: Name) => ({
    busy: busy === step,
    problem: problem?.step === step ? problem.message : null,
  })

  return (
    <ol className={styles['steps']}>
      <Step
        {...of('webhook')}
        number={1}
        title="Create a webhook"
        isDone={webhook !== null}
        isNext={webhook === null}
        detail={
          webhook === null
            ? 'POST /webhooks tells the gateway to deliver to this computer’s receiver.'
            : `Webhook ${webhook.id} delivers to ${shortenReceiverUrl(webhook.endpoint)}`
        }
        button="Create the webhook"
        onAct={() => void act('webhook', 'The webhook is created')}
      />
      <Step
        {...of('account')}
        number={2}
        title="Subscribe a wallet"
        isDone={account !== null}
        isNext={webhook !== null && account === null}
        detail={
          account === null
            ? 'Each transaction of the wallet is delivered from then on.'
            : `${account.name}, ${shorten(account.address, 8, 6)}`
        }
        button="Subscribe the wallet"
        onAct={() => void act('account', 'The wallet is subscribed')}
      />
      <Step
        {...of('payment')}
        number={3}
        title="Send a payment"
        isDone={delivered}
        isNext={account !== null && !delivered}
        detail={paymentWords(delivered, isSent, account?.name ?? 'it')}
        button={isSent ? 'Send another' : 'Send the payment'}
        onAct={() => void act('payment', 'The payment is sent')}
      />
    </ol>
  )
}

function paymentWords(delivered: boolean, isSent: boolean, to: string) {
  if (delivered) return 'It was delivered and is in the Inspector.'
  if (!isSent) return `1 TON from wallet-1 to ${to}, over a real TVM.`
  return (
    <>
      Sent; its delivery is on the way.{' '}
      <a href={printRoute({ page: 'sandbox', network: 'mainnet', tab: 'deliveries' })}>
        See the queue
      </a>
    </>
  )
}

function Step({
  number,
  title,
  detail,
  isDone,
  isNext,
  busy,
  problem,
  button,
  onAct,
}: {
  number: number
  title: string
  detail: ReactNode
  isDone: boolean
  /** Its turn has come. */
  isNext: boolean
  busy: boolean
  problem: string | null
  button: string
  onAct: () => void
}) {
  return (
    <li className={styles['step']} aria-current={isNext ? 'step' : undefined}>
      <span className={classes(styles['mark'], isDone && styles['doneMark'])}>
        {isDone ? <Icon name="check" size={13} /> : number}
      </span>
      <div className={styles['words']}>
        <h3>
          {title}
          {isDone && <span className={text['hidden']}>, done</span>}
        </h3>
        <p className={styles['note']}>{detail}</p>
        {problem !== null && (
          <p className={styles['problem']} role="alert">
            {problem}
          </p>
        )}
      </div>
      {!isDone && (
        <Button kind={isNext ? 'main' : 'plain'} disabled={!isNext} busy={busy} onClick={onAct}>
          {button}
        </Button>
      )}
    </li>
  )
}
