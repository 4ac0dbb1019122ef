import { useState } from 'react'
import type {
  SandboxAccess,
  SandboxChain,
  SandboxInvoicesApp,
  SandboxMatching,
} from '../../../src-preload/contract/sandbox.ts'
import { request } from '../../app/bridge.ts'
import { useResource, valueOf } from '../../app/resource.ts'
import { Button } from '../../ui/button.tsx'
import { FailedState } from '../../ui/failed-state.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tag } from '../../ui/tag.tsx'
import { TextArea } from '../../ui/text-field.tsx'
import { receiver } from '../../app/receiver-state.ts'
import { ActionForm, ActionResult } from './action-form.tsx'
import { AddressField } from './fields.tsx'
import { invoicesApp } from './sandbox-data.ts'
import { useAction } from './use-action.ts'
import styles from './forms.module.css'

export function InvoicesTab({ chain }: { chain: SandboxChain }) {
  const state = useResource(invoicesApp)
  return (
    <div className={styles['tab']}>
      <Access state={chain.access.state} />
      <Matching rule={chain.matching} />
      {(state.status === 'idle' || state.status === 'loading') && <Skeleton rows={4} />}
      {state.status === 'failed' && (
        <FailedState
          what="The application could not be read"
          why={state.error.message}
          onRetry={() => void invoicesApp.reload()}
        />
      )}
      {state.status === 'ready' && <AppForm app={state.value} chain={chain} />}
    </div>
  )
}

const ladder: readonly { state: SandboxAccess; label: string; next: string }[] = [
  { state: 'registered', label: 'account registered', next: 'Send the project id' },
  { state: 'requested', label: 'project id sent', next: 'Verify it' },
  { state: 'verified', label: 'project verified', next: 'Grant access' },
  { state: 'granted', label: 'access granted', next: '' },
]

function Access({ state }: { state: SandboxAccess }) {
  const action = useAction()
  const at = ladder.findIndex((step) => step.state === state)
  const next = ladder[at + 1]
  const set = (to: SandboxAccess, done: string) =>
    action.run(async () => {
      await request('sandbox.setAccess', { state: to })
      return done
    })
  return (
    <div className={styles['part']}>
      <div className={styles['head']}>
        <h2 className={styles['title']}>Access</h2>
        <p className={styles['detail']}>
          The real service grants invoices step by step. Here access is granted from the start; take
          it back to see how your backend bears a 403, or walk the steps.
        </p>
      </div>
      {state === 'withdrawn' ? (
        <p>
          <Tag tone="bad">withdrawn</Tag>
        </p>
      ) : (
        <ol className={styles['steps']}>
          {ladder.map((step, index) => (
            <li
              key={step.state}
              data-done={index < at || state === 'granted'}
              aria-current={index === at ? 'step' : undefined}
            >
              {(index < at || state === 'granted') && <Icon name="check" size={12} />}
              {step.label}
            </li>
          ))}
        </ol>
      )}
      <div className={styles['line']}>
        {state === 'granted' && (
          <Button
            kind="danger"
            busy={action.busy}
            onClick={() => void set('withdrawn', 'Access is withdrawn: invoices answer 403')}
          >
            Withdraw access
          </Button>
        )}
        {next !== undefined && state !== 'withdrawn' && (
          <Button
            kind="main"
            busy={action.busy}
            onClick={() => void set(next.state, `Now: ${next.label}`)}
          >
            {ladder[at]?.next}
          </Button>
        )}
        {state !== 'granted' && (
          <Button busy={action.busy} onClick={() => void set('granted', 'Access is granted')}>
            Grant at once
          </Button>
        )}
        {state !== 'registered' && (
          <Button
            kind="quiet"
            busy={action.busy}
            onClick={() => void set('registered', 'Back at the first step')}
          >
            Walk the steps from the first
          </Button>
        )}
      </div>
      <ActionResult action={action} />
    </div>
  )
}

const rules: readonly { value: SandboxMatching; label: string; detail: string }[] = [
  { value: 'comment', label: 'By comment', detail: 'the payment carries the invoice’s id' },
  { value: 'amount', label: 'By amount', detail: 'the payment has the invoice’s exact amount' },
  {
    value: 'address',
    label: 'By a unique address',
    detail: 'each invoice has an address of its own',
  },
]

function Matching({ rule }: { rule: SandboxMatching }) {
  const action = useAction()
  return (
    <div className={styles['part']}>
      <div className={styles['head']}>
        <h2 className={styles['title']}>How payments find their invoice</h2>
      </div>
      <fieldset className={styles['radios']} aria-label="How payments find their invoice">
        {rules.map(({ value, label, detail }) => (
          <label key={value} className={styles['radio']}>
            <input
              type="radio"
              name="matching"
              checked={rule === value}
              onChange={() =>
                void action.run(async () => {
                  await request('sandbox.setMatching', { rule: value })
                  return `Payments are matched ${label.toLowerCase()}`
                })
              }
            />
            <span>{label}</span>
            <small>{detail}</small>
          </label>
        ))}
      </fieldset>
      <ActionResult action={action} />
    </div>
  )
}

function AppForm({ app, chain }: { app: SandboxInvoicesApp; chain: SandboxChain }) {
  const action = useAction()
  const receiverUrl = valueOf(useResource(receiver))?.url ?? null
  const [draft, setDraft] = useState<{ recipient?: string; webhooks?: string }>({})
  const known = chain.wallets.find(({ address }) => address === app.recipient)
  const recipient = draft.recipient ?? known?.name ?? app.recipient
  const webhooks = draft.webhooks ?? app.webhooks.join('\n')
  const urls = webhooks.split(/\s+/).filter((url) => url !== '')

  const submit = async () => {
    const saved = await action.run(async () => {
      const next = await request('sandbox.setInvoicesApp', {
        recipient: chain.wallets.find(({ name }) => name === recipient)?.address ?? recipient,
        webhooks: urls,
      })
      invoicesApp.set(next)
      return 'The application is set'
    })
    if (saved) setDraft({})
  }

  const urlError = Object.entries(action.errors).find(([path]) => path.startsWith('webhooks'))?.[1]
  return (
    <ActionForm
      title="Application"
      action={action}
      label="Set"
      busyLabel="Setting…"
      onSubmit={() => void submit()}
      beside={
        receiverUrl !== null &&
        !urls.includes(receiverUrl) && (
          <Button
            icon="plus"
            onClick={() => setDraft({ ...draft, webhooks: [...urls, receiverUrl].join('\n') })}
          >
            Tell this computer’s receiver
          </Button>
        )
      }
    >
      <AddressField
        label="Payments go to"
        value={recipient}
        onChange={(next) => setDraft({ ...draft, recipient: next })}
        wallets={chain.wallets}
        error={action.errors['recipient']}
      />
      <TextArea
        label="Told of status changes"
        hint="One URL a line."
        mono
        value={webhooks}
        onChange={(next) => setDraft({ ...draft, webhooks: next })}
        error={urlError}
      />
    </ActionForm>
  )
}
