import { useState } from 'react'
import type { SandboxChain, SandboxPolicy } from '../../../src-preload/contract/sandbox.ts'
import { request } from '../../app/bridge.ts'
import { formatCount } from '../../ui/format.ts'
import { readWhole } from '../../app/form-values.ts'
import { printSpan, readSpan, readSpans } from '../../components/time-span.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { ActionForm, ActionResult } from './action-form.tsx'
import { useAction } from './use-action.ts'
import { WebhookTag } from './webhook-tag.tsx'
import styles from './forms.module.css'

export function DeliveriesTab({ chain }: { chain: SandboxChain }) {
  return (
    <div className={styles['tab']}>
      <Webhooks chain={chain} />
      <PolicyForm policy={chain.policy} />
    </div>
  )
}

function Webhooks({ chain: { webhooks, network } }: { chain: SandboxChain }) {
  const action = useAction()
  return (
    <div className={styles['part']}>
      <div className={styles['head']}>
        <h2 className={styles['title']}>Webhooks of this network</h2>
        {webhooks.length === 0 && (
          <p className={styles['detail']}>
            There is none yet. The Overview creates one to this computer’s receiver; your backend
            creates its own by POST /webhooks.
          </p>
        )}
      </div>
      {webhooks.length > 0 && (
        <ul className={styles['list']}>
          {webhooks.map((webhook) => (
            <li key={webhook.id}>
              <WebhookTag webhook={webhook} />
              <span className={styles['grow']} title={webhook.endpoint}>
                {webhook.id}: {webhook.endpoint}
              </span>
              {webhook.waiting > 0 && <span>{formatCount(webhook.waiting, 'waits', 'wait')}</span>}
              {webhook.status === 'offline' && (
                <Button
                  busy={action.busy}
                  onClick={() =>
                    void action.run(async () => {
                      await request('sandbox.backOnline', { network, webhookId: webhook.id })
                      return `Webhook ${webhook.id} is online again; what waits is sent now`
                    })
                  }
                >
                  Back online
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      <ActionResult action={action} />
    </div>
  )
}

type Draft = { delays: string; timeout: string; offline: string; concurrency: string }

function PolicyForm({ policy }: { policy: SandboxPolicy }) {
  const action = useAction()
  const [draft, setDraft] = useState<Partial<Draft>>({})
  const delays = draft.delays ?? policy.retryDelaysMs.map(printSpan).join(', ')
  const timeout = draft.timeout ?? printSpan(policy.timeoutMs)
  const offline = draft.offline ?? printSpan(policy.offlineAfterMs)
  const concurrency = draft.concurrency ?? String(policy.concurrency)
  const change = (part: Partial<Draft>) => setDraft((former) => ({ ...former, ...part }))

  const submit = async () => {
    const read = {
      retryDelaysMs: readSpans(delays),
      timeoutMs: readSpan(timeout),
      offlineAfterMs: readSpan(offline),
      concurrency: readWhole(concurrency),
    }
    const { retryDelaysMs, timeoutMs, offlineAfterMs, concurrency: most } = read
    if (retryDelaysMs === null || timeoutMs === null || offlineAfterMs === null || most === null) {
      const span = 'Type a time, such as 10 s.'
      action.refuse({
        ...(retryDelaysMs === null && {
          retryDelaysMs: 'Type times between commas, such as 5 s, 1 min, 1 h.',
        }),
        ...(timeoutMs === null && { timeoutMs: span }),
        ...(offlineAfterMs === null && { offlineAfterMs: span }),
        ...(most === null && { concurrency: 'Type a whole number.' }),
      })
      return
    }
    const saved = await action.run(async () => {
      await request('sandbox.setPolicy', {
        retryDelaysMs,
        timeoutMs,
        offlineAfterMs,
        concurrency: most,
      })
      return 'The policy is set'
    })
    if (saved) setDraft({})
  }

  // A place in the list is named by its index: the whole field is wrong.
  const delaysError = Object.entries(action.errors).find(([path]) =>
    path.startsWith('retryDelaysMs'),
  )?.[1]
  return (
    <ActionForm
      title="Delivery policy"
      detail="How deliveries are tried again. The real service’s schedule is not public; these are the sandbox’s own defaults until you change them."
      action={action}
      label="Set"
      busyLabel="Setting…"
      onSubmit={() => void submit()}
    >
      <TextArea
        label="Waits after each failure"
        hint="The last one repeats."
        value={delays}
        onChange={(next) => change({ delays: next })}
        error={delaysError}
      />
      <div className={styles['pair']}>
        <TextField
          label="Answer within"
          value={timeout}
          onChange={(next) => change({ timeout: next })}
          error={action.errors['timeoutMs']}
        />
        <TextField
          label="Offline after"
          hint="Of nothing but failures."
          value={offline}
          onChange={(next) => change({ offline: next })}
          error={action.errors['offlineAfterMs']}
        />
      </div>
      <TextField
        label="At once to one endpoint"
        inputMode="numeric"
        value={concurrency}
        onChange={(next) => change({ concurrency: next })}
        error={action.errors['concurrency']}
      />
    </ActionForm>
  )
}
