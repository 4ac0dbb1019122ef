import { useState } from 'react'
import type {
  InvoiceAccess,
  InvoiceAccessStep,
  InvoiceApplication,
} from '../../../../src-preload/contract/invoice-access.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { request } from '../../../app/bridge.ts'
import { printRoute } from '../../../app/route.ts'
import { Button } from '../../../ui/button.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { Endpoint } from '../../../components/webhook.tsx'
import { TargetNetwork } from '../../../components/network-tag.tsx'
import { isLocalUrl } from './local-url.ts'
import { StepProblem } from './step-problem.tsx'
import { useStep } from './use-step.ts'
import styles from './access.module.css'

type Webhook = InvoiceApplication['webhooks'][number]

/** Where status changes are told: this receiver is offered, others stand beside it. */
export function WebhookStep({
  network,
  access,
  step: { state },
}: {
  network: Network
  access: InvoiceAccess
  step: InvoiceAccessStep
}) {
  const { application, canManage, receiverUrl } = access
  const step = useStep()
  const [other, setOther] = useState('')
  if (state === 'blocked') return null
  const webhooks = application?.webhooks ?? []
  const isHere = webhooks.some((webhook) => webhook.isHere)

  const add = async (url: string) => {
    const added = await step.run(
      () => request('invoiceAccess.addWebhook', { network: network.id, url }),
      { said: 'The webhook is registered', ...(url === receiverUrl ? {} : { field: 'url' }) },
    )
    if (added) setOther('')
  }
  const remove = async ({ id, url }: Webhook) => {
    const yes = await confirm({
      title: 'Remove this webhook?',
      detail: (
        <div className={styles['question']}>
          <TargetNetwork network={network} />
          <p>
            Status changes are no longer told to <code>{url}</code>. It can be registered again at
            any time.
          </p>
        </div>
      ),
      action: 'Remove',
      destructive: true,
    })
    if (!yes) return
    await step.run(() => request('invoiceAccess.removeWebhook', { network: network.id, id }), {
      said: 'The webhook is removed',
    })
  }

  return (
    <>
      {webhooks.length > 0 && (
        <ul className={styles['webhooks']} aria-label="Webhooks of the application">
          {webhooks.map((webhook) => (
            <li key={webhook.id}>
              <Endpoint url={webhook.url} mono />
              {webhook.isHere && <Tag tone="ok">this receiver</Tag>}
              {canManage && (
                <Button
                  kind="quiet"
                  aria-label={`Remove ${webhook.url}…`}
                  onClick={() => void remove(webhook)}
                >
                  Remove…
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {!isHere && (
        <div className={styles['offer']}>
          <Endpoint url={receiverUrl} mono />
          <CopyButton text={receiverUrl} what="Receiver URL" iconOnly kind="quiet" />
          {canManage && (
            <Button
              kind={state === 'open' ? 'main' : 'plain'}
              busy={step.busy}
              onClick={() => void add(receiverUrl)}
            >
              Register this receiver
            </Button>
          )}
        </div>
      )}
      {!isHere && network.kind !== 'sandbox' && isLocalUrl(receiverUrl) && (
        <p className={styles['warn']}>
          The gateway cannot reach this address from outside.{' '}
          <a href={printRoute({ page: 'settings', section: 'receiver' })}>
            Give the receiver a public URL
          </a>
          ; without one Tondesk asks the gateway on a schedule.
        </p>
      )}
      {canManage && (
        <form
          className={styles['form']}
          aria-label="Another webhook"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (!step.busy && other.trim() !== '') void add(other.trim())
          }}
        >
          <TextField
            label="Another URL"
            mono
            type="url"
            inputMode="url"
            maxLength={2000}
            placeholder="https://shop.example.com/invoices"
            value={other}
            onChange={setOther}
            error={step.errors['url']}
            suffix={
              <Button type="submit" disabled={other.trim() === ''} busy={step.busy}>
                Register
              </Button>
            }
          />
        </form>
      )}
      <StepProblem why={step.problem} />
    </>
  )
}
