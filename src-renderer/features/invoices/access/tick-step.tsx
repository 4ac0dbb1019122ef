import type {
  InvoiceAccess,
  InvoiceAccessStep,
} from '../../../../src-preload/contract/invoice-access.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { request } from '../../../app/bridge.ts'
import { Button } from '../../../ui/button.tsx'
import { StepProblem } from './step-problem.tsx'
import { useStep } from './use-step.ts'
import styles from './access.module.css'

const walks: Partial<Record<InvoiceAccessStep['id'], string>> = {
  account: 'Register the account',
  project: 'Send the project id',
  granted: 'Grant access',
}

const ticks: Partial<Record<InvoiceAccessStep['id'], string>> = {
  account: 'I have registered',
  project: 'I have sent it',
  granted: 'It was granted',
}

/** Walked on the sandbox; elsewhere it is done in the console, and the person says that it is. */
export function TickStep({
  network,
  access,
  step: { id, state, title, canDo },
}: {
  network: Network
  access: InvoiceAccess
  step: InvoiceAccessStep
}) {
  const step = useStep()
  if (id !== 'account' && id !== 'project' && id !== 'granted') return null
  const set = (done: boolean) =>
    void step.run(() => request('invoiceAccess.setStep', { network: network.id, step: id, done }), {
      said: done ? `${title}: done` : `${title}: taken back`,
    })
  // What the gateway itself shows needs no tick.
  const isShown = access.application !== null && network.kind !== 'sandbox'
  if (state === 'blocked' || (isShown && state === 'done')) return null
  return (
    <>
      <div className={styles['line']}>
        {state !== 'done' ? (
          <Button
            kind={state === 'open' ? 'main' : 'plain'}
            busy={step.busy}
            onClick={() => set(true)}
          >
            {(canDo ? walks : ticks)[id]}
          </Button>
        ) : (
          <Button
            kind="link"
            busy={step.busy}
            aria-label={`Take it back: ${title}`}
            onClick={() => set(false)}
          >
            Take it back
          </Button>
        )}
      </div>
      <StepProblem why={step.problem} />
    </>
  )
}
