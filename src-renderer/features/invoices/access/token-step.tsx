import type {
  InvoiceAccess,
  InvoiceAccessStep,
} from '../../../../src-preload/contract/invoice-access.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { request } from '../../../app/bridge.ts'
import { fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { Button } from '../../../ui/button.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import text from '../../../ui/text.module.css'
import { NetworkSecret } from '../../settings/network-secret.tsx'
import { TargetNetwork } from '../../../components/network-tag.tsx'
import { StepProblem } from './step-problem.tsx'
import { useStep } from './use-step.ts'
import styles from './access.module.css'

/** What opens the invoices: known by its end, copied for one's own backend, given a new one. */
export function TokenStep({
  network,
  access: { token, canManage },
  step: { state },
}: {
  network: Network
  access: InvoiceAccess
  step: InvoiceAccessStep
}) {
  const step = useStep()
  const isOwn = network.kind === 'sandbox'
  const rotate = async () => {
    const yes = await confirm({
      title: 'Give the application a new token?',
      detail: (
        <div className={styles['question']}>
          <TargetNetwork network={network} />
          <p>
            The one that ends in {token?.hint ?? ''} dies at once: a backend that goes by it is
            refused until it has the new one. Tondesk keeps the new one where secrets are.
          </p>
        </div>
      ),
      action: 'Rotate token',
      destructive: true,
    })
    if (!yes) return
    await step.run(() => request('invoiceAccess.rotateToken', { network: network.id }), {
      said: 'The application has a new token',
    })
  }
  if (state === 'blocked' && token === null) return null
  return (
    <>
      {isOwn ? (
        token !== null && (
          <p className={styles['line']}>
            <span className={text['mono']}>…{token.hint}</span>
            {token.addedAt > 0 && (
              <span className={text['dim']}>
                since <Moment at={fromMs(token.addedAt)} />
              </span>
            )}
          </p>
        )
      ) : (
        <dl className={styles['secret']}>
          <NetworkSecret network={network} slot="invoices" />
        </dl>
      )}
      {token !== null && (
        <>
          <div className={styles['line']}>
            <CopyButton
              text={async () =>
                (await request('invoiceAccess.token', { network: network.id })).token
              }
              what="Invoices token"
              label="Copy token"
            />
            {canManage && (
              <Button icon="key" busy={step.busy} onClick={() => void rotate()}>
                Rotate…
              </Button>
            )}
          </div>
          <p className={styles['note']}>
            Your backend sends it as <code>Authorization: Bearer</code>. Whoever has it can issue
            and cancel invoices in your name.
          </p>
        </>
      )}
      <StepProblem why={step.problem} />
    </>
  )
}
